#include "lib/grammar/recognizer/rule_words.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"

namespace tbt {

namespace {

constexpr std::size_t max_ways = 3, deepest = 12;

// The rule of each node; −1 if no rule reaches it.
std::vector<int> rules_of_nodes(const Grammar& grammar) {
    std::vector<int> rule_of(index(grammar.nodes()), -1), open;
    const auto reach = [&](int node, int rule) {
        if (node < 0 || rule_of[index(node)] >= 0) return;
        rule_of[index(node)] = rule;
        open.push_back(node);
    };
    for (int rule = 0; rule < grammar.rules(); ++rule) {
        reach(grammar.rule(rule).start, rule);
        while (!open.empty()) {
            const Grammar::Node& node = grammar.node(open.back());
            open.pop_back();
            for (const Grammar::ByteEdge& e : node.bytes) reach(e.to, rule);
            for (const Grammar::CallEdge& e : node.calls) reach(e.to, rule);
        }
    }
    return rule_of;
}

// Is this a name that the grammar's author gave? Those have no spaces.
bool is_own(const std::string& name) { return name.find(' ') == std::string::npos; }

}  // namespace

std::string rule_words(const GrammarRecognizer& recognizer, Recognizer::State state) {
    if (state == Recognizer::dead) return "";
    const Grammar& grammar = recognizer.grammar();
    const std::vector<int> rule_of = rules_of_nodes(grammar);
    std::vector<std::string> ways;
    for (GrammarPlace place : recognizer.places(state)) {
        std::vector<std::string> names;  // innermost first
        while (names.size() < deepest) {
            const int rule = rule_of[index(place.node)];
            if (rule >= 0 && is_own(grammar.rule(rule).name))
                names.push_back(grammar.rule(rule).name);
            const auto after = recognizer.places_after(place.continuation);
            if (place.continuation == GrammarRecognizer::whole_text || after.empty()) break;
            place = after[0];
        }
        std::string way;
        for (std::size_t i = names.size(); i-- > 0;) way += (way.empty() ? "" : " › ") + names[i];
        if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
    }
    if (ways.empty() || (ways.size() == 1 && ways[0].find(" › ") == std::string::npos)) return "";
    std::string words;
    for (std::size_t i = 0; i < std::min(ways.size(), max_ways); ++i)
        words += (i > 0 ? ", or " : "") + ways[i];
    return words + (ways.size() > max_ways ? ", or …" : "");
}

std::function<std::string(std::string_view text)> words_of_gbnf(std::string_view grammar,
                                                                const std::string& name) {
    const auto recognizer =
        std::make_shared<GrammarRecognizer>(grammar_as_written(parse_gbnf(grammar, name)));
    return [recognizer](std::string_view text) {
        return rule_words(*recognizer, read_bytes(*recognizer, recognizer->start(), text));
    };
}

}  // namespace tbt
