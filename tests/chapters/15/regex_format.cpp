// The format "regex": what is written is read by our own reader of expressions, and is valid.
#include "tests/catch.hpp"

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/grammar/schema/regex_format.hpp"

using namespace tbt;

namespace {

// A walk through the automaton; "(" where it ends in no accepting state.
std::string walk(const Dfa& dfa, Rng& rng) {
    std::string text;
    int state = 0;
    for (int step = 0; step < 60; ++step) {
        const Dfa::State& s = at(dfa.states, state);
        if (s.edges.empty() || (s.accepting && rng.below(8) == 0)) break;
        const Dfa::Edge& e = s.edges[rng.below(s.edges.size())];
        const auto& range = e.on.ranges()[rng.below(e.on.ranges().size())];
        const int near = std::min(range.high - range.low, 300);
        append_utf8(text, range.low + to_int(rng.below(index(near + 1))));
        state = e.to;
    }
    return at(dfa.states, state).accepting ? text : "(";
}

}  // namespace

TEST_CASE("every regular expression that is written is one to our own reader", "[ch15]") {
    const Dfa written = regular_expressions(false);
    Rng rng(151);
    int read = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string text = walk(written, rng);
        if (text == "(") continue;
        INFO(text);
        REQUIRE(written.accepts(text));
        REQUIRE_NOTHROW(parse_regex(text));
        ++read;
    }
    CHECK(read > 1000);
}

TEST_CASE("what is written of a format is valid, and less where it says so", "[ch15]") {
    std::string name;
    for (const char c : format_names() + ",") {
        if (c != ',') {
            if (c != ' ') name += c;
            continue;
        }
        INFO(name);
        const Dfa written = *format_language(name, false), valid = *format_language(name, true);
        CHECK((written - valid).empty());
        CHECK((valid - written).empty() == !written_narrower(name));
        name.clear();
    }
}

TEST_CASE("regular expressions are written without what dialects read in several ways", "[ch15]") {
    const Dfa written = regular_expressions(false);
    for (const char* yes : {"", "^[a-z0-9_]+$", "(a|b(?:c|d)*){2,3}", "\\d{4}-\\d{2}", "x?|y{1,}",
                            "[^ ,]*", "\xc3\xa9+"}) {
        INFO(yes);
        CHECK(written.accepts(yes));
    }
    for (const char* no : {"(", ")", "a**", "a{3,2}", "[z-a]", "\\1", "(?=a)", "\\p{L}", "a{,2}",
                           "[[a]", "\\a", "((((a))))", "a^", "\n"}) {
        INFO(no);
        CHECK_FALSE(written.accepts(no));
    }
}
