// Heads with random weights for a model in a directory, written as those that ship are.
#pragma once

#include <string>
#include <vector>

#include "chapters/21_medusa/heads.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"

namespace tbt::test {

// They draft every third id, 'a' to 'z', and the last id, which ends a text.
inline void write_random_heads(const std::string& directory, const std::string& target, int heads,
                               std::uint64_t seed) {
    const TransformerConfig of = read_model_config(target);
    HeadsConfig config{{heads, of.n_embd, 16}, {}, hash_of_weights(target), {}};
    for (int id = 0; id < of.vocab_size; ++id)
        if (id % 3 == 0 || (id >= 'a' && id <= 'z') || id == of.vocab_size - 1)
            config.drafted.push_back(id);
    config.acceptance.assign(index(heads), {.4, .3, .2, .1});
    std::vector<std::vector<float>> values;
    std::vector<TensorToWrite> tensors;
    Rng rng(seed);
    const std::vector<HeadsShape::Weight> weights = config.shape.weights();
    values.reserve(weights.size());
    for (const HeadsShape::Weight& weight : weights) {
        std::int64_t size = 1;
        for (const std::int64_t d : weight.shape) size *= d;
        std::vector<float>& own = values.emplace_back(index(size));
        for (float& x : own) x = static_cast<float>(rng.normal() * 0.3);
        tensors.push_back({weight.name, weight.shape, own, WeightType::f32});
    }
    make_directory(directory);
    write_safetensors(join_path(directory, "model.safetensors"), std::move(tensors));
    write_heads_config(directory, config);
}

}  // namespace tbt::test
