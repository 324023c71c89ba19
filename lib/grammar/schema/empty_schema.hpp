// Why no value meets a schema: which keyword asks for what cannot be, and where.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "lib/grammar/schema/schema_shapes.hpp"

namespace tbt {

class EmptySchema {
public:
    // is_empty: no value meets these demands.
    EmptySchema(SchemaDocument& document, ShapeRules& shapes,
                std::function<bool(const Demands&)> is_empty)
        : document_(&document), shapes_(&shapes), is_empty_(std::move(is_empty)) {}

    // Throws UsageError: from the demands, which nothing meets, follows what they ask for to a
    // value that cannot be, or to one that asks for itself again.
    [[noreturn]] void refuse(Demands demands);

private:
    // The schema and its keyword that ask for a value, and what is demanded of it.
    struct Asked {
        const Json* schema = nullptr;
        const char* keyword = "";
        std::string what;
        Demands value;
    };
    Asked asked_by(const Demands& demands);
    Asked member_of(const Demands& facts);
    Asked item_of(const Demands& facts);
    const Json* sayer_of(const Demands& facts, const char* keyword,
                         const std::function<bool(const Json&)>& says = nullptr) const;
    [[noreturn]] void refuse_together(const Demands& demands);

    SchemaDocument* document_;
    ShapeRules* shapes_;
    std::function<bool(const Demands&)> is_empty_;
};

}  // namespace tbt
