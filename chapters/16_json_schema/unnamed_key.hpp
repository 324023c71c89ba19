// How a key that nobody names may end.
#pragma once

#include "chapters/16_json_schema/object_graph.hpp"
#include "chapters/16_json_schema/object_memory.hpp"

namespace tbt {

// In a key that nobody names: the fewest bytes to its end, such that it stands there once. As soon
// as it is no beginning of one that stands there, it goes on as if there were none.
// node: of the class; others, text: as in a note. Grammar::never: all that it may
// become stand there.
int bytes_to_end(const Grammar& grammar, const ObjectGraph& graph, const ObjectMemory& memory,
                 int node, int others, int text);

}  // namespace tbt
