// A plain mask over tokens: tries every token.
//
// A token is legal if the recognizer accepts all its bytes in turn; end-of-text is legal if the
// text may end here. The fast version, MaskCache (mask_cache.hpp), shares the work for tokens with
// a common prefix and caches its results; it gives the same masks.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

// For each token: may it come next? tokens: the bytes of each token; empty for special tokens,
// which never come. eos: the end-of-text token; −1 if there is none.
inline std::vector<bool> plain_mask(Recognizer& recognizer, Recognizer::State state,
                                    const std::vector<std::string>& tokens, int eos) {
    std::vector<bool> legal(tokens.size());
    for (std::size_t id = 0; id < tokens.size(); ++id)
        legal[id] =
            !tokens[id].empty() && read_bytes(recognizer, state, tokens[id]) != Recognizer::dead;
    if (eos != -1) legal[checked_id("mask", eos, tokens.size())] = recognizer.accepts(state);
    return legal;
}

// s_i ← −∞ for every token that is not legal
inline void plain_apply(const std::vector<bool>& legal, std::vector<float>& s) {
    check_size("mask", legal.size(), s.size());
    for (std::size_t id = 0; id < s.size(); ++id) {
        if (!legal[id]) s[id] = -std::numeric_limits<float>::infinity();
    }
}

}  // namespace tbt
