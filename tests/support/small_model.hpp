// A small model with random weights.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// A model of random weights over the tokens of a tokenizer.
inline Model small_model(Tokenizer tokenizer) {
    TransformerConfig config;
    config.vocab_size = tokenizer.vocab_size();
    config.n_positions = 64;
    config.n_embd = 32;
    config.n_layer = 1;
    config.n_head = 2;
    config.n_inner = 64;
    config.eos_token_ids = {tokenizer.eos_id()};
    const WeightSource source = [](const std::string& name, const Shape& shape) {
        Rng rng(7, std::hash<std::string>{}(name));
        Tensor t(shape);
        for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
        return t;
    };
    return {Transformer(config, source, {1}), std::move(tokenizer)};
}

// Over the bytes and one end-of-text token.
inline Model small_model() {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.tokens.emplace_back(1, static_cast<char>(b));
    vocabulary.tokens.emplace_back("<|endoftext|>");
    vocabulary.added = {{256, true}};
    vocabulary.eos_id = 256;
    return small_model(Tokenizer(std::move(vocabulary)));
}

}  // namespace tbt
