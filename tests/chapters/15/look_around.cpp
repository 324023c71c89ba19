// Look-around, in automata. The reference is a matcher that tries everything, position by position.
#include "tests/catch.hpp"

#include "lib/core/rng.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "tests/support/takes.hpp"

using namespace tbt;

namespace {

using Kind = Expression::Kind;
using Ends = std::set<std::size_t>;

// The positions at which a match of e can end that begins at `at` (texts of ASCII).
Ends ends_of(const Expression& e, const std::string& text, std::size_t at) {
    const auto here = [&](bool holds) { return holds ? Ends{at} : Ends{}; };
    const auto after = [&](const Ends& begins, const Expression& part) {
        Ends all;
        for (const std::size_t begin : begins) all.merge(ends_of(part, text, begin));
        return all;
    };
    const auto before = [&] {
        for (std::size_t begin = 0; begin <= at; ++begin)
            if (ends_of(e.parts[0], text, begin).contains(at)) return true;
        return false;
    };
    Ends all;
    switch (e.kind) {
        case Kind::characters:
            return at < text.size() && e.set.contains(text[at]) ? Ends{at + 1} : Ends{};
        case Kind::text:
            return text.compare(at, e.text.size(), e.text) == 0 ? Ends{at + e.text.size()} : Ends{};
        case Kind::sequence:
            all = {at};
            for (const Expression& part : e.parts) all = after(all, part);
            return all;
        case Kind::choice:
            for (const Expression& part : e.parts) all.merge(ends_of(part, text, at));
            return all;
        case Kind::repeat: {
            Ends now{at};
            for (int i = 0; i < e.low; ++i) now = after(now, e.parts[0]);
            all = now;
            const int more = e.high == Expression::unlimited ? 10 : e.high - e.low;
            for (int i = 0; i < more; ++i) all.merge(Ends(now = after(now, e.parts[0])));
            return all;
        }
        case Kind::begin:
            return here(at == 0);
        case Kind::end:
            return here(at == text.size());
        case Kind::ahead:
        case Kind::not_ahead:
            return here(ends_of(e.parts[0], text, at).empty() == (e.kind == Kind::not_ahead));
        case Kind::before:
        case Kind::not_before:
            return here(before() == (e.kind == Kind::before));
        default:
            throw Error("a rule");
    }
}

// side: '=' only what looks ahead may come inside, '<' only what looks back.
std::string random_pattern(Rng& rng, int depth, char side = ' ') {
    const auto inner = [&](char s) { return random_pattern(rng, depth + 1, s); };
    const std::vector<std::string> ahead{"(?=", "(?!"}, back{"(?<=", "(?<!"},
        repeats{"*", "+", "?", "{2}", "{1,2}"};
    switch (rng.below(depth > 3 ? 3 : 10)) {
        case 0:
        case 1:
            return std::string(1, "ab "[rng.below(3)]);
        case 2:
            return std::vector<std::string>{".", "\\w", "[^a]", "[ab]"}[rng.below(4)];
        case 3:
        case 4:
            return inner(side) + inner(side);
        case 5:
            return "(?:" + inner(side) + "|" + inner(side) + ")";
        case 6:
            return "(?:" + inner(side) + ")" + repeats[rng.below(5)];
        case 7:
            return side == '<' ? "a" : ahead[rng.below(2)] + inner('=') + ")";
        case 8:
            return side == '=' ? "b" : back[rng.below(2)] + inner('<') + ")";
        default:
            return side == ' '   ? std::vector<std::string>{"^", "$", "\\b", "\\B"}[rng.below(4)]
                   : side == '=' ? std::vector<std::string>{"^", "$"}[rng.below(2)]
                                 : "^";
    }
}

std::vector<std::string> all_texts(std::size_t most) {
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i].size() < most)
            for (const char c : {'a', 'b', ' '}) texts.push_back(texts[i] + c);
    return texts;
}

}  // namespace

TEST_CASE("look-around matches what trying everything matches, in random expressions") {
    const std::vector<std::string> texts = all_texts(5);
    Rng rng(58);
    int with = 0, accepted = 0;
    for (int i = 0; i < 600; ++i) {
        const std::string pattern = random_pattern(rng, 0);
        CAPTURE(pattern);
        const Expression e = parse_regex(pattern);
        const Dfa whole = Dfa::of(e), part = regex_search(pattern);
        with += pattern.find("(?=") != pattern.npos || pattern.find("(?!") != pattern.npos ||
                pattern.find("(?<") != pattern.npos;
        for (const std::string& text : texts) {
            Ends any;
            for (std::size_t at = 0; at <= text.size(); ++at) any.merge(ends_of(e, text, at));
            const bool all = ends_of(e, text, 0).contains(text.size());
            if (whole.accepts(text) != all || part.accepts(text) != !any.empty()) FAIL(text);
            accepted += all;
        }
    }
    CHECK(with > 100);
    CHECK(accepted > 500);
}

TEST_CASE("look-around as schemas use it") {
    struct Case {
        const char* pattern;
        std::vector<std::string> yes, no;
    };
    const std::vector<Case> cases = {
        {R"(^(?=.*[A-Z])(?=.*[a-z])(?=.*\d).{8,}$)",
         {"Passw0rds", "12345aBc"},
         {"passw0rds", "aB3"}},
        {R"(^(?!(?:con|prn)$)[a-z]+$)", {"cond", "c", "prnt"}, {"con", "prn", ""}},
        {R"(^(?:(?!--).)*$)", {"a-b-c", "", "-"}, {"a--b", "--"}},
        {R"(^[a-z.]+(?<!\.js)$)", {"main.ts", "js"}, {"main.js"}},
        {R"(^(?!-)[a-z-]{1,63}(?<!-)$)", {"a-b", "a"}, {"-a", "a-", "-"}},
        {R"((?<![a-z])id\b)", {"id", "my id.", "_id"}, {"void", "idea"}},
        {R"(^(?!.*\.\.)(?!/)[a-z./]+$)", {"a/b.c", "a./."}, {"a..b", "/a"}},
        {R"(^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$)",  // pydantic's Decimal
         {"1.5", "-0", ".5", "+12."},
         {"-", "", "+.", "1e5"}},
        {R"(a(?!^b)b)", {"ab", "aab"}, {"a", "b"}},
        {R"((?=^(?!^b)[ab])\w+$)", {"ab", "a"}, {"ba", " ab"}},
    };
    for (const Case& c : cases) {
        const Dfa dfa = regex_search(c.pattern);
        testing::check_takes(
            c.pattern, [&](const std::string& text) { return dfa.accepts(text); }, c.yes, c.no);
    }
    CHECK(regex_full_match("(?=a)b").empty());
    CHECK(regex_full_match("a(?!b)[ab]") == regex_full_match("aa"));
}
