// The grammar followed plainly, derivation by derivation, is what the fast recognizer is held to.
#include "tests/catch.hpp"

#include "chapters/14_grammar/plain_grammar.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// The plain grammar as a recognizer, so that a plain mask can be made from it: nothing is shared,
// and a state is the number of a set of derivations.
class PlainRecognizer : public Recognizer {
public:
    explicit PlainRecognizer(PlainGrammar rules)
        : rules_(std::move(rules)), costs_(rules_.size(), never) {
        // The fewest bytes of each rule: a rule's shortest text contains no shorter one of its own,
        // so as many rounds as there are rules are enough.
        for (std::size_t round = 0; round < rules_.size(); ++round) {
            for (std::size_t r = 0; r < rules_.size(); ++r) {
                for (const Symbols& alternative : rules_[r])
                    costs_[r] = std::min(costs_[r], cost(alternative));
            }
        }
        keep(unfolded(rules_, {{{0, 0, 0}}}));
    }

    State start() override { return closing_bytes(0) < never ? 0 : dead; }
    State next(State state, unsigned char byte) override {
        if (state == dead) return dead;
        const State reached = keep(plain_step(rules_, states_[state], byte));
        return closing_bytes(reached) < never ? reached : dead;
    }
    bool accepts(State state) const override { return states_[state].count({}) == 1; }
    int closing_bytes(State state) const override {
        int least = never;
        for (const Symbols& rest : states_[state]) least = std::min(least, cost(rest));
        return least;
    }
    std::size_t derivations(State state) const { return states_[state].size(); }
    State abstraction(State state) override { return state; }
    bool escaped(State) const override { return false; }

private:
    static constexpr int never = 1000000;

    int cost(const Symbols& symbols) const {
        int sum = 0;
        for (const Symbol& s : symbols)
            sum = std::min(never, sum + (s.rule < 0 ? 1 : costs_[index(s.rule)]));
        return sum;
    }
    State keep(const Derivations& derivations) {
        const auto [known, fresh] = numbers_.emplace(derivations, states_.size());
        if (fresh) states_.push_back(derivations);
        return known->second;
    }

    PlainGrammar rules_;
    std::vector<int> costs_;
    std::vector<Derivations> states_;
    std::map<Derivations, State> numbers_;
};

// Up to four rules, each with up to three rows of up to three symbols: letters, ranges, rules.
PlainGrammar random_grammar(Rng& rng) {
    PlainGrammar rules(1 + rng.below(4));
    for (std::vector<Symbols>& alternatives : rules) {
        alternatives.resize(1 + rng.below(3));
        for (Symbols& symbols : alternatives) {
            for (std::uint64_t n = rng.below(4); n > 0; --n) {
                const int letter = 'a' + to_int(rng.below(3));
                switch (rng.below(4)) {
                    case 0:
                        symbols.push_back({letter, letter + 1, -1});
                        break;
                    case 1:
                        symbols.push_back({0, 0, to_int(rng.below(rules.size()))});
                        break;
                    default:
                        symbols.push_back({letter, letter, -1});
                }
            }
        }
    }
    return rules;
}

// The same in GBNF.
std::string written(const PlainGrammar& rules) {
    const auto name = [](std::size_t rule) {
        return rule == 0 ? std::string("root") : "r" + std::to_string(rule);
    };
    std::string text;
    for (std::size_t r = 0; r < rules.size(); ++r) {
        text += name(r) + " ::= ";
        for (std::size_t i = 0; i < rules[r].size(); ++i) {
            if (i > 0) text += " | ";
            text += "\"\"";
            for (const Symbol& s : rules[r][i]) {
                text += ' ';
                if (s.rule >= 0) text += name(index(s.rule));
                else
                    text.append("[")
                        .append(1, static_cast<char>(s.low))
                        .append("-")
                        .append(1, static_cast<char>(s.high)) += ']';
            }
        }
        text += '\n';
    }
    return text;
}

// Nothing: a rule calls itself first.
std::shared_ptr<GrammarRecognizer> fast_recognizer(const PlainGrammar& rules) {
    try {
        return std::make_shared<GrammarRecognizer>(compile_gbnf(written(rules)));
    } catch (const UsageError& e) {
        if (std::string(e.what()).find("left recursion") == std::string::npos) throw;
        return nullptr;
    }
}

}  // namespace

