// Stop strings, streaming and limits. The judge is brute force over all stop
// strings and all places.
#include "tests/catch.hpp"

#include "chapters/09_stopping/stopping.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

namespace {

struct Cut {
    std::string bytes;  // before the stop string
    int which = -1;
};

// The definition, literally: the first place at which any stop string ends;
// of several that end there the longest.
Cut cut_by_brute_force(const std::string& text, const std::vector<std::string>& stops) {
    for (std::size_t end = 1; end <= text.size(); ++end) {
        int best = -1;
        for (std::size_t i = 0; i < stops.size(); ++i) {
            if (!text.substr(0, end).ends_with(stops[i])) continue;
            if (best < 0 || stops[i].size() > stops[index(best)].size()) best = static_cast<int>(i);
        }
        if (best >= 0) return {text.substr(0, end - stops[index(best)].size()), best};
    }
    return {text, -1};
}

// The longest end of the text that begins a stop string.
std::size_t tail_by_brute_force(const std::string& text, const std::vector<std::string>& stops) {
    std::size_t longest = 0;
    for (const std::string& s : stops) {
        for (std::size_t n = 1; n < s.size(); ++n) {
            if (text.ends_with(s.substr(0, n))) longest = std::max(longest, n);
        }
    }
    return longest;
}

struct Streamed {
    std::string text;
    int which = -1;
};

// Streams a text cut into pieces and checks, after each piece, that what was shown is right and
// nothing is held back longer than it must be.
Streamed stream(const std::vector<std::string>& pieces, const std::vector<std::string>& stops) {
    const StopStrings automaton(stops);
    TextStream s(automaton);
    std::string shown, read;
    for (const std::string& piece : pieces) {
        shown += s.push(piece);
        read += piece;
        if (find_invalid_utf8(shown) != std::string::npos) return {"a piece is not UTF-8", -2};
        if (!s.stopped()) {
            const std::string certain =
                read.substr(0, read.size() - tail_by_brute_force(read, stops));
            std::size_t complete = 0;
            while (complete < certain.size()) {
                const Utf8Head head = utf8_head(std::string_view(certain).substr(complete));
                if (head.kind == Utf8Head::cut) break;
                complete += head.length;
            }
            if (shown != valid_text(certain.substr(0, complete)))
                return {"held back too much or too little", -2};
        }
    }
    shown += s.finish();
    if (shown != s.text()) return {"the pieces do not join to the text", -2};
    return {shown, s.stop_string()};
}

std::vector<std::string> pieces_of(const std::string& text, unsigned long cuts) {
    std::vector<std::string> pieces(1);
    for (std::size_t i = 0; i < text.size(); ++i) {
        pieces.back() += text[i];
        if (cuts >> i & 1) pieces.emplace_back();
    }
    return pieces;
}

}  // namespace

TEST_CASE("a stop string is found across token boundaries and cut off") {
    const StopStrings stops({"\nUser:"});
    TextStream s(stops);
    REQUIRE(s.push("ok") == "ok");
    REQUIRE(s.push("\n") == "");
    REQUIRE(s.push("Us") == "");
    REQUIRE(s.push("er") == "");
    REQUIRE_FALSE(s.stopped());
    REQUIRE(s.push(": and then") == "");
    REQUIRE(s.stopped());
    REQUIRE(s.push("more") == "");
    REQUIRE(s.finish() == "");
    REQUIRE(s.text() == "ok");
}

TEST_CASE("a beginning that comes to nothing is shown after all") {
    const StopStrings stops({"\nUser:"});
    TextStream s(stops);
    REQUIRE(s.push("a\nUse") == "a");
    REQUIRE(s.push("d") == "\nUsed");
    REQUIRE(s.push("\n\nU") ==
            "\n");  // the second line break may begin a stop string, the first one not any more
    REQUIRE(s.waiting() == "\nU");
    REQUIRE(s.finish() == "\nU");
    REQUIRE(s.text() == "a\nUsed\n\nU");
}

TEST_CASE("the stop string that is complete first wins, not the one that begins first") {
    const std::vector<std::string> stops = {"abcd", "bc"};
    REQUIRE(stream({"xabcd"}, stops).text == "xa");
    REQUIRE(stream({"xabcd"}, stops).which == 1);
    REQUIRE(stream({"xab", "cd"}, stops).text == "xa");
}

TEST_CASE("of stop strings that are complete at the same byte the longest is cut off") {
    const std::vector<std::string> stops = {"User:", "\nUser:"};
    REQUIRE(stream({"ok\nUs", "er: x"}, stops).text == "ok");
    REQUIRE(stream({"ok\nUs", "er: x"}, stops).which == 1);
    REQUIRE(stream({"ok User: x"}, stops).text == "ok ");
}

TEST_CASE("a stop string that overlaps itself is found at its first completion") {
    REQUIRE(stream({"aa", "ba", "ab", "aab"}, {"aabaaab"}).which == -1);
    REQUIRE(stream({"aabaabaa", "ab"}, {"aabaaab"}).text == "aab");
    REQUIRE(stream({"ababa", "c"}, {"abac"}).text == "ab");
}

