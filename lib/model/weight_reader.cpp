#include "lib/model/weight_reader.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/memory.hpp"
#include "lib/model/int4_file.hpp"
#include "lib/model/int8_file.hpp"
#include "lib/model/memory_plan.hpp"

namespace tbt {

// The check of the memory assumes a cache of at most this many tokens: some models have a context
// of 131,072 tokens, but few texts are that long.
constexpr int planned_context = 8192;

// Keeping 16-bit weights in their type changes no bit of a logit, since they convert to floats
// exactly.
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

// Throws Error if a layer in the file has a weight that config.json does not imply: ignoring a
// bias, for example, would change the results.
static void check_nothing_more(const std::string& name, const Safetensors& file,
                               const TransformerConfig& config) {
    std::set<std::string> known;
    for (const WeightShape& w : weight_shapes(config)) known.insert(w.name);
    for (const auto& [tensor, view] : file.tensors())
        if (tensor.starts_with("model.layers.") && !known.count(tensor) &&
            !tensor.ends_with(".rotary_emb.inv_freq"))
            throw Error(name + ": the weights have \"" + tensor + "\", which a " +
                        config.architecture.model_type +
                        " of this config.json doesn't; they don't belong together");
}

// Throws Error unless the file has the weights that config.json implies, and as many layers.
static void check_weights(const std::string& name, const Safetensors& file,
                          const TransformerConfig& config) {
    const auto fail = [&](const std::string& what) {
        throw Error(name + ": config.json says n_layer " + std::to_string(config.n_layer) +
                    ", but the weights " + what + "; they don't belong together");
    };
    if (!config.architecture.is_gpt2()) {
        check_nothing_more(name, file, config);
        for (const WeightShape& w : weight_shapes(config)) file.check_weight(w.name, w.shape);
        return;
    }
    const std::string further = "h." + std::to_string(config.n_layer) + ".ln_1.weight";
    if (file.find(further) || file.find("transformer." + further)) fail("go on with " + further);
    const auto tensors = static_cast<std::int64_t>(file.tensors().size());
    if (tensors < config.n_layer) fail("are only " + std::to_string(tensors) + " tensors");
    for (const WeightShape& w : weight_shapes(config)) file.check_weight(w.name, w.shape);
}

void check_planned_memory(const std::string& name, const TransformerConfig& config,
                          const TransformerOptions& options) {
    TransformerConfig planned = config;
    planned.cache_type = options.cache;
    const int context = std::min(config.n_positions, planned_context);
    const WeightType type = options.weights.value_or(WeightType::f32);
    check_memory(name, plan_memory(planned, type, context, 1).total(), available_memory());
}

OpenedWeights::OpenedWeights(const std::string& directory, const TransformerConfig& config,
                             const TransformerOptions& chosen)
    : file(Safetensors::open_directory(directory)),
      source([this](const std::string& weight, const Shape& shape) {
          return file.read_weight(weight, shape);
      }),
      options(chosen) {
    if (!options.weights) options.weights = stored_type(file);
    // Check the weights and the memory before anything is allocated.
    check_weights(directory, file, config);
    check_planned_memory(directory, config, options);
}

Tensor WeightReader::tensor(const std::string& name) const {
    Tensor weight = source_(name, shapes_.at(name));
    check_shape("gpt", name.c_str(), weight.shape(), shapes_.at(name));
    return weight;
}

PackedMatrix WeightReader::packed(const std::string& name, WeightType type) const {
    PackedMatrix result;
    const auto as_stored = [&](const auto& codes) {
        if (codes) result = PackedMatrix(*codes, threads_), file_->forget_weight(name);
        return codes.has_value();
    };
    const Shape& shape = shapes_.at(name);
    if (file_ && type == WeightType::int4 && as_stored(file_->stored_int4(name, shape)))
        return result;
    if (file_ && type == WeightType::int8 && as_stored(file_->stored_int8(name, shape)))
        return result;
    matrix(name, [&](const StoredView& w) {
        result = pack(std::span(&w, 1), type, std::span(&name, 1));
    });
    return result;
}

PackedMatrix WeightReader::pack(std::span<const StoredView> parts, WeightType type,
                                std::span<const std::string> names) const {
    // tensor() throws Error with the name of the weight and the number that is not finite.
    const auto read_all = [&] {
        for (const std::string& name : names) tensor(name);
    };
    PackedMatrix result;
    try {
        result = PackedMatrix(parts, type, threads_);
    } catch (const Error&) {
        read_all();
        throw;
    }
    if (!result.finite()) read_all();
    return result;
}

std::optional<WeightReader::Rows> WeightReader::rows(const std::string& name) const {
    const auto stored = file_ ? file_->stored_weight(name, shapes_.at(name)) : std::nullopt;
    if (!stored) return std::nullopt;
    return Rows{file_->file_of(name), *stored};
}

Tensor WeightReader::joined(const std::vector<std::string>& names) const {
    if (names.size() == 1) return tensor(names[0]);
    std::vector<float> all;
    for (const std::string& name : names) {
        const Tensor part = tensor(name);
        all.insert(all.end(), part.data(), part.data() + part.size());
    }
    return Tensor({length_of(all)}, all);
}

PackedMatrix WeightReader::linear(const std::vector<std::string>& names, WeightType type) const {
    // If all of them are in the file in the same type, they are packed directly from the file.
    std::vector<StoredView> parts;
    std::vector<Tensor> floats;
    for (const std::string& name : names)
        if (const auto stored = file_ ? file_->stored_weight(name, shapes_.at(name)) : std::nullopt)
            parts.push_back(stored->transposed());
    const bool as_stored = parts.size() == names.size() &&
                           std::all_of(parts.begin(), parts.end(), [&](const StoredView& part) {
                               return part.type == parts[0].type;
                           });
    if (!as_stored) {
        parts.clear();
        for (const std::string& name : names) {
            const Tensor& w = floats.emplace_back(tensor(name));
            parts.push_back(StoredView(w.data(), WeightType::f32, w.dim(0), w.dim(1)).transposed());
        }
    }
    PackedMatrix result = pack(parts, type, names);
    if (as_stored)
        for (const std::string& name : names) file_->forget_weight(name);
    return result;
}

}  // namespace tbt
