// A small model with random weights.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"

namespace tbt {

inline Tensor small_weight(const std::string& name, const Shape& shape) {
    Rng rng(7, std::hash<std::string>{}(name));
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
    return t;
}

// A model of random weights, or of others, over the tokens of a tokenizer.
inline Model small_model(Tokenizer tokenizer, const WeightSource& weights = small_weight) {
    TransformerConfig config = gpt_config(1, 2, 32, 64, tokenizer.vocab_size());
    config.n_inner = 64;
    config.eos_token_ids = {tokenizer.eos_id()};
    return {Transformer(config, weights, {1}), std::move(tokenizer)};
}

// The bytes and one end-of-text token.
inline Tokenizer byte_tokenizer() {
    Vocabulary vocabulary;
    for (int b = 0; b < 256; ++b) vocabulary.tokens.emplace_back(1, static_cast<char>(b));
    vocabulary.tokens.emplace_back("<|endoftext|>");
    vocabulary.added = {{256, true}};
    vocabulary.eos_id = 256;
    return Tokenizer(std::move(vocabulary));
}

inline Model small_model() { return small_model(byte_tokenizer()); }

}  // namespace tbt
