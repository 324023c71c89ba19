// A GPT with random weights, small enough to run in a moment.
#pragma once

#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

inline TransformerConfig tiny_config() { return gpt_config(2, 2, 16, 40, 50); }

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
