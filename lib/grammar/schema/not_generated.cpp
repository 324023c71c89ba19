#include "lib/grammar/schema/not_generated.hpp"

namespace tbt {

void NotGenerated::unnamed_needs(ObjectPlan& plan, const Conjunction& facts) {
    for (ObjectPlan::Member& c : plan.classes) {
        if (c.needs == 0) continue;
        skip(*facts[0], "not",
             "applies to keys that the schema does not name; set additionalProperties to false");
        c.needs = 0;
    }
}

void NotGenerated::equal_items(const Conjunction& facts) {
    skip(*facts[0], "uniqueItems",
         "under 'not' would need to remember all items, which a grammar cannot");
}

void NotGenerated::skip(const Json& schema, const std::string& keyword, const std::string& why) {
    document_->tell(schema, keyword, "", why, why + "; values that need it are not generated");
    if (schema_ == nullptr) schema_ = &schema, keyword_ = keyword, why_ = why;
}

}  // namespace tbt
