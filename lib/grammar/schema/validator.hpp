// Does a finished JSON text meet a JSON Schema? The value is walked together with the schema,
// keyword by keyword, as the specification says it: members may come in any order, numbers and
// strings may be spelled in any way. What is written under a schema (schema.hpp) is a part of what
// is valid here.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/grammar/schema/schema.hpp"

namespace tbt {

class SchemaValidator {
public:
    // Throws UsageError when the schema is none. Of `options` only draft, formats, strict and warn
    // matter.
    explicit SchemaValidator(const std::string& schema, const SchemaOptions& options = {},
                             const std::string& name = "schema");
    ~SchemaValidator();

    // "": the text is valid. Otherwise the first place that is not, and the keyword that says so:
    // "/likes/0: 'maxLength'". Throws UnsupportedSchema for what cannot be decided: a reference
    // to another document, a pattern that is not regular, a number of more than 10,000 digits.
    std::string fault(std::string_view text);
    bool valid(std::string_view text) { return fault(text).empty(); }

private:
    class Walk;
    std::unique_ptr<Walk> walk_;
};

}  // namespace tbt
