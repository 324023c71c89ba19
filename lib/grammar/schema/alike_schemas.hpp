// Members are often told the same thing: one schema stands for all that say it, so that its rule
// and its tables are made once.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "lib/grammar/schema/schema_document.hpp"

namespace tbt {

class AlikeSchemas {
public:
    explicit AlikeSchemas(const SchemaDocument& document) : document_(&document) {}

    // The first schema of that text; itself, where its place matters: with references in it, or
    // properties, which have an order.
    const Json* of(const Json* schema) {
        const auto [known, added] = known_.try_emplace(schema, schema);
        if (!added) return known->second;
        const std::string text = schema->dump();
        if (text.find("\"$") == text.npos && text.find("roperties\"") == text.npos)
            known->second =
                texts_.try_emplace({document_->draft_of(*schema), text}, schema).first->second;
        return known->second;
    }

private:
    const SchemaDocument* document_;
    std::map<const Json*, const Json*> known_;
    std::map<std::pair<int, std::string>, const Json*> texts_;
};

}  // namespace tbt
