// A vocabulary of the size of GPT-2's, for masks.
#pragma once

#include <string>
#include <vector>

#include "lib/kernels/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt::bench {

// GPT-2's vocabulary where it is at hand, else made-up words of letters,
// so that there are as many tokens.
inline std::vector<std::string> vocabulary(std::string& name) {
    for (const char* directory : {"tests/data/gpt2-tokenizer", "../shared/golden/gpt2-tokenizer"}) {
        if (!file_exists(join_path(directory, "merges.txt"))) continue;
        name = "GPT-2's vocabulary";
        const Tokenizer tokenizer = Tokenizer::load(directory);
        std::vector<std::string> tokens(static_cast<std::size_t>(tokenizer.vocab_size()));
        for (int id = 0; id < tokenizer.vocab_size(); ++id)
            tokens[static_cast<std::size_t>(id)] =
                tokenizer.is_special(id) ? "" : tokenizer.token_bytes(id);
        return tokens;
    }
    name = "a made-up vocabulary";
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    Rng rng(1);
    while (tokens.size() < 50256) {
        std::string word = rng.below(2) == 0 ? " " : "";
        for (std::uint64_t n = 1 + rng.below(8); n > 0; --n)
            word += "etaoinshrdlucmfwypvbgkjqxz\"{}[]:,"[rng.below(rng.below(8) == 0 ? 33 : 26)];
        tokens.push_back(word);
    }
    tokens.emplace_back();
    return tokens;
}

}  // namespace tbt::bench
