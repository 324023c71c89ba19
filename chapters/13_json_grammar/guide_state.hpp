// Records for a trace what a guide (a grammar or schema) did before a token: the mask, the tokens
// it removed, and where the text is in the grammar.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/09_stopping/text_stream.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

// A function that says in words where a text is in its grammar; may be empty.
using StateWords = std::function<std::string(std::string_view text)>;

// The bytes that may come next, as ranges (first, last).
inline std::vector<std::pair<int, int>> next_bytes(Recognizer& recognizer, Recognizer::State here) {
    std::vector<std::pair<int, int>> ranges;
    for (int byte = 0; byte < 256; ++byte) {
        if (recognizer.next(here, static_cast<unsigned char>(byte)) == Recognizer::dead) continue;
        if (!ranges.empty() && ranges.back().second == byte - 1) ++ranges.back().second;
        else ranges.emplace_back(byte, byte);
    }
    return ranges;
}

inline std::string json_words(std::string_view text) { return valid_text(json_place(text)); }

// logits: the model's, before the mask. words: used if the text is not JSON; JSON has its own.
// Throws Error if there are fewer logits than tokens.
inline GuideState guide_state(GrammarMatcher& constraint, std::span<const float> logits,
                              const StateWords& words = {}) {
    constexpr std::size_t max_shares = 8;
    const TokenMask mask = constraint.mask();
    if (logits.size() < static_cast<std::size_t>(mask.size()))
        throw Error("guide state: got " + std::to_string(logits.size()) +
                    " logits, expected at least one for each of " + std::to_string(mask.size()) +
                    " tokens");
    CompiledGrammar& language = constraint.language();
    Recognizer& recognizer = language.recognizer();
    const Recognizer::State here = constraint.state();
    GuideState state;
    state.allowed = mask.count(), state.complete = constraint.complete();
    if (const int bytes = recognizer.closing_bytes(here); bytes < Recognizer::never)
        state.closing_bytes = bytes;
    if (const int tokens = language.closing().enough(here); tokens < Closing::never)
        state.closing_tokens = tokens;
    if (constraint.remaining() < GrammarMatcher::no_budget)
        state.remaining = constraint.remaining();
    state.bytes = next_bytes(recognizer, here);
    state.state = json_words(constraint.text());
    if (state.state.empty() && words) state.state = words(constraint.text());
    for (const Candidate& x : top_candidates(logits, static_cast<int>(logits.size()))) {
        std::vector<GuideState::Share>& side = mask.test(x.id) ? state.kept : state.removed;
        if (side.size() < max_shares) side.push_back({x.id, x.probability});
        if (state.kept.size() + state.removed.size() == 2 * max_shares) break;
    }
    return state;
}

}  // namespace tbt
