#include "lib/train/parameters.hpp"

#include <algorithm>

#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/model/start_weights.hpp"

namespace tbt::train {

void check_trainable(const GptConfig& config) {
    const auto check = [](const char* name, int value, bool good, const std::string& expected) {
        if (!good)
            throw Error(std::string("train: ") + name + " is " + std::to_string(value) +
                        ", expected " + expected);
    };
    const int C = config.n_embd;
    check("layers", config.n_layer, config.n_layer >= 1 && config.n_layer <= 1000, "1 to 1000");
    check("embd", C, config.n_head >= 1 && C >= 1 && C % config.n_head == 0,
          "a multiple of heads, which is " + std::to_string(config.n_head));
    check("embd", C, C % 16 == 0 && C <= 65536, "a multiple of 16, the width of a vector");
    check("context", config.n_positions, config.n_positions >= 1 && config.n_positions <= 65536,
          "1 to 65536");
    check("vocab", config.vocab_size, config.vocab_size >= 2 && config.vocab_size <= 1'000'000,
          "2 to 1000000");
    check("n_inner", config.n_inner, config.n_inner == 4 * C,
          std::to_string(4 * C) + ", four times embd");
    if (!config.tie_word_embeddings)
        throw Error("train: lm_head.weight is a matrix of its own, expected that of wte");
}

ParameterLayout::ParameterLayout(const GptConfig& config) {
    check_trainable(config);
    for (const auto& [name, shape] : weight_shapes(config)) add(name, shape);
}

void ParameterLayout::add(const std::string& name, const Shape& shape) {
    const std::int64_t size = element_count(shape);
    tensors.push_back({name, shape, total, size, shape.size() == 2});
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

void initialise(std::span<float> parameters, const ParameterLayout& layout, const GptConfig& config,
                std::uint64_t seed) {
    check_size("train: parameters", parameters.size(), index(layout.total));
    std::fill(parameters.begin(), parameters.end(), 0.0f);  // the gaps too
    Rng rng(seed, 0x696e6974);                              // a stream of its own
    for (const ParameterInfo& t : layout.tensors) {
        const WeightStart start = weight_start(config, t.name);
        for (float& w : parameters.subspan(index(t.offset), index(t.size))) {
            w = start.deviation == 0 ? start.constant
                                     : static_cast<float>(start.deviation * rng.normal());
        }
    }
}

}  // namespace tbt::train
