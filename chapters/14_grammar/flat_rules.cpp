#include "chapters/14_grammar/flat_rules.hpp"

#include "lib/index.hpp"

namespace tbt {

// Rules that call only such rules, taken from the leaves upwards.
std::vector<char> flat_rules(Grammar& grammar) {
    std::vector<char> flat(index(grammar.rules()));
    std::vector<std::vector<int>> callers(flat.size());
    std::vector<int> calls(flat.size()), seen(index(grammar.nodes()), -1), open, leaves;
    for (int r = 0; r < grammar.rules(); ++r) {
        const auto add = [&](int callee) {
            callers[index(callee)].push_back(r);
            ++calls[index(r)];
        };
        const auto go = [&](int id) {
            if (seen[index(id)] != r) seen[index(id)] = r, open.push_back(id);
        };
        go(grammar.rule(r).start);
        while (!open.empty()) {
            const int id = open.back();
            const Grammar::Node& node = grammar.node(id);
            open.pop_back();
            if (grammar.is_open(id))
                for (const int callee : grammar.source(node.source).rules()) add(callee);
            for (const Grammar::ByteEdge& e : node.bytes) go(e.to);
            for (const Grammar::CallEdge& e : node.calls) add(e.rule), go(e.to);
        }
        if (calls[index(r)] == 0) leaves.push_back(r);
    }
    while (!leaves.empty()) {
        const int r = leaves.back();
        leaves.pop_back();
        flat[index(r)] = 1;
        for (const int c : callers[index(r)])
            if (--calls[index(c)] == 0) leaves.push_back(c);
    }
    return flat;
}

}  // namespace tbt