TEST_CASE("for every split of a text the streamed pieces join to the same text") {
    struct Example {
        std::string text;
        std::vector<std::string> stops;
    };
    // Characters of one to four bytes, stop strings that overlap, that are cut by nothing,
    // that contain characters of several bytes.
    const std::vector<Example> examples = {
        {"aé€🙂b", {}},
        {"é€🙂STOP€", {"STOP"}},
        {"a€b€€c", {"€€"}},
        {"aaabab", {"abab", "aab"}},
        {"é\nUser: x", {"\nUser:", "User:"}},
        {"x🙂🙃y", {"🙃"}},        // the two differ in their last byte only
        {"\xE2\x82 a\xFF\xC3", {" a"}},  // broken bytes: before and after a stop string
        {"\xE2\x82z\x80\xF0\x9F", {}},
        {"aaaa", {"aaaaa"}},
    };
    for (const Example& e : examples) {
        const Cut expected = cut_by_brute_force(e.text, e.stops);
        int failures = 0;
        for (unsigned long cuts = 0; cuts < 1ul << (e.text.size() - 1); ++cuts) {
            const Streamed got = stream(pieces_of(e.text, cuts), e.stops);
            failures += got.text != valid_text(expected.bytes) || got.which != expected.which;
        }
        INFO(e.text);
        REQUIRE(failures == 0);
    }
}

TEST_CASE("random texts, stop strings and splits agree with brute force") {
    // A tiny alphabet makes matches and near misses common; one letter has two bytes,
    // and stray halves of it occur.
    const std::vector<std::string> letters = {"a", "b", "é", "a", "b", "\xC3"};
    Rng rng(9);
    int stopped = 0;
    for (int trial = 0; trial < 3000; ++trial) {
        const auto letter = [&](std::uint64_t kinds) { return letters[rng.below(kinds)]; };
        std::string text;
        for (std::uint64_t n = rng.below(24); n > 0; --n) text += letter(6);
        std::vector<std::string> stops(rng.below(4));
        for (std::string& s : stops) {
            for (std::uint64_t n = 1 + rng.below(5); n > 0; --n) s += letter(3);
        }
        const Cut expected = cut_by_brute_force(text, stops);
        const Streamed got = stream(pieces_of(text, static_cast<unsigned long>(rng.next())), stops);
        REQUIRE(got.text == valid_text(expected.bytes));
        // Equal stop strings are one: compare what was found, not its place.
        REQUIRE((got.which < 0) == (expected.which < 0));
        if (got.which >= 0) REQUIRE(stops[index(got.which)] == stops[index(expected.which)]);
        stopped += got.which >= 0;
    }
    REQUIRE((stopped > 500 && stopped < 2500));  // both kinds of ending were tried
}

TEST_CASE("a character split across tokens is shown whole and never as U+FFFD") {
    const StopStrings none;
    TextStream s(none);
    REQUIRE(s.push("\xF0") == "");
    REQUIRE(s.push("\x9F\x99") == "");
    REQUIRE(s.push("\x82!") == "🙂!");
    REQUIRE(s.push("\xE2\x82") == "");
    REQUIRE(s.finish() == "\xEF\xBF\xBD");  // cut off for good: one replacement for the two bytes
}

TEST_CASE("broken bytes become U+FFFD as the Unicode standard recommends") {
    const std::string r = "\xEF\xBF\xBD";
    // The Unicode standard, version 15, table 3-8 and its neighbours.
    REQUIRE(valid_text("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64") ==
            "a" + r + r + r + "b" + r + "c" + r + r + "d");
    REQUIRE(valid_text("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41") ==
            r + r + r + r + r + r + r + r + "A");  // overlong forms
    REQUIRE(valid_text("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41") ==
            r + r + r + r + r + r + r + r + "A");  // surrogates
    REQUIRE(valid_text("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42") ==
            r + r + r + r + r + "A" + r + r + "B");
    REQUIRE(valid_text("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41") == r + r + r + r + "A");
}

TEST_CASE("every character of Unicode streams byte by byte") {
    std::string text;
    for (std::int32_t c = 0; c < 0x110000; c += c < 0x3000 ? 1 : 37) {
        if (c < 0xD800 || c > 0xDFFF) append_utf8(text, c);
    }
    const StopStrings none;
    TextStream s(none);
    std::size_t pieces = 0;
    for (const char byte : text) pieces += !s.push({&byte, 1}).empty();
    REQUIRE(s.finish().empty());
    REQUIRE(s.text() == text);
    REQUIRE(pieces > 0x3000);
}

TEST_CASE("stop strings that cannot work are refused") {
    REQUIRE_THROWS_AS(StopStrings({"a", ""}), UsageError);
    REQUIRE_THROWS_WITH(StopStrings({""}), Catch::Contains("empty"));
    REQUIRE_THROWS_WITH(StopStrings({"\xE2\x82"}), Catch::Contains("not valid UTF-8"));
    REQUIRE_THROWS_WITH(StopStrings({std::string(65537, 'a')}), Catch::Contains("65536"));
    const std::string longest(65536, 'a');
    const StopStrings fits({longest});
    TextStream s(fits);
    REQUIRE(s.push(longest.substr(1)).empty());
    s.push("a");
    REQUIRE((s.stopped() && s.text().empty()));
}

TEST_CASE("a text ends for the first reason that holds") {
    StopRules rules;
    rules.eos = {7, 9};
    rules.strings = StopStrings({"end"});
    rules.max_new_tokens = 4;
    rules.context = 10;
    TextStream running(rules.strings), stopped(rules.strings);
    stopped.push("the end");
    REQUIRE(why_stop(rules, 9, running, 4, 10) == FinishReason::eos);
    REQUIRE(why_stop(rules, 1, stopped, 4, 10) == FinishReason::stop_string);
    REQUIRE(why_stop(rules, 1, running, 4, 10) == FinishReason::length);
    REQUIRE(why_stop(rules, 1, running, 3, 10) == FinishReason::context);
    REQUIRE_FALSE(why_stop(rules, 1, running, 3, 9));
    rules.policy = ContextPolicy::slide;
    REQUIRE_FALSE(why_stop(rules, 1, running, 3, 10));
}
