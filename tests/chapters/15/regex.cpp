#include "tests/catch.hpp"

#include <ctime>
#include <regex>

#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/takes.hpp"

using namespace tbt;

namespace {

struct Case {
    const char* pattern;
    testing::Texts yes, no;
};

std::string random_pattern(Rng& rng, int depth) {
    const auto letter = [&] { return std::string(1, "abc1-"[rng.below(5)]); };
    switch (rng.below(depth > 2 ? 4 : 9)) {
        case 0:
        case 1:
            return letter();
        case 2:
            return std::vector<std::string>{".",    "\\d",    "\\w",          "[ab]",
                                            "[^a]", "[a-c1]", "(?:[\\s\\S]*)"}[rng.below(7)];
        case 3:
            return depth == 0 ? "" : letter();
        case 4:
            return random_pattern(rng, depth + 1) + random_pattern(rng, depth + 1);
        case 5:
            return "(?:" + random_pattern(rng, depth + 1) + "|" + random_pattern(rng, depth + 1) +
                   ")";
        case 6:
            return "(" + random_pattern(rng, depth + 1) + ")" +
                   std::vector<std::string>{"*", "+", "?", "{2}", "{1,}", "{0,2}"}[rng.below(6)];
        case 7:
            return "(?:" + random_pattern(rng, depth + 1) + ")" +
                   std::vector<std::string>{"*?", "+?", "{1,2}?"}[rng.below(3)];
        default:
            return random_pattern(rng, depth + 1) + letter();
    }
}

}  // namespace

TEST_CASE("a regular expression matches the whole text") {
    const std::vector<Case> cases = {
        {"", {""}, "a"},
        {"abc", "abc", "ab | abcd | xabc"},
        {"a|bc|", "a | bc | ", "b | ac"},
        {"^abc$", "abc", "abcd"},
        {"^a|b$", "a | b", "ab"},
        {"a$b", {}, {"ab", "a", "a\nb"}},
        {"(^|x)a", "a | xa", "ya"},
        {".", {"a", "\xc3\xa9", "\xf0\x9f\x98\x80", "\t"}, {"\n", "\r", "\xe2\x80\xa8", "ab", ""}},
        {"[^a]", {"b", "\n", "\xc3\xa9"}, "a | "},
        {"\\d{3}-\\d{4}", "555-1234", "55-1234 | 555-123 | ١١١-1111"},
        {"\\w+\\W\\s\\S", "ab_9! x", "ab   | a!x "},
        {"[\\d\\-x]+", "1-x | x", R"(y | \)"},
        {"[a\\]\\\\^]+", R"(a]\^)", "b"},
        {"[-a]+[a-]", "-a | aa-", "b"},
        {"\\x41\\u00e9\\u{1F600}\\uD83D\\uDE00", "Aé😀😀", "A"},
        {"\\n\\t\\r\\f\\v\\0\\/\\.\\*", {std::string("\n\t\r\f\v\0/.*", 9)}, "n"},
        {"\\p{L}+\\P{L}", "aBé1", "1 | a"},
        {"\\p{Lu}\\p{Lowercase_Letter}[\\p{N}_]", "Éé5 | Ab_", "ab5 | Abx"},
        {"(?:ab)+(?<name>c)(d)", "abcd | ababcd", "abc"},
        {"a{2}b{1,}c{0,2}d{0}", "aab | aabbcc", "ab | aabccc | aabd"},
        {"\\$\\^\\{\\}", "$^{}", "$"},
        {"^}|]a{x}{,b}{,1{1,2,3}{$", "} | ]a{x}{,b}{,1{1,2,3}{", " | ]ax"},
        {"(?P<n>a)|[{,3}]b", "a | {b | 3b", "b"},
        {"\\Aa\\Z|(?!\\A)b", "a", "b | aa"},
        {"\xc3\xa9{2}", "éé", "é"},
        {"[\xc3\xa0-\xc3\xbc]", "é", "e | ÿ"},
    };
    for (const Case& c : cases) {
        const Dfa dfa = regex_full_match(c.pattern);
        testing::check_takes(
            c.pattern, [&](const std::string& text) { return dfa.accepts(text); }, c.yes, c.no);
    }
}

