// A GPT with random weights, small enough to run in a moment.
#pragma once

#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

inline TransformerConfig tiny_config() {
    TransformerConfig config;
    config.vocab_size = 50;
    config.n_positions = 40;
    config.n_embd = 16;
    config.n_layer = 2;
    config.n_head = 2;
    config.n_inner = 64;
    return config;
}

inline Transformer tiny_gpt() {
    return Transformer(tiny_config(), [](const std::string& name, const Shape& shape) {
        Rng rng(name.size(), static_cast<std::uint64_t>(name[name.size() / 2]));
        Tensor t(shape);
        for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.4);
        return t;
    });
}

inline std::vector<float> fresh_logits(Transformer& gpt, const std::vector<int>& ids) {
    KvCache cache(gpt.config());
    const auto logits = gpt.forward(cache, ids);
    return {logits.begin(), logits.end()};
}

}  // namespace tbt
