// JSON Schema (draft 2020-12) as a grammar: the JSON texts that are written under a schema.
//
// Each value is written in one usual way (5, not 5.0; "é", not "\u00e9"), and members come in the
// order in which the schema names them, others after them. Every text is valid; which texts are
// valid in any spelling and order says the validator (validator.hpp).
//
// A schema is a list of demands that a value must meet together. For strings, numbers and the three
// words the demands become regular languages, which can be intersected, united and subtracted,
// so allOf, anyOf, oneOf and not are exact. For objects and arrays they are collected:
// the value of a member must meet what every one of the schemas around it says about that member.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/error.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// White space in the JSON that is written: as the text likes, none, a blank after each colon and
// comma, or a line for each member and item, two blanks deeper in each container.
enum class JsonLayout { any, compact, line, pretty };

struct SchemaOptions {
    int max_whitespace = 1;  // in a row, in the layout `any`; −1: any number
    JsonLayout layout = JsonLayout::any;
    // No members in an object but those that its schema names, if it names any and does not say
    // what others would be.
    bool closed = false;

    // Where the schema sets no limit: strings of at most `most_characters` (−1: any number),
    // numbers of at most 15 digits without exponents, whole numbers without a point, and of email,
    // uri and hostname what people mostly write. Otherwise every spelling that is not said to be
    // left out in supported.md.
    bool everyday = false;
    long long most_characters = 200;

    // The draft of a schema that does not say its $schema: 4, 6, 7, 2019 or 2020; 0:
    // 2020-12, with older ways to say things where they mean nothing else there.
    int draft = 0;

    // false: format says nothing about values, as in draft 2020-12 where nobody asks for more.
    bool formats = true;

    // Keywords and formats that nobody knows are remarks, as the specification has it: `warn` is
    // told of each name once (nothing: a line on stderr). strict: they are refused.
    bool strict = false;
    std::function<void(const std::string&)> warn = nullptr;
};

// The schema asks for something that cannot be enforced. Never skipped:
// the text would not be what was asked for.
class UnsupportedSchema : public UsageError {
public:
    // where: the file and the place in it.
    UnsupportedSchema(const std::string& keyword, const std::string& where, const std::string& why)
        : UsageError(where + ": '" + keyword + "' " + why), keyword_(keyword) {}
    const std::string& keyword() const { return keyword_; }

private:
    std::string keyword_;
};

// Throws UnsupportedSchema; UsageError when the text is no JSON or no schema, and
// when no value meets the schema: see empty_schema.hpp.
Grammar compile_schema(const std::string& schema, const SchemaOptions& options = {},
                       const std::string& name = "schema");

}  // namespace tbt
