#include "chapters/19_training/earlier_plans.hpp"

namespace tbt {

OrderedJson earlier_plans_json(const std::vector<EarlierPlan>& plans) {
    OrderedJson list = OrderedJson::array();
    for (const EarlierPlan& p : plans)
        list.push_back({{"until", p.until},
                        {"steps", p.steps},
                        {"warm_up", p.warm_up},
                        {"learning_rate", p.learning_rate}});
    return list;
}

std::vector<EarlierPlan> earlier_plans_of(const Json& list, const std::string& file) {
    std::vector<EarlierPlan> plans;
    for (const Json& p : list) {
        const auto steps = [&](const char* key) {
            return integer_of<std::int64_t>(p.at(key), file + ": " + key + " of an earlier plan");
        };
        plans.push_back({steps("until"), steps("steps"), steps("warm_up"), p.at("learning_rate")});
    }
    return plans;
}

}  // namespace tbt
