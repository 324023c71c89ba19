#include "chapters/19_training/hub/gguf.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <vector>

#include "chapters/19_training/hub/gguf_values.hpp"
#include "lib/core/error.hpp"
#include "lib/core/half.hpp"
#include "lib/core/index.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/gguf_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/rotary.hpp"

namespace tbt {
namespace {

constexpr std::uint32_t version = 3;
constexpr std::uint64_t alignment = 32;
constexpr std::uint32_t f32_tensor = 0, f16_tensor = 1;

std::uint64_t aligned(std::uint64_t n) { return (n + alignment - 1) / alignment * alignment; }

WeightType type_of(const WeightShape& weight, WeightType wanted) {
    return weight.shape.size() == 2 && weight.name != "wpe.weight" ? wanted : WeightType::f32;
}

// The numbers of a tensor in the order of the GGUF file.
Tensor in_order(const TransformerConfig& config, const WeightShape& weight, const Tensor& tensor) {
    const GgufLayout layout = gguf_layout(config, weight);
    Tensor result = tensor;
    const std::int64_t rows = weight.shape[0], columns = tensor.size() / rows;
    for (std::int64_t r = 0; r < rows && layout != GgufLayout::same; ++r)
        for (std::int64_t c = 0; c < columns; ++c)
            result.data()[layout == GgufLayout::transposed
                              ? c * rows + r
                              : pair_row(r, config.head_size()) * columns + c] =
                tensor.data()[r * columns + c];
    if (config.architecture.norm_adds_one && weight.name.ends_with("norm.weight"))
        for (float& gamma : result.values()) gamma = 1.0f + gamma;
    return result;
}

std::string bytes_as(const std::string& name, const Tensor& tensor, WeightType type) {
    const auto values = tensor.values();
    std::string bytes(values.size() * index(bytes_of(type)), '\0');
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (type == WeightType::f32) {
            std::memcpy(bytes.data() + 4 * i, &values[i], 4);
            continue;
        }
        const std::uint16_t half = to_f16(values[i]);
        if (std::isfinite(values[i]) && !std::isfinite(from_f16(half)))
            throw Error("gguf: " + name + " has a number too large for f16: " +
                        std::to_string(values[i]) + "; write f32");
        std::memcpy(bytes.data() + 2 * i, &half, 2);
    }
    return bytes;
}

// The numbers by which llama3's scaling divides the frequencies.
Tensor rotary_divisors(const TransformerConfig& config) {
    const int size = config.architecture.rotary_size;
    const Rotary& rotary = config.architecture.rotaries.at(0);
    Rotary unscaled = rotary;
    unscaled.scaling = RotaryScaling::none;
    const auto plain = rotary_frequencies(unscaled, size),
               scaled = rotary_frequencies(rotary, size);
    Tensor divisors({size / 2});
    for (std::size_t i = 0; i < plain.size(); ++i)
        divisors.data()[i] = static_cast<float>(plain[i] / scaled[i]);
    return divisors;
}

constexpr const char* divisors_name = "rope_freqs.weight";

// The weights of a model directory, to be written to the file.
struct Source {
    Source(const std::string& directory, WeightType wanted)
        : config(read_model_config(directory)),
          weights(Safetensors::open_directory(directory)),
          type(wanted),
          shapes(weight_shapes(config)) {
        // Older programs for GPT-2 need the output matrix even if it equals the embedding.
        if (config.architecture.is_gpt2() && config.tie_word_embeddings)
            shapes.push_back({"lm_head.weight", {config.vocab_size, config.n_embd}});
        for (const WeightShape& weight : shapes) weights.check_weight(stored(weight), weight.shape);
        const auto& rotaries = config.architecture.rotaries;
        if (!rotaries.empty() && rotaries[0].scaling == RotaryScaling::llama3)
            shapes.push_back({divisors_name, {config.architecture.rotary_size / 2}});
    }
    std::string stored(const WeightShape& weight) const {
        return config.tie_word_embeddings && weight.name == "lm_head.weight" ? "wte.weight"
                                                                             : weight.name;
    }
    std::string name(const WeightShape& weight) const {
        return weight.name == divisors_name ? weight.name : gguf_weight_name(config, weight.name);
    }
    // The dimensions, beginning with the fastest.
    Shape dimensions(const WeightShape& weight) const {
        Shape result = weight.shape;
        if (weight.name == divisors_name || gguf_layout(config, weight) != GgufLayout::transposed)
            std::reverse(result.begin(), result.end());
        return result;
    }
    std::string bytes(const WeightShape& weight) const {
        if (weight.name == divisors_name)
            return bytes_as(weight.name, rotary_divisors(config), WeightType::f32);
        const Tensor tensor = weights.read_weight(stored(weight), weight.shape);
        return bytes_as(weight.name, in_order(config, weight, tensor), type_of(weight, type));
    }

    TransformerConfig config;
    Safetensors weights;
    WeightType type;
    std::vector<WeightShape> shapes;
};

}  // namespace

void write_gguf(const std::string& directory, const std::string& path, WeightType type) {
    if (type == WeightType::bf16)
        throw Error("gguf: bf16 is not written here, expected f32 or f16");
    const Source source(directory, type);
    const GgufValues values = gguf_values(directory, source.config, type);
    GgufBytes header;
    header.all = "GGUF";
    header.u32(version);
    header.u64(source.shapes.size());
    header.u64(values.count);
    header.all += values.bytes.all;
    std::uint64_t offset = 0;
    for (const WeightShape& weight : source.shapes) {
        const WeightType stored = type_of(weight, type);
        header.text(source.name(weight));
        header.u32(static_cast<std::uint32_t>(weight.shape.size()));
        for (const std::int64_t d : source.dimensions(weight))
            header.u64(static_cast<std::uint64_t>(d));
        header.u32(stored == WeightType::f16 ? f16_tensor : f32_tensor);
        header.u64(offset);
        offset = aligned(
            offset + static_cast<std::uint64_t>(element_count(weight.shape) * bytes_of(stored)));
    }
    header.all.resize(aligned(header.all.size()));
    AtomicFile file(path);
    file.write(header.all.data(), header.all.size());
    for (const WeightShape& weight : source.shapes) {
        std::string bytes = source.bytes(weight);
        bytes.resize(aligned(bytes.size()));
        file.write(bytes.data(), bytes.size());
    }
    file.commit();
}

}  // namespace tbt
