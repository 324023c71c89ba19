// From a model's files, or from floats that somebody gives, to packed matrices.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/kernels/packed_matrix.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/safetensors.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

// How a file keeps its matrices. Where one of them is in 8 or 4 bits, int8 (int8_file.hpp) or int4
// (int4_file.hpp); float32 where others are mixed.
WeightType stored_type(const Safetensors& file);

// Throws Error where the machine has not the memory for these weights and a cache.
void check_planned_memory(const std::string& name, const TransformerConfig& config,
                          const TransformerOptions& options);

// The weights of a model directory, opened, with the type that they are kept in: as they are
// stored, where the options leave it open. Throws Error, before anything is allocated, where they
// are not of this configuration or exceed the memory.
struct OpenedWeights {
    OpenedWeights(const std::string& directory, const TransformerConfig& config,
                  const TransformerOptions& options);
    OpenedWeights(const OpenedWeights&) = delete;  // the source looks into this one

    Safetensors file;
    WeightSource source;  // reads from the file
    TransformerOptions options;
};

// Gives the weights, each checked and in the shape that the configuration asks for.
class WeightReader {
public:
    WeightReader(const TransformerConfig& config, const WeightSource& source,
                 const Safetensors* file, int threads)
        : source_(source), file_(file), threads_(threads) {
        for (const WeightShape& w : weight_shapes(config)) shapes_[w.name] = w.shape;
    }

    Tensor tensor(const std::string& name) const;
    // Several vectors, one after the other.
    Tensor joined(const std::vector<std::string>& names) const;

    // What use(view) makes of a matrix, which lies in the file or, as floats, in memory meanwhile.
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

    // A matrix where it lies in the file, to be read row by row as long as the file is held; none
    // where it lies there in another way, or there is no file.
    struct Rows {
        std::shared_ptr<const MappedFile> file;
        StoredView rows;
    };
    std::optional<Rows> rows(const std::string& name) const;

    // The weights of these names, packed side by side. Throws Error, by its name, where one is not
    // finite.
    PackedMatrix pack(std::span<const StoredView> parts, WeightType type,
                      std::span<const std::string> names) const;

    PackedMatrix packed(const std::string& name, WeightType type) const;
    // Matrices (outputs, inputs) as one: their outputs one after the other.
    PackedMatrix linear(const std::vector<std::string>& names, WeightType type) const;

private:
    const WeightSource& source_;
    const Safetensors* file_;
    int threads_;
    std::map<std::string, Shape> shapes_;
};

}  // namespace tbt
