// Reads weights from a model's files, or from any WeightSource, and packs matrices for the kernels
// (lib/kernels/packed_matrix.hpp).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/safetensors.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// The type of the matrices in a file. It is int8 (int8_file.hpp) or int4 (int4_file.hpp) if any
// matrix is stored so, and f32 if the matrices have several other types.
WeightType stored_type(const Safetensors& file);

// Throws Error "NAME: …" if the machine has too little memory for these weights and a cache.
void check_planned_memory(const std::string& name, const TransformerConfig& config,
                          const TransformerOptions& options);

// The opened weights of a model directory. In `options`, the type of the weights is set: to that of
// the file if the caller's options leave it open. The constructor throws Error, before it allocates
// anything, if the weights do not match the configuration or need too much memory.
struct OpenedWeights {
    OpenedWeights(const std::string& directory, const TransformerConfig& config,
                  const TransformerOptions& options);
    OpenedWeights(const OpenedWeights&) = delete;  // `source` refers to this object

    Safetensors file;
    WeightSource source;  // reads from the file
    TransformerOptions options;
};

// Reads single weights by name, in the shapes that the configuration requires. All functions throw
// Error if a weight is missing or has another shape.
class WeightReader {
public:
    WeightReader(const TransformerConfig& config, const WeightSource& source,
                 const Safetensors* file, int threads)
        : source_(source), file_(file), threads_(threads) {
        for (const WeightShape& w : weight_shapes(config)) shapes_[w.name] = w.shape;
    }

    Tensor tensor(const std::string& name) const;
    // Several vectors, concatenated.
    Tensor joined(const std::vector<std::string>& names) const;

    // Calls use(view) with a view of a matrix in the mapped file or, as floats, in memory. The view
    // is valid during the call.
    template <class Use>
    void matrix(const std::string& name, Use use) const {
        const auto stored = file_ ? file_->stored_weight(name, shapes_.at(name)) : std::nullopt;
        if (stored) {
            use(*stored);
            file_->forget_weight(name);
        } else {
            const Tensor w = tensor(name);
            use(StoredView(w.data(), WeightType::f32, w.dim(0), w.dim(1)));
        }
    }

    // A matrix in the mapped file, to be read row by row while `file` is kept. None if the file
    // stores it in a form that must be restored first, or if there is no file.
    struct Rows {
        std::shared_ptr<const MappedFile> file;
        StoredView rows;
    };
    std::optional<Rows> rows(const std::string& name) const;

    // Packs the matrices `parts` side by side as one. `names` are their names, for messages. Throws
    // Error with the name if a weight is not finite.
    PackedMatrix pack(std::span<const StoredView> parts, WeightType type,
                      std::span<const std::string> names) const;

    PackedMatrix packed(const std::string& name, WeightType type) const;
    // Packs matrices of shape (outputs, inputs) as one whose outputs are theirs, concatenated.
    PackedMatrix linear(const std::vector<std::string>& names, WeightType type) const;

private:
    const WeightSource& source_;
    const Safetensors* file_;
    int threads_;
    std::map<std::string, Shape> shapes_;
};

}  // namespace tbt
