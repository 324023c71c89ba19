// Compiles a JSON Schema (draft 2020-12 and older) to a grammar of the JSON texts to generate.
//
// Each value is written in one usual way (5, not 5.0; "é", not "\u00e9"), but an unlisted fraction
// may end in zeros: a model that means 12.00 must not be led to 12.01. Members come in the schema's
// order, then others. Every generated text is valid. The validator (validator.hpp) accepts all
// valid texts, in any spelling and order.
//
// A list of schemas that a value must meet together is called its demands. For strings, numbers and
// the words null, true and false, demands become regular languages. These can be intersected,
// united and subtracted, so allOf, anyOf, oneOf and not are exact. For objects and arrays the
// demands are collected: the value of a member must meet what each schema says about that member.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

// The white space that is generated. any: up to max_whitespace characters wherever JSON allows it.
// compact: none. line: a blank after each colon and comma. pretty: a line for each member and item,
// indented by two more blanks in each container.
enum class JsonLayout { any, compact, line, pretty };

struct SchemaOptions {
    int max_whitespace = 1;  // the most in a row, in the layout `any`; −1: any number
    JsonLayout layout = JsonLayout::any;
    // In an object whose schema has `properties`, even empty, or names members in `required`, and
    // says nothing about others: no other members.
    bool closed = false;

    // true: if the schema sets no limit, strings have at most `max_characters` characters (−1: any
    // number), numbers at most 15 digits and no exponent, and whole numbers no point; formats such
    // as email, uri and date-time are limited to common texts. false: every spelling, except for
    // those that supported.md names.
    bool everyday = false;
    long long max_characters = 200;

    // The draft of a schema without $schema: 4, 6, 7, 2019 or 2020. 0: 2020-12, plus keywords of
    // older drafts that have no other meaning in it.
    int draft = 0;

    // false: the keyword format does not restrict values, which is the default in draft 2020-12.
    bool formats = true;

    // OpenAPI 3.0: "nullable": true adds null to the `type` beside it.
    bool nullable = false;

    // Unknown keywords and formats are ignored, as the specification says. warn is called once for
    // each name; without it a line goes to stderr. strict: they are refused.
    bool strict = false;
    std::function<void(const std::string&)> warn = nullptr;
};

// The schema asks for something that cannot be enforced. It is never ignored, since the text might
// then be invalid.
class UnsupportedSchema : public UsageError {
public:
    // where: the file and the place in it; why: the rest of the message.
    UnsupportedSchema(const std::string& keyword, const std::string& where, const std::string& why)
        : UsageError(where + ": '" + keyword + "' " + why), keyword_(keyword) {}
    const std::string& keyword() const { return keyword_; }

private:
    std::string keyword_;
};

// schema: the JSON text. name: what messages call it. Throws UnsupportedSchema, and UsageError if
// the text is not JSON or not a schema, or if no value meets the schema (shapes.hpp).
Grammar compile_schema(const std::string& schema, const SchemaOptions& options = {},
                       const std::string& name = "schema");

}  // namespace tbt
