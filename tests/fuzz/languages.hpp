// Targets that read a language, and texts in it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "lib/core/rng.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/json/json.hpp"
#include "tests/fuzz/targets.hpp"

namespace tbt::fuzz {

// Longer ways to the end are not walked: where a grammar can be read in many ways at once, what is
// remembered of a text grows with the square of its length.
constexpr int max_closing_bytes = 4000;
// Nor grammars of more nodes than this: repeats of repeats copy a rule a million times, and each
// copy is a derivation of its own.
constexpr int max_walked_nodes = 50'000;

// A walk that always ends: what the recognizer says of the way to the end must hold.
inline std::string walk(Recognizer& recognizer, std::uint64_t seed, int budget) {
    Rng rng(seed);
    std::string text;
    Recognizer::State at = recognizer.start();
    if (at == Recognizer::dead || recognizer.closing_bytes(at) > max_closing_bytes) return "";
    for (;;) {
        const int left = recognizer.closing_bytes(at);
        promise(left < Recognizer::never, "a living state can be closed");
        promise((left == 0) == recognizer.accepts(at),
                "nothing is left exactly where a text may end");
        const bool closes = count(text) + left >= budget;
        if (recognizer.accepts(at) && (closes || rng.below(4) == 0)) return text;
        // A byte that may come; on the way to the end one that leads nearer.
        const int first = to_int(rng.below(256));
        int chosen = -1;
        for (int i = 0; i < 256 && chosen < 0; ++i) {
            const int byte = (first + i) % 256;
            const Recognizer::State next = recognizer.next(at, static_cast<unsigned char>(byte));
            if (next == Recognizer::dead || recognizer.closing_bytes(next) > max_closing_bytes)
                continue;
            if (!closes || recognizer.closing_bytes(next) < left) chosen = byte;
        }
        if (chosen < 0 && recognizer.accepts(at)) return text;
        promise(chosen >= 0, "a text that may not end may go on");
        at = recognizer.next(at, static_cast<unsigned char>(chosen));
        text += static_cast<char>(chosen);
    }
}

// None where a number is too large for the other parser, and the grammar knows no such border.
inline std::optional<bool> parser_takes(std::string_view bytes) {
    // It takes a zero byte for the end of the text.
    if (bytes.find('\0') != std::string_view::npos) return false;
    try {
        const auto read = nlohmann::json::parse(bytes);
        return true;
    } catch (const nlohmann::json::out_of_range&) {
        return std::nullopt;
    } catch (const nlohmann::json::exception&) {
        return false;
    }
}

inline void read_json_text(std::string_view bytes) {
    JsonRecognizer recognizer(JsonOptions::rfc());
    const bool ours = accepts_text(recognizer, bytes);
    // The other parser refuses lone surrogates, and takes a byte order mark; and any depth.
    if (find_invalid_utf8(bytes) == std::string_view::npos && !bytes.starts_with("\xEF\xBB\xBF")) {
        JsonRecognizer strict(JsonOptions{-1, false, false});
        const std::optional<bool> parsed = parser_takes(bytes);
        promise(!parsed || accepts_text(strict, bytes) == *parsed,
                "JSON is what the other parser takes");
    } else {
        promise(!ours, "JSON is UTF-8");
    }
    parse_json(bytes, "fuzz");
}

inline void read_gbnf(std::string_view bytes) {
    GrammarRecognizer recognizer(compile_gbnf(bytes, "fuzz"));
    if (recognizer.grammar().nodes() > max_walked_nodes) return;
    for (std::uint64_t seed = 0; seed < 2; ++seed)
        promise(accepts_text(recognizer, walk(recognizer, seed, 40)) ||
                    recognizer.closing_bytes(recognizer.start()) > max_closing_bytes,
                "a walk is in the language");
}

inline void read_regex(std::string_view bytes) {
    const Dfa dfa = regex_full_match(bytes);
    if (dfa.empty()) return;
    GrammarRecognizer recognizer(grammar_of(dfa));
    for (std::uint64_t seed = 0; seed < 2; ++seed)
        promise(dfa.accepts(walk(recognizer, seed, 40)) ||
                    recognizer.closing_bytes(recognizer.start()) > max_closing_bytes,
                "a walk matches");
}

inline void read_schema(std::string_view bytes) {
    SchemaOptions options;
    options.warn = [](const std::string&) {};
    GrammarRecognizer recognizer(compile_schema(std::string(bytes), options));
    for (std::uint64_t seed = 0; seed < 2; ++seed) {
        const std::string text = walk(recognizer, seed, 60);
        if (!text.empty()) promise(nlohmann::json::accept(text), "a walk is JSON");
    }
}

}  // namespace tbt::fuzz
