// Derivatives, the plain definition of what matches, and the automata that are held to them.
#include "tests/catch.hpp"

#include "chapters/15_regular/demo.hpp"
#include "chapters/15_regular/plain_derivative.hpp"
#include "lib/core/rng.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/formats.hpp"

using namespace tbt;

namespace {

struct Both {
    Regex plain;
    std::string pattern;
};

// The same random expression, built plainly and written down.
Both random_expression(Rng& rng, int depth) {
    switch (rng.below(depth > 3 ? 3 : 8)) {
        case 0: {
            const char c = "abc"[rng.below(3)];
            return {byte_from(c, c), std::string(1, c)};
        }
        case 1:
            return {byte_from('a', 'b'), "[ab]"};
        case 2:  // two bytes, between which a token may end
            return {then(byte_from('\xC3', '\xC3'), byte_from('\xA9', '\xA9')), "é"};
        case 3: {
            const Both a = random_expression(rng, depth + 1), b = random_expression(rng, depth + 1);
            return {either(a.plain, b.plain), "(?:" + a.pattern + "|" + b.pattern + ")"};
        }
        case 4: {
            const Both a = random_expression(rng, depth + 1);
            return {any_times(a.plain), "(?:" + a.pattern + ")*"};
        }
        case 5: {
            const Both a = random_expression(rng, depth + 1);
            return {either(any_times({}), a.plain), "(?:" + a.pattern + ")?"};
        }
        default: {
            const Both a = random_expression(rng, depth + 1), b = random_expression(rng, depth + 1);
            return {then(a.plain, b.plain), a.pattern + b.pattern};
        }
    }
}

Regex after(Regex e, const std::string& text) {
    for (const char c : text) e = derivative(e, static_cast<unsigned char>(c));
    return e;
}

bool matches(const std::string& pattern, const std::string& text) {
    return may_be_empty(after(plain_of(parse_regex(pattern)), text));
}

}  // namespace

TEST_CASE("by hand: after a minus, what may come of -?(0|[1-9][0-9]*) is the rest without it") {
    const Regex number = plain_of(parse_regex("-?(0|[1-9][0-9]*)"));
    CHECK_FALSE(may_be_empty(number));
    CHECK(after(number, "-").name == "(0|[1-9][0-9]*)");
    CHECK(after(number, "-4").name == "[0-9]*");
    CHECK(after(number, "-40").name == "[0-9]*");
    CHECK(after(number, "0").kind == Regex::empty);
    CHECK(after(number, "00").kind == Regex::nothing);
    CHECK(after(number, "--").kind == Regex::nothing);
}

TEST_CASE("a choice is the same in any order, and none of nothing") {
    const Regex a = byte_from('a', 'a'), b = byte_from('b', 'b'), c = byte_from('c', 'c');
    CHECK(either(a, either(b, c)).name == either(either(c, b), a).name);
    CHECK(either(a, a).name == "a");
    CHECK(either(a, Regex()).name == "a");
    CHECK(then(a, Regex()).kind == Regex::nothing);
    CHECK(then(any_times({}), a).name == "a");
    CHECK(any_times(then(a, b)).name == "(ab)*");
    CHECK(any_times(either(a, b)).name == "(a|b)*");
    CHECK(any_times(Regex()).kind == Regex::empty);
    CHECK(byte_from('*', '*').name == "[*]");  // not the star
}

TEST_CASE("repetitions are written out: a{2,4} is two to four") {
    for (int n = 0; n < 7; ++n) {
        const std::string text(index(n), 'a');
        INFO(text);
        CHECK(matches("a{2,4}", text) == (n >= 2 && n <= 4));
        CHECK(matches("a{3}", text) == (n == 3));
        CHECK(matches("a{2,}", text) == (n >= 2));
        CHECK(matches("a?", text) == (n <= 1));
    }
    CHECK_THROWS_AS(plain_of(parse_regex("^a")), UsageError);
}

TEST_CASE(
    "on thousands of random expressions, what the automaton keeps alive and accepts is what "
    "the derivatives say, byte by byte") {
    Rng rng(15);
    int bytes = 0, accepted = 0, refused = 0;
    for (int i = 0; i < 3000; ++i) {
        const Both e = random_expression(rng, 0);
        INFO(e.pattern << " is " << e.plain.name);
        REQUIRE(plain_of(parse_regex(e.pattern)).name == e.plain.name);
        GrammarRecognizer recognizer(grammar_of(regex_full_match(e.pattern)));
        for (int t = 0; t < 6; ++t) {
            Regex rest = e.plain;
            auto state = recognizer.start();
            for (int n = 0; n < 9; ++n, ++bytes) {
                REQUIRE(recognizer.accepts(state) == may_be_empty(rest));
                accepted += recognizer.accepts(state);
                // Mostly a byte that goes on, if one of three draws does.
                unsigned char byte = 0;
                for (int draw = 0; draw < 3; ++draw) {
                    byte = static_cast<unsigned char>("aaabbbccd\xC3\xA9\xA8"[rng.below(12)]);
                    if (derivative(rest, byte).kind != Regex::nothing) break;
                }
                rest = derivative(rest, byte);
                state = recognizer.next(state, byte);
                REQUIRE((state == Recognizer::dead) == (rest.kind == Regex::nothing));
                if (state == Recognizer::dead) {
                    ++refused;
                    break;
                }
            }
        }
    }
    CHECK(bytes > 15000);
    CHECK(accepted > 4000);
    CHECK(refused > 4000);
}

TEST_CASE("an automaton of derivatives is finite and reads as they do") {
    Rng rng(151);
    for (int i = 0; i < 150; ++i) {
        const Both e = random_expression(rng, 1);
        INFO(e.pattern);
        const PlainAutomaton automaton = automaton_of(e.plain);
        for (const PlainAutomaton::State& state : automaton.states) {
            for (const PlainAutomaton::Edge& edge : state.edges) {
                REQUIRE(edge.to < automaton.states.size());
                if (edge.on.size() == 1)
                    REQUIRE(automaton.states[edge.to].rest.name ==
                            derivative(state.rest, edge.on[0]).name);
            }
        }
    }
}

TEST_CASE("a range of whole numbers accepts those in it, and keeps alive what begins one") {
    Rng rng(152);
    for (int i = 0; i < 60; ++i) {
        const int a = to_int(rng.below(1300)) - 200,
                  b = a + to_int(rng.below(rng.below(2) == 0 ? 12 : 900));
        INFO(a << " to " << b);
        const Dfa range = plain_integers() & at_least(Decimal::parse(std::to_string(a)), false) &
                          at_most(Decimal::parse(std::to_string(b)), false);
        GrammarRecognizer recognizer(grammar_of(range));
        std::set<std::string> beginnings;
        for (int n = a; n <= b; ++n) {
            const std::string number = std::to_string(n);
            for (std::size_t k = 0; k <= number.size(); ++k) beginnings.insert(number.substr(0, k));
        }
        for (int n = -250; n < 2300; ++n) {
            const std::string number = std::to_string(n);
            const auto state = read_bytes(recognizer, recognizer.start(), number);
            REQUIRE((state != Recognizer::dead) == (beginnings.count(number) == 1));
            REQUIRE((state != Recognizer::dead && recognizer.accepts(state)) == (a <= n && n <= b));
        }
    }
}
