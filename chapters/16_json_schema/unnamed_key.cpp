#include "chapters/16_json_schema/unnamed_key.hpp"

#include <algorithm>

namespace tbt {

int bytes_to_end(const Grammar& grammar, const ObjectGraph& graph, const ObjectMemory& memory,
                 int node, int others, int text) {
    if (!memory.risky(others, text)) return graph.at(node).to_end;
    const std::vector<Grammar::ByteEdge>& edges = grammar.node(node).bytes;
    const auto risky_behind = [&](int byte) {
        const int next = memory.known_behind(text, static_cast<std::uint8_t>(byte));
        return memory.risky(others, next) ? next : ObjectMemory::nowhere;
    };
    int least = Grammar::never;
    for (const Grammar::ByteEdge& e : edges) {
        if (!e.noted && !memory.stands(others, text)) return 0;
        if (!e.noted || 1 + graph.at(e.to).to_end >= least) continue;
        for (int byte = e.low; byte <= e.high; ++byte) {
            if (risky_behind(byte) >= 0) continue;
            least = 1 + graph.at(e.to).to_end;
            break;
        }
    }
    // Is it shorter to go on along one that stands there?
    for (const Grammar::ByteEdge& e : edges) {
        for (int byte = e.low; e.noted && byte <= e.high; ++byte) {
            if (1 + graph.at(e.to).to_end >= least) break;
            if (const int next = risky_behind(byte); next >= 0)
                least =
                    std::min(least, 1 + bytes_to_end(grammar, graph, memory, e.to, others, next));
        }
    }
    return least;
}

}  // namespace tbt