TEST_CASE("by hand: after 1 a sum may end, grow a digit, or go on with a plus") {
    const Symbol digit{'0', '9', -1}, plus{'+', '+', -1}, root{0, 0, 0}, number{0, 0, 1};
    const PlainGrammar sums = {{{number}, {number, plus, root}}, {{digit}, {digit, number}}};
    const Derivations start = unfolded(sums, {{root}});
    CHECK(start ==
          Derivations{{digit}, {number, digit}, {root, plus, digit}, {root, plus, number, digit}});
    const Derivations after = plain_step(sums, start, '1');
    CHECK(after.size() == 6);
    CHECK(after.count({}) == 1);
    CHECK(after.count({root, plus}) == 1);
    CHECK(plain_step(sums, after, '+') == start);
    CHECK(plain_step(sums, start, '+').empty());
}

TEST_CASE("a plain grammar whose rule calls itself first is refused, not followed for ever") {
    const PlainGrammar sum = {{{{0, 0, 0}, {'+', '+', -1}, {'1', '1', -1}}, {{'1', '1', -1}}}};
    CHECK_THROWS_AS(unfolded(sum, {{{0, 0, 0}}}), Error);
}

TEST_CASE(
    "on thousands of random grammars the fast recognizer knows what all derivations know: what "
    "may follow, where the text may end, and how far the end is") {
    Rng rng(14);
    int grammars = 0, states = 0, accepted = 0;
    while (grammars < 4000) {
        const PlainGrammar rules = random_grammar(rng);
        const auto fast = fast_recognizer(rules);
        if (!fast) continue;
        ++grammars;
        PlainRecognizer plain(rules);
        INFO(written(rules));
        for (int text = 0; text < 4; ++text) {
            auto p = plain.start(), f = fast->start();
            REQUIRE((p == Recognizer::dead) == (f == Recognizer::dead));
            std::string read;
            while (p != Recognizer::dead && read.size() < 10 && plain.derivations(p) < 300) {
                INFO("after \"" << read << "\"");
                REQUIRE(plain.accepts(p) == fast->accepts(f));
                REQUIRE(plain.closing_bytes(p) == fast->closing_bytes(f));
                ++states, accepted += plain.accepts(p);
                std::string alive;
                for (char c = 'a'; c <= 'e'; ++c) {
                    const auto byte = static_cast<unsigned char>(c);
                    const bool lives = plain.next(p, byte) != Recognizer::dead;
                    REQUIRE(lives == (fast->next(f, byte) != Recognizer::dead));
                    if (lives) alive += c;
                }
                if (alive.empty()) break;
                read += alive[rng.below(alive.size())];
                p = plain.next(p, static_cast<unsigned char>(read.back()));
                f = fast->next(f, static_cast<unsigned char>(read.back()));
            }
        }
    }
    CHECK(states > 20000);
    CHECK(accepted > 5000);
}

TEST_CASE("the masks of random grammars are the plain masks of their derivations") {
    Rng rng(1414);
    const auto trie = random_vocabulary(rng, "abcd", 60);
    std::vector<std::string> tokens;
    for (int id = 0; id < trie->vocabulary(); ++id) tokens.push_back(trie->bytes(id));
    int masks = 0;
    while (masks < 1500) {
        const PlainGrammar rules = random_grammar(rng);
        const auto fast = fast_recognizer(rules);
        if (!fast) continue;
        PlainRecognizer plain(rules);
        if (plain.start() == Recognizer::dead) continue;
        INFO(written(rules));
        GrammarMatcher constraint(std::make_shared<CompiledGrammar>(fast, trie), 200);
        auto state = plain.start();
        for (int step = 0; step < 4 && plain.derivations(state) < 100; ++step, ++masks) {
            const std::vector<bool> legal = plain_mask(plain, state, tokens, trie->eos());
            for (int id = 0; id < trie->vocabulary(); ++id) {
                INFO("token \"" << tokens[index(id)] << "\"");
                REQUIRE(constraint.mask().test(id) == legal[index(id)]);
            }
            const int id = random_token(constraint.mask(), rng);
            if (id == trie->eos()) break;
            constraint.advance(id);
            state = read_bytes(plain, state, tokens[index(id)]);
        }
    }
}

TEST_CASE("the shortest text of a grammar is one of its texts, as long as the recognizer said") {
    for (const char* name : {"arithmetic", "chess", "date", "email", "json", "report", "sql"}) {
        INFO(name);
        GrammarRecognizer recognizer(
            compile_gbnf(read_file("data/grammars/" + std::string(name) + ".gbnf")));
        const std::string text = shortest_text(recognizer);
        CHECK(accepts_text(recognizer, text));
        CHECK(to_int(text.size()) == recognizer.closing_bytes(recognizer.start()));
    }
    GrammarRecognizer none(compile_gbnf("root ::= \"a\" root"));
    CHECK(shortest_text(none).empty());
}
