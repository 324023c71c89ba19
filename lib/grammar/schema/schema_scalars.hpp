// What a schema says about strings, numbers and the words null, true and false:
// as sets, with all operations on sets.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/finite.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/grammar/schema/schema_document.hpp"

namespace tbt {

struct Scalars {
    bool null = true, yes = true, no = true;
    std::optional<Dfa> numbers, strings;  // nothing: all of them
    long long least = 0, most = -1;       // characters of the strings beside that; −1: any number
    bool exact = true;    // neither fewer nor more than the schema says: see ScalarRules
    bool listed = false;  // the strings, one by one
    const EverydayFormat* everyday = nullptr;  // the strings are of a format that has such a part

    static Scalars all() { return {}; }
    static Scalars none() { return {false, false, false, Dfa{}, Dfa{}}; }
    // The strings with their lengths. Throws TooLarge.
    std::optional<Dfa> whole_strings() const;
    bool has_strings() const {
        return strings ? has_length(*strings, least, most) : most < 0 || most >= least;
    }
    bool empty() const {
        return !null && !yes && !no && numbers && numbers->empty() && !has_strings();
    }
};

Scalars operator&(const Scalars& a, const Scalars& b);
Scalars operator|(const Scalars& a, const Scalars& b);
Scalars operator-(const Scalars& a, const Scalars& b);

// Of some formats fewer texts are written than are valid. Where "not" turns them around, it
// is the valid ones that must be taken away.
// The texts of numbers and strings that a keyword of the schema allows; nothing: all of them.
// validating: formats as the standards have them, else the part that is written.
inline constexpr const char* number_keywords[] = {"minimum", "exclusiveMinimum", "maximum",
                                                  "exclusiveMaximum", "multipleOf"};
std::optional<Dfa> language_of(SchemaDocument& document, const Json& schema,
                               const std::string& keyword, bool validating);
// The keys that a pattern of patternProperties means.
Dfa pattern_of_keys(const SchemaDocument& document, const Json& schema, const std::string& pattern);

class ScalarRules {
public:
    ScalarRules(SchemaDocument& document, bool validating, bool formats)
        : document_(&document), validating_(validating), formats_(formats) {
        if (validating) return;
        validator_ = std::make_unique<ScalarRules>(document, true, formats);
        validator_->other_ = this, other_ = validator_.get();
    }
    const Scalars& of(const Json& schema);

private:
    // What the schema's denial takes away.
    const Scalars& denied_by(const Json& schema) {
        const Scalars& own = of(schema);
        return own.exact || other_ == nullptr ? own : other_->of(schema);
    }
    Scalars work_out(const Json& schema);
    Scalars own(const Json& schema);
    Scalars of_types(const Json& schema) const;
    Scalars of_values(const std::vector<const Json*>& values, const Scalars& others) const;
    std::optional<Dfa> strings(const Json& schema, bool& exact) const;
    void limit_length(const Json& schema, Scalars& result) const;
    std::optional<Dfa> numbers(const Json& schema) const;

    SchemaDocument* document_;
    bool validating_, formats_;
    std::unique_ptr<ScalarRules> validator_;
    ScalarRules* other_ = nullptr;
    std::map<const Json*, Scalars> known_;
    std::set<const Json*> open_;
};

// Texts with a limit on their lengths, as one automaton with a state for each length. Throws
// TooLarge.
Dfa of_length(long long least, long long most);

// type, enum and const as this schema alone says them.
bool type_allows(const Json& schema, const std::string& type);
std::vector<const Json*> listed_values(const Json& schema, bool& restricted);

}  // namespace tbt
