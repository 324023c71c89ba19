// Vocabularies of the size of GPT-2's and of Qwen 2.5's, for masks.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt::bench {

// The bytes of each token; none of special ones, and of ids from the vocabulary's end to `size`.
inline std::vector<std::string> tokens_of(const std::string& directory, std::size_t size = 0) {
    const Tokenizer tokenizer = Tokenizer::load(directory);
    std::vector<std::string> tokens(std::max(size, index(tokenizer.vocab_size())));
    for (int id = 0; id < tokenizer.vocab_size(); ++id)
        if (!tokenizer.is_special(id)) tokens[index(id)] = tokenizer.token_bytes(id);
    return tokens;
}

// Made-up words of letters; the last has no text.
inline std::vector<std::string> made_up_tokens(std::size_t size) {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    Rng rng(1);
    while (tokens.size() < size - 1) {
        std::string word = rng.below(2) == 0 ? " " : "";
        for (std::uint64_t n = 1 + rng.below(8); n > 0; --n)
            word += "etaoinshrdlucmfwypvbgkjqxz\"{}[]:,"[rng.below(rng.below(8) == 0 ? 33 : 26)];
        tokens.push_back(word);
    }
    tokens.emplace_back();
    return tokens;
}

// GPT-2's vocabulary where it is at hand, else made-up words, so that there are as many tokens.
inline std::vector<std::string> vocabulary(std::string& name) {
    for (const char* directory : {"tests/data/gpt2-tokenizer", "../shared/golden/gpt2-tokenizer"}) {
        if (!file_exists(join_path(directory, "merges.txt"))) continue;
        name = "GPT-2's vocabulary";
        return tokens_of(directory);
    }
    name = "a made-up vocabulary";
    return made_up_tokens(50257);
}

// The same with as many as Qwen 2.5 has logits.
inline std::vector<std::string> large_vocabulary(std::string& name) {
    constexpr std::size_t size = 151936;
    const char* const directory = "../shared/golden/tokenizers/qwen2.5";
    const bool at_hand = file_exists(join_path(directory, "tokenizer.json"));
    name = at_hand ? "Qwen 2.5's vocabulary" : "a made-up vocabulary";
    return at_hand ? tokens_of(directory, size) : made_up_tokens(size);
}

}  // namespace tbt::bench
