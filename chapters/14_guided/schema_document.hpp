// A schema document: finding references, names of places for messages, and a check that every keyword is one we
// know.
#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>

#include "chapters/14_guided/schema.hpp"
#include "json_file.hpp"

namespace tbt {

class SchemaDocument {
public:
    SchemaDocument(const std::string& text, const std::string& name);

    const Json& root() const { return root_; }
    // Where a reference points to. Throws UnsupportedSchema when it leaves the document.
    const Json& resolve(const Json& schema);
    // Throws unless the schema is true, false or an object of known keywords with values of the right kind.
    void check(const Json& schema);
    // A schema that stands in no document: made from others.
    const Json& keep(Json schema) { return made_.emplace_back(std::move(schema)); }
    [[noreturn]] void unsupported(const Json& schema, const std::string& keyword, const std::string& why) const;
    [[noreturn]] void wrong(const Json& schema, const std::string& what) const;
    std::string path_of(const Json& schema) const;

private:
    const Json* find_anchor(const Json& at, const std::string& anchor) const;

    std::string name_;
    Json root_;
    std::deque<Json> made_;
    std::set<const Json*> checked_;
};

// A number of a schema as a count. Throws through the document.
long long count_of(SchemaDocument& document, const Json& schema, const char* keyword, long long otherwise);

}  // namespace tbt
