// Valid values that the generator cannot write. The user is told once that they are skipped; with
// the option strict they are refused. They are also refused if nothing else could be written.
#pragma once

#include <string>

#include "lib/grammar/schema/schema_facts.hpp"

namespace tbt {

class NotGenerated {
public:
    explicit NotGenerated(SchemaDocument& document) : document_(&document) {}

    // "Some member fails": only members that the schema names are made to fail.
    void unnamed_needs(ObjectPlan& plan, const Conjunction& facts);
    // "Two items are equal".
    void equal_items(const Conjunction& facts);

    // Call this if nothing else can be written. Throws UnsupportedSchema if anything was skipped.
    void refuse() const {
        if (schema_ != nullptr) document_->unsupported(*schema_, keyword_, why_);
    }

private:
    void skip(const Json& schema, const std::string& keyword, const std::string& why);

    SchemaDocument* document_;
    const Json* schema_ = nullptr;  // the first schema of which something was skipped
    std::string keyword_, why_;
};

}  // namespace tbt