TEST_CASE("what an automaton cannot do, or nobody wrote yet, is refused by name with its column") {
    const std::vector<std::pair<const char*, const char*>> cases = {
        {"(a)\\1", "column 4: a back reference"},
        {"(?<x>a)\\k<x>", "back reference"},
        {"a(?=(?<=a)b)", "column 11: a look-behind inside a look-ahead"},
        {"a(?!(?<!a)b)", "inside a look-ahead"},
        {"(?<=a$)b", "$ or a look-ahead inside a look-behind"},
        {"(?<!a(?=b))b", "inside a look-behind"},
        {"a(?=\\b)", "\\b inside a look-around"},
        {"(?=a)*b", "cannot be repeated"},
        {"(?!a", "expected ')'"},
        {"(?i)a", "flags"},
        {"a++", "possessive"},
        {"a**", "repetition of a repetition"},
        {"a{,3}", "column 2: {,n} has two meanings; write {0,n} to repeat, or \\{"},
        {"(?:a+|{,})", "{,n} has two meanings"},
        {"(?P=n)", "flags"},
        {"*a", "nothing to repeat"},
        {"a|+", "nothing to repeat"},
        {"(a", "expected ')'"},
        {"a)", "')' without"},
        {"[a", "expected ']'"},
        {"[z-a]", "range"},
        {"a{2,1}", "maximum is smaller than its minimum"},
        {"a{99999}", "10000"},
        {"\\", "expected a character"},
        {"\\q", "\\q"},
        {"\\x4", "hexadecimal"},
        {"\\u{110000}", "not a Unicode character"},
        {"\\uD800", "not a Unicode character"},
        {"\\ud800\\u0041", "without a low surrogate"},
        {"[\\ud83d\\ue000]", "without a low surrogate"},
        {"\\p{Script=Greek}", "Script=Greek"},
        {"^*", "anchor"},
        {"{2}", "nothing to repeat"},
        {"\\01", "octal"}};
    for (const auto& [pattern, message] : cases) {
        INFO(pattern);
        CHECK_THROWS_AS(parse_regex(pattern), UsageError);
        CHECK_THROWS_WITH(parse_regex(pattern), Catch::Contains(message));
    }
    REQUIRE_THROWS_WITH(regex_full_match("(a|b)*a(a|b){40}"), Catch::Contains("states"));
    REQUIRE_THROWS_AS(regex_full_match("\xff"), UsageError);
}

TEST_CASE(
    "random regular expressions agree with those of the standard library, whole and searched") {
    Rng rng(40);
    int yes = 0, no = 0;
    for (int i = 0; i < 400; ++i) {
        std::string pattern = random_pattern(rng, 0);
        if (rng.below(4) == 0) pattern = "^" + pattern;
        if (rng.below(4) == 0) pattern += "$";
        INFO(pattern);
        const std::regex standard(pattern);
        const Dfa whole = regex_full_match(pattern), search = regex_search(pattern);
        for (int t = 0; t < 40; ++t) {
            std::string text;
            for (std::uint64_t n = rng.below(6); n > 0; --n) text += "abc1-"[rng.below(5)];
            INFO(text);
            const bool expected = std::regex_match(text, standard);
            REQUIRE(whole.accepts(text) == expected);
            REQUIRE(search.accepts(text) == std::regex_search(text, standard));
            expected ? ++yes : ++no;
        }
    }
    REQUIRE((yes > 500 && no > 500));
}

TEST_CASE("regular languages can be united, intersected, subtracted and denied") {
    Rng rng(41);
    for (int i = 0; i < 60; ++i) {
        const Dfa a = regex_full_match(random_pattern(rng, 0)),
                  b = regex_full_match(random_pattern(rng, 0));
        const Dfa both = a & b, either = a | b, rest = a - b, not_a = complement(a);
        for (int t = 0; t < 30; ++t) {
            std::string text;
            for (std::uint64_t n = rng.below(5); n > 0; --n) text += "abc1-"[rng.below(5)];
            const bool in_a = a.accepts(text), in_b = b.accepts(text);
            REQUIRE(both.accepts(text) == (in_a && in_b));
            REQUIRE(either.accepts(text) == (in_a || in_b));
            REQUIRE(rest.accepts(text) == (in_a && !in_b));
            REQUIRE(not_a.accepts(text) == !in_a);
        }
    }
    REQUIRE((regex_full_match("a+") & regex_full_match("b+")).empty());
    REQUIRE((regex_full_match("a{2,4}") - regex_full_match("a*")).empty());
    REQUIRE(complement(Dfa::anything()).empty());
    REQUIRE(complement(Dfa{}).accepts("x"));
}

TEST_CASE("sets of code points and their UTF-8 are the same set") {
    Rng rng(42);
    for (int i = 0; i < 30; ++i) {
        CodePointSet set;
        for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
            const auto low =
                static_cast<std::int32_t>(rng.below(rng.below(2) == 0 ? 0x300 : 0x110000));
            set.add(low, std::min<std::int32_t>(CodePointSet::highest,
                                                low + static_cast<std::int32_t>(rng.below(
                                                          rng.below(2) == 0 ? 40 : 70000))));
        }
        std::int64_t spelled = 0;
        for (const ByteSequence& s : utf8_sequences(set)) {
            std::int64_t product = 1;
            for (const ByteChoice& choice : s) product *= choice[0].high - choice[0].low + 1;
            spelled += product;
        }
        REQUIRE(spelled == set.count());
        Grammar grammar;
        const int start = grammar.add_node(), rule = grammar.add_rule("set"),
                  end = grammar.sequences(start, utf8_sequences(set), grammar.add_node());
        grammar.rule(rule).start = start;
        grammar.node(end).final = true;
        grammar.finish(rule);
        GrammarRecognizer recognizer(std::move(grammar));
        for (int t = 0; t < 300; ++t) {
            auto c = static_cast<std::int32_t>(rng.below(0x110000));
            if (t % 3 == 0)
                c = std::min(CodePointSet::highest,
                             set.ranges()[rng.below(set.ranges().size())].high +
                                 static_cast<std::int32_t>(rng.below(2)));
            if (c >= 0xd800 && c <= 0xdfff) continue;
            std::string text;
            append_utf8(text, c);
            REQUIRE(accepts_text(recognizer, text) == set.contains(c));
        }
        REQUIRE((set & set.complement()).empty());
        CodePointSet all = set;
        all.add(set.complement());
        REQUIRE(all == CodePointSet::all());
    }
}

