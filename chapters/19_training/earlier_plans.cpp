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

std::vector<EarlierPlan> earlier_plans_of(const Json& list) {
    std::vector<EarlierPlan> plans;
    for (const Json& p : list)
        plans.push_back({p.at("until"), p.at("steps"), p.at("warm_up"), p.at("learning_rate")});
    return plans;
}

}  // namespace tbt
