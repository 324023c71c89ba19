// Merges equal schemas: one of them represents all, so that its rule and its tables are made once.
// Many members of an object have equal schemas.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "lib/grammar/schema/schema_document.hpp"

namespace tbt {

class AlikeSchemas {
public:
    explicit AlikeSchemas(const SchemaDocument& document) : document_(&document) {}

    // The first schema seen with the same text. A schema with references is always its own
    // representative, since its place matters, and so is one with properties, which have an order.
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
