#include "chapters/13_json_grammar/guide_state.hpp"

#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/09_stopping/text_stream.hpp"
#include "lib/error.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

constexpr std::size_t most_shares = 8, longest_key = 30;

// Ranges of the bytes that may come next.
std::vector<std::pair<int, int>> next_bytes(Recognizer& recognizer, Recognizer::State here) {
    std::vector<std::pair<int, int>> ranges;
    for (int byte = 0; byte < 256; ++byte) {
        if (recognizer.next(here, static_cast<unsigned char>(byte)) == Recognizer::dead) continue;
        if (!ranges.empty() && ranges.back().second == byte - 1) ++ranges.back().second;
        else ranges.emplace_back(byte, byte);
    }
    return ranges;
}

// What is open in a JSON text: the last key of an object, or how many items of an array came.
struct Open {
    bool object = false;
    std::string key = {};
    int item = 1;
};

// Between the quotation marks of a string.
bool in_text(JsonRecognizer::Mode mode) {
    return mode >= JsonRecognizer::Mode::string && mode <= JsonRecognizer::Mode::after_f4;
}

std::string words_of(const std::vector<Open>& open, const std::string& mode) {
    std::string words = open[0].object ? "the object" : "the list";
    for (const Open& o : open) {
        if (!o.object) words += " › item " + std::to_string(o.item);
        else if (!o.key.empty()) words += " › " + o.key;
    }
    return words + ": " + mode;
}

}  // namespace

std::string json_words(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return "";
    JsonRecognizer recognizer(JsonOptions::rfc());
    Recognizer::State state = recognizer.start();
    std::vector<Open> open;
    for (const char c : text) {
        const JsonRecognizer::View was = JsonRecognizer::unpack(state);
        state = recognizer.next(state, static_cast<unsigned char>(c));
        if (state == Recognizer::dead) return "";
        const JsonRecognizer::View is = JsonRecognizer::unpack(state);
        if (is.is_key && in_text(is.mode)) {
            if (!in_text(was.mode)) open.back().key.clear();
            else if (open.back().key.size() < longest_key) open.back().key += c;
        }
        const std::size_t depth = recognizer.stack(state).size();
        if (depth > open.size()) open.push_back({c == '{'});
        else if (depth < open.size()) open.pop_back();
        else if (c == ',' && !in_text(was.mode) && !open.empty())
            ++open.back().item, open.back().key.clear();
    }
    for (Open& o : open) o.key = valid_text(o.key);
    const JsonRecognizer::View here = JsonRecognizer::unpack(state);
    if (in_text(here.mode) && here.is_key) return words_of(open, "in a key");
    if (open.empty()) return "complete";
    return words_of(open, JsonRecognizer::name(here.mode));
}

GuideState guide_state(GrammarMatcher& constraint, std::span<const float> logits,
                       const StateWords& words) {
    const TokenMask mask = constraint.mask();
    if (logits.size() < index(mask.size()))
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
    for (const Candidate& x : top_candidates(logits, to_int(logits.size()))) {
        std::vector<GuideState::Share>& side = mask.test(x.id) ? state.kept : state.removed;
        if (side.size() < most_shares) side.push_back({x.id, x.probability});
        if (state.kept.size() + state.removed.size() == 2 * most_shares) break;
    }
    return state;
}

}  // namespace tbt