TEST_CASE("an expression that would take minutes is refused within seconds, in a line") {
    // (.{0,100}y?){100} took more than ten minutes.
    std::vector<std::string> patterns{"(x|\\p{L}{1,200}|\\p{Lu}{1,200}y){1,20}",
                                      "((a{0,50}){0,50}){0,50}"};
    if (std::getenv("TBT_FULL")) patterns.push_back("(.{0,100}y?){100}");
    for (const std::string& pattern : patterns) {
        INFO(pattern);
        const std::clock_t start = std::clock();
        REQUIRE_THROWS_AS(regex_full_match(pattern), TooLarge);
        CHECK(std::clock() - start < 30 * CLOCKS_PER_SEC);  // of work: some seconds
    }
    REQUIRE(regex_full_match("(\\w+\\s?){0,80}").accepts("two words"));
}

TEST_CASE("a search that has found its text looks for no other") {
    // The beginning, a state for each position of the pattern, and one from there on.
    CHECK(regex_search("abc").states.size() == 5);
    CHECK(regex_search("[a-z]{20}").states.size() == 22);
    // As schemas ask for addresses: some seconds where the search went on.
    const Dfa address =
        regex_search("[-a-z0-9@:%._~#=]{1,256}\\.[a-z0-9()]{1,6}\\b([-a-z0-9.?/]*)");
    CHECK(address.states.size() < 2500);
    CHECK(address.accepts("see www.example.org/a?"));
    CHECK_FALSE(address.accepts("see www. example"));
}

TEST_CASE("a category that is named a thousand times is collected once") {
    std::string pattern = "x";
    for (int i = 0; i < 1000; ++i) pattern += "|\\p{L}" + std::to_string(i % 10);
    const std::clock_t start = std::clock();
    REQUIRE(regex_full_match(pattern).accepts("é7"));
    // Half a second; 20 and more where each was collected anew.
    CHECK(std::clock() - start < 10 * CLOCKS_PER_SEC);
}

TEST_CASE("a letter in its shortest spelling is one of its spellings, and none is shorter") {
    const auto stands_for = [](const ByteSequence& sequence, const std::string& text) {
        bool all = sequence.size() == text.size();
        for (std::size_t i = 0; all && i < text.size(); ++i) {
            const auto byte = static_cast<std::uint8_t>(text[i]);
            all = std::any_of(sequence[i].begin(), sequence[i].end(),
                              [&](const ByteRange& r) { return r.low <= byte && byte <= r.high; });
        }
        return all;
    };
    std::vector<std::int32_t> letters{0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff};
    for (std::int32_t c = 0; c < 0x180; ++c) letters.push_back(c);
    for (const Spelling spelling : {Spelling::utf8, Spelling::json}) {
        for (const std::int32_t c : letters) {
            INFO("U+" << std::hex << c);
            const std::string text = shortest_spelling(c, spelling);
            int ways = 0;
            for (const ByteSequence& way : spell(CodePointSet(c, c), spelling)) {
                CHECK(way.size() >= text.size());
                ways += stands_for(way, text);
            }
            CHECK(ways == 1);
        }
    }
    CHECK(shortest_spelling('\n', Spelling::json) == "\\n");
    CHECK(shortest_spelling(0x1f, Spelling::json) == "\\u001f");
    CHECK_THROWS_AS(shortest_spelling(0xd800, Spelling::json), Error);
}

TEST_CASE("a hyphen beside a class such as \\w is a character") {
    for (const char* pattern : {"[\\w-.]+", "[.-\\w]+", "[\\s-\\w.]+"}) {
        INFO(pattern);
        const Dfa dfa = regex_full_match(pattern);
        CHECK(dfa.accepts("a-b.9"));
        CHECK_FALSE(dfa.accepts("a/b"));
        CHECK_FALSE(dfa.accepts("a+b"));
    }
    CHECK_THROWS_WITH(regex_full_match("[z-a]"), Catch::Contains("end comes before"));
}
