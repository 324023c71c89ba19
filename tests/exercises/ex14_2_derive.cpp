// Exercise 14_2: derivations by hand, and against chapter 14's.
#include "14_2_derive.hpp"
#include "chapters/14_grammar/plain_grammar.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex14_2;

namespace {

const Rules sums = {{'S', {"N", "N+S"}}, {'N', {"D", "DN"}}, {'D', {"0", "1"}}};

std::string shown(const Rests& derivations) {
    std::string line;
    for (const std::string& d : derivations) line += (line.empty() ? "\"" : ", \"") + d + '"';
    return "{" + line + "}";
}

std::string shown(const Rules& rules) {
    std::string text;
    for (const auto& [name, alternatives] : rules) {
        text += std::string("\n    ") + name + ":";
        for (const std::string& a : alternatives) text += " \"" + a + '"';
    }
    return text;
}

void expect_same(const std::string& what, const Rests& got, const Rests& expected,
                 const char* think) {
    INFO(what);
    THINK(think);
    CHECK(got == expected);
}

void expect_text(const Rules& rules, const std::string& text, bool expected, const char* think) {
    INFO("rules:" << shown(rules));
    THINK(think);
    INPUT(text);
    CHECK(accepts(rules, text) == expected);
}

// The same rules for chapter 14: S is rule 0, and the others follow.
PlainGrammar plain_of(const Rules& rules) {
    const std::string names = "SABC";
    PlainGrammar grammar(names.size());
    for (const auto& [name, alternatives] : rules) {
        for (const std::string& alternative : alternatives) {
            Symbols symbols;
            for (const char c : alternative) {
                const std::size_t rule = names.find(c);
                if (rule == std::string::npos) symbols.push_back({c, c, -1});
                else symbols.push_back({0, 0, static_cast<int>(rule)});
            }
            grammar[names.find(name)].push_back(symbols);
        }
    }
    return grammar;
}

// A rule calls only later ones before it has read a letter, and every one after it.
Rules random_rules(Rng& rng) {
    const std::string names = "SABC";
    Rules rules;
    for (std::size_t r = 0; r < names.size(); ++r) {
        for (std::uint64_t n = 1 + rng.below(3); n > 0; --n) {
            std::string text;
            if (rng.below(4) == 0 && r + 1 < names.size())
                text += names[r + 1 + rng.below(names.size() - r - 1)];
            if (!text.empty() || rng.below(5) > 0) {
                text += "ab"[rng.below(2)];
                for (std::uint64_t k = rng.below(3); k > 0; --k) text += "abSABC"[rng.below(6)];
            }
            rules[names[r]].push_back(text);
        }
    }
    return rules;
}

}  // namespace

TEST_CASE("what begins with a byte, or with nothing, is unfolded already", "[ex14_2]") {
    expect_same("of \"1N\"", unfold(sums, {"1N"}), {"1N"}, "only a rule at the front is replaced");
    expect_same("of \"\"", unfold(sums, {""}), {""}, "nothing to come is a derivation as well");
    expect_same("of no derivation", unfold(sums, {}), {}, "nothing in, nothing out");
}

TEST_CASE("a rule at the front is replaced by each of its alternatives, again and again",
          "[ex14_2]") {
    expect_same("of \"D+S\"", unfold(sums, {"D+S"}), {"0+S", "1+S"},
                "what follows the rule still follows it");
    expect_same("of \"N\"", unfold(sums, {"N"}), {"0", "1", "0N", "1N"},
                "an alternative may begin with a rule too");
    expect_same("of \"S\"", unfold(sums, {"S"}),
                {"0", "1", "0N", "1N", "0+S", "1+S", "0N+S", "1N+S"}, "all alternatives of all");
    expect_same("with S: \"Ab\", A: \"\" or \"a\"",
                unfold({{'S', {"Ab"}}, {'A', {"", "a"}}}, {"S"}), {"b", "ab"},
                "an empty alternative leaves what follows the rule");
    expect_same("with S: \"AA\", A: \"\" or \"a\"",
                unfold({{'S', {"AA"}}, {'A', {"", "a"}}}, {"S"}), {"", "a", "aA"},
                "after an empty alternative another rule may be next");
}

TEST_CASE("a byte is taken off the derivations that begin with it; the others end", "[ex14_2]") {
    const Rests start = {"0", "1", "0N", "1N", "0+S", "1+S", "0N+S", "1N+S"};
    expect_same("after 1", step(sums, start, '1'),
                {"", "+S", "0", "1", "0N", "1N", "0+S", "1+S", "0N+S", "1N+S"},
                "what is left may begin with a rule: unfold it");
    expect_same("after 1+", step(sums, step(sums, start, '1'), '+'), start,
                "only one derivation begins with a plus");
    expect_same("after +", step(sums, start, '+'), {}, "no sum begins with a plus");
    expect_same("after a byte, where nothing may come", step(sums, {""}, '0'), {},
                "an empty derivation has no first byte");
}

TEST_CASE("a text is in the language when nothing may be left to come", "[ex14_2]") {
    for (const char* text : {"0", "1", "10", "1+1", "101+0+11"})
        expect_text(sums, text, true, "one derivation is used up");
    for (const char* text : {"", "+", "1+", "1++1", "2", "1 "})
        expect_text(sums, text, false, "the derivations after it all want more, or there are none");
    expect_text({{'S', {"", "aSb"}}}, "", true, "the empty text can be derived");
    expect_text({{'S', {"", "aSb"}}}, "aabb", true, "what is left grows and shrinks");
    expect_text({{'S', {"", "aSb"}}}, "aab", false, "one b is still to come");
}

TEST_CASE("on random rules you follow the derivations that chapter 14 follows", "[ex14_2]") {
    Rng rng(142);
    for (int i = 0; i < 300; ++i) {
        const Rules rules = random_rules(rng);
        const PlainGrammar grammar = plain_of(rules);
        std::string text;
        auto theirs = tbt::unfolded(grammar, {{{0, 0, 0}}});
        Rests yours = unfold(rules, {"S"});
        while (!theirs.empty() && theirs.size() < 100 && text.size() < 8) {
            INFO("rules:" << shown(rules) << "\nafter \"" << text << "\" there are "
                          << theirs.size() << " derivations, you have " << shown(yours));
            CHECK(yours.size() == theirs.size());
            CHECK(yours.count("") == theirs.count({}));
            expect_text(rules, text, theirs.count({}) == 1, "is \"\" among the derivations?");
            text += "ab"[rng.below(2)];
            theirs = plain_step(grammar, theirs, text.back());
            yours = step(rules, yours, text.back());
        }
    }
}

TEST_CASE("every character but a rule's name stands for itself", "[ex14_2]") {
    const Rules rules{{'S', {"a.b", "a*"}}};
    for (const char* text : {"a.b", "a*"}) expect_text(rules, text, true, "a dot is a dot");
    for (const char* text : {"axb", "ab", "a", "aa", "..b"})
        expect_text(rules, text, false, "a dot is a dot, a star a star");
}
