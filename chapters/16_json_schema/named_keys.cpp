#include "chapters/16_json_schema/named_keys.hpp"

#include <vector>

#include "chapters/15_regular/shortest_texts.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

constexpr std::size_t most_bytes = 200000;  // of all keys of a class together

}  // namespace

void name_shortest_keys(ObjectPlan& plan, Spelling spelling) {
    if (plan.least <= 1) return;
    for (ObjectPlan::Member& c : plan.classes) {
        const std::vector<std::string> names =
            shortest_texts(c.keys, index(plan.least), spelling, most_bytes);
        for (const std::string& name : names) {
            plan.members.push_back({name, {}, c.value, false, c.needs});
            plan.members.back().unnamed = true;
        }
        if (!names.empty()) c.keys = c.keys - Dfa::of(names);
    }
    std::erase_if(plan.classes, [](const ObjectPlan::Member& c) { return c.keys.empty(); });
}

}  // namespace tbt
