#include "lib/train/parameters.hpp"

#include <algorithm>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/model/model_config.hpp"

namespace tbt::train {

namespace {

void check(const char* name, std::int64_t value, bool good, const std::string& expected) {
    if (!good)
        throw Error(std::string("train: ") + name + " is " + std::to_string(value) + ", expected " +
                    expected);
}

void check_gpt2(const TransformerConfig& config) {
    const std::int64_t C = config.n_embd;
    check("embd", C, config.n_head >= 1 && C >= 1 && C % config.n_head == 0,
          "a multiple of heads, which is " + std::to_string(config.n_head));
    check("n_inner", config.n_inner, config.n_inner == 4 * C,
          std::to_string(4 * C) + ", four times embd");
    if (!config.tie_word_embeddings)
        throw Error("train: lm_head.weight is a matrix of its own, expected that of wte");
}

// Throws Error unless this is a Llama as in its paper, without the additions of other families.
void check_llama(const TransformerConfig& config) {
    const Architecture& a = config.architecture;
    check("heads", config.n_head, config.n_head >= 1, "1 or more");
    check("kv_heads", config.kv_heads(),
          config.kv_heads() >= 1 && config.n_head % config.kv_heads() == 0,
          "a divisor of heads, which is " + std::to_string(config.n_head));
    check("head_size", config.head_size(), config.head_size() >= 2 && config.head_size() % 2 == 0,
          "an even number, as positions turn pairs");
    check("the size of all queries", config.query_size(), config.query_size() % 16 == 0,
          "a multiple of 16");
    check("the size of all keys", config.kv_size(), config.kv_size() % 16 == 0,
          "a multiple of 16: more kv_heads, or larger ones");
    check("inner", config.n_inner,
          config.n_inner >= 16 && config.n_inner % 16 == 0 && config.n_inner <= 1 << 20,
          "a multiple of 16");
    Architecture plain = llama_config(config.n_layer, config.n_head, a.kv_heads, config.n_embd,
                                      config.n_inner, config.n_positions, config.vocab_size)
                             .architecture;
    plain.head_size = plain.rotary_size = a.head_size;
    if (a.rotaries.size() == 1) plain.rotaries = a.rotaries;
    if (a != plain)
        throw Error("train: this model of type " + a.model_type +
                    " has parts that training does not support, expected one of "
                    "these");
}

}  // namespace

void check_trainable(const TransformerConfig& config) {
    const std::int64_t C = config.n_embd;
    check("layers", config.n_layer, config.n_layer >= 1 && config.n_layer <= 1000, "1 to 1000");
    if (config.architecture.is_gpt2()) check_gpt2(config);
    else check_llama(config);
    check("embd", C, C >= 1 && C % 16 == 0 && C <= 65536,
          "a multiple of 16, the width of a vector");
    check("context", config.n_positions, config.n_positions >= 1 && config.n_positions <= 65536,
          "1 to 65536");
    check("vocab", config.vocab_size, config.vocab_size >= 2 && config.vocab_size <= 1'000'000,
          "2 to 1000000");
}

ParameterLayout::ParameterLayout(const TransformerConfig& config) {
    check_trainable(config);
    for (const auto& [name, shape] : weight_shapes(config)) add(name, shape);
}

void ParameterLayout::add(const std::string& name, const Shape& shape) {
    const std::int64_t size = element_count(shape);
    const bool matrix = shape.size() == 2;
    tensors.push_back({name, shape, total, size, matrix,
                       matrix && (name.starts_with("h.") || name.starts_with("model.layers."))});
    total += (size + 15) / 16 * 16;
}

const ParameterInfo& ParameterLayout::operator[](const std::string& name) const {
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const ParameterInfo& t) { return t.name == name; });
    if (found == tensors.end()) throw Error("train: there is no parameter named '" + name + "'");
    return *found;
}

std::int64_t ParameterLayout::count() const {
    std::int64_t n = 0;
    for (const ParameterInfo& t : tensors) n += t.size;
    return n;
}

void initialise(std::span<float> parameters, const ParameterLayout& layout,
                const TransformerConfig& config, std::uint64_t seed) {
    check_size("train: parameters", parameters.size(), index(layout.total));
    std::fill(parameters.begin(), parameters.end(), 0.0f);  // the gaps too
    Rng rng(seed, 0x696e6974);                              // a separate stream
    for (const ParameterInfo& t : layout.tensors) {
        const WeightStart start = weight_start(config, t.name);
        for (float& w : parameters.subspan(index(t.offset), index(t.size))) {
            w = start.deviation == 0 ? start.constant
                                     : static_cast<float>(start.deviation * rng.normal());
        }
    }
}

}  // namespace tbt::train
