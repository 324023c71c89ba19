#include "lib/grammar/schema/named_keys.hpp"

#include <algorithm>
#include <vector>

#include "lib/grammar/automata/shortest_texts.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

constexpr std::size_t most_bytes = 200000;  // of all keys of a class together
constexpr long long most_missing = 100;     // each step of a text looks at all that are missing

}  // namespace

void name_shortest_keys(ObjectPlan& plan, Spelling spelling) {
    const auto required = std::count_if(plan.members.begin(), plan.members.end(),
                                        [](const ObjectPlan::Member& m) { return m.required; });
    const long long missing = plan.least - required;
    if (plan.least <= 1 || missing <= 0 || plan.classes.empty()) return;
    if (missing > most_missing)
        throw TooLarge("more than " + std::to_string(most_missing) +
                       " of them take too long to write; ask for fewer, or name them");
    for (ObjectPlan::Member& c : plan.classes) {
        const std::vector<std::string> names =
            shortest_texts(c.keys, index(missing), spelling, most_bytes);
        for (const std::string& name : names) {
            plan.members.push_back({name, {}, c.value, false, c.needs});
            plan.members.back().unnamed = true;
        }
        if (!names.empty()) c.keys = c.keys - Dfa::of(names);
    }
    std::erase_if(plan.classes, [](const ObjectPlan::Member& c) { return c.keys.empty(); });
}

}  // namespace tbt
