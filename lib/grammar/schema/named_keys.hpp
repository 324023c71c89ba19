// Keys that nobody names, where so many members must come that some of them have such a key.
#pragma once

#include "lib/grammar/automata/spelling.hpp"
#include "lib/grammar/schema/schema_facts.hpp"

namespace tbt {

// Gives names to the shortest keys of each class: they become members, each of which a text has
// once at most, and leave the class. As many as could ever be missing, so that whatever was
// written, the shortest way to the end is one of named keys, all of them different. A class that
// has no more keys goes. Throws TooLarge, where more than 100 must come beside those required too.
void name_shortest_keys(ObjectPlan& plan, Spelling spelling);

}  // namespace tbt
