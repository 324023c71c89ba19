#include "lib/grammar/schema/written_strings.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

#include "lib/core/index.hpp"
#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/schema/counted_text.hpp"

namespace tbt {

namespace {

constexpr long long few_characters = 24, few_states = 480;

// The intersection; empty if it needs too many states.
Dfa common(const Dfa& a, const Dfa& b) {
    try {
        return a & b;
    } catch (const TooLarge&) {
        return {};
    }
}

// Adds the text as a rule of its own: the nodes with annotations must end with their rule.
void add_counted(Grammar& grammar, std::unique_ptr<CountedText> made, const Dfa& texts, int start,
                 int end) {
    CountedText& counted = *made;
    const int index = grammar.add_annotations(std::move(made));
    const int rule = grammar.add_rule("string"), quote = grammar.add_node();
    grammar.rule(rule).start = quote;
    grammar.edge(quote, '"', '"', counted.add_nodes(grammar, index, texts, Spelling::json));
    grammar.skip(grammar.call(start, rule), end);
}

}  // namespace

void WrittenStrings::add(Grammar& grammar, const Scalars& s, int start, int end) const {
    static const SharedDfa anything = Dfa::anything();
    SharedDfa texts = s.strings ? s.strings : anything;
    long long least = s.least, most = s.most;
    std::function<void()> at_limit;
    if (options_.everyday && !s.listed) {
        long long usual = options_.max_characters;
        if (s.everyday != nullptr) {
            Dfa mostly = common(*texts, s.everyday->texts);
            if (has_length(mostly, least, most)) texts = std::move(mostly);
            usual = std::min<long long>(usual, s.everyday->most);
        }
        if (most < 0 && usual >= 0) {
            most = std::max({usual, least, shortest_length(*texts)});
            at_limit = said_at(most);
        }
    }
    if (const long long longest = longest_length(*texts); longest >= 0 && longest <= most)
        most = -1;
    const bool any = *texts == *anything;
    if (!any && least > 0) texts = *texts & of_length(least, -1), least = 0;
    // Characters are counted by an annotation (counted), or by a state for each length if the
    // automaton is small or its shortest text is long.
    const bool counted = any ? std::max(least, most) > few_characters
                             : most >= 0 && shortest_length(*texts) < few_characters &&
                                   most * count(texts->states) > few_states;
    if (counted)
        return add_counted(grammar, std::make_unique<CountedText>(least, most, std::move(at_limit)),
                           *texts, start, end);
    if (least > 0 || most >= 0) texts = *texts & of_length(least, most);
    const int text = add_dfa(grammar, *texts, grammar.bytes(start, "\""), Spelling::json);
    grammar.skip(grammar.bytes(text, "\""), end);
}

// A function that says, once, that a string has reached a limit that the schema does not set.
std::function<void()> WrittenStrings::said_at(long long most) const {
    return [said = said_, most, name = name_, warn = options_.warn] {
        if (std::exchange(*said, true)) return;
        const std::string line =
            name + ": strings have at most " + std::to_string(most) +
            " characters here, because the schema sets no limit (--max-string N)";
        if (warn) warn(line);
        else std::fprintf(stderr, "%s\n", line.c_str());
    };
}

}  // namespace tbt
