// Validates a finished JSON text against a JSON Schema. It walks the value and the schema together,
// keyword by keyword, as the specification says. Members may come in any order, and numbers and
// strings may be spelled in any way. Every text that the compiled grammar (schema.hpp) generates is
// valid here, but not the other way round.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lib/grammar/schema/schema.hpp"

namespace tbt {

class SchemaValidator {
public:
    // schema: the JSON text; name: what messages call it. Throws UsageError if it is not a schema.
    // Of `options` only draft, formats, nullable, strict and warn are used.
    explicit SchemaValidator(const std::string& schema, const SchemaOptions& options = {},
                             const std::string& name = "schema");
    ~SchemaValidator();

    // "" if the text is valid. Otherwise the first invalid place and the keyword that it violates:
    // "/likes/0: 'maxLength'". Throws UnsupportedSchema for what cannot be decided: a reference
    // to another document, a pattern that is not regular, a number of more than 10,000 digits.
    std::string fault(std::string_view text);
    bool valid(std::string_view text) { return fault(text).empty(); }

private:
    class Walk;
    std::unique_ptr<Walk> walk_;
};

}  // namespace tbt
