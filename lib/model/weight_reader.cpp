#include "lib/model/weight_reader.hpp"

#include <optional>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/machine/memory.hpp"
#include "lib/model/int4_file.hpp"
#include "lib/model/int8_file.hpp"
#include "lib/model/memory_plan.hpp"

namespace tbt {

// Weights of 16 bits are exactly the floats they are widened to, so keeping them as they are
// changes no bit of a logit.
WeightType stored_type(const Safetensors& file) {
    std::optional<std::string> dtype;
    bool mixed = false;
    for (const auto& [name, tensor] : file.tensors()) {
        if (tensor.shape.size() != 2) continue;
        if (tensor.dtype == int8_dtype) return WeightType::int8;
        if (is_int4(name, tensor)) return WeightType::int4;
        mixed = mixed || (dtype && *dtype != tensor.dtype);
        dtype = tensor.dtype;
    }
    if (mixed) return WeightType::f32;
    return weight_type_named(dtype.value_or("")).value_or(WeightType::f32);
}

// The file holds the weights that config.json speaks of, no fewer and no more layers.
static void check_weights(const std::string& name, const Safetensors& file,
                          const GptConfig& config) {
    const auto fail = [&](const std::string& what) {
        throw Error(name + ": config.json says n_layer " + std::to_string(config.n_layer) +
                    ", but the weights " + what + "; they don't belong together");
    };
    const std::string behind = "h." + std::to_string(config.n_layer) + ".ln_1.weight";
    if (file.find(behind) || file.find("transformer." + behind)) fail("go on with " + behind);
    const auto tensors = static_cast<std::int64_t>(file.tensors().size());
    if (tensors < config.n_layer) fail("are only " + std::to_string(tensors) + " tensors");
    for (const WeightShape& w : weight_shapes(config)) file.check_weight(w.name, w.shape);
}

OpenedWeights::OpenedWeights(const std::string& directory, const GptConfig& config,
                             const GptOptions& chosen)
    : file(Safetensors::open_directory(directory)),
      source([this](const std::string& weight, const Shape& shape) {
          return file.read_weight(weight, shape);
      }),
      options(chosen) {
    if (!options.weights) options.weights = stored_type(file);
    // Asked before anything is allocated: are the weights these, and does the machine
    // have the memory?
    check_weights(directory, file, config);
    GptConfig planned = config;
    planned.cache_type = options.cache;
    check_memory(directory, plan_memory(planned, *options.weights, config.n_positions, 1).total(),
                 available_memory());
}

Tensor WeightReader::tensor(const std::string& name) const {
    Tensor weight = source_(name, shapes_.at(name));
    check_shape("gpt", name.c_str(), weight.shape(), shapes_.at(name));
    return weight;
}

PackedMatrix WeightReader::packed(const std::string& name, WeightType type) const {
    PackedMatrix result;
    if (file_ && type == WeightType::int4) {
        if (const auto codes = file_->stored_int4(name, shapes_.at(name))) {
            result = PackedMatrix(*codes);
            file_->forget_weight(name);
            return result;
        }
    }
    matrix(name, [&](const StoredView& w) { result = PackedMatrix(w, type, threads_); });
    return result;
}

}  // namespace tbt
