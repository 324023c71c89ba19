// What a schema says about strings, numbers and the words null, true and false: sets of values,
// with intersection, union and difference.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/json/json.hpp"

namespace tbt {

class SchemaDocument;

struct Scalars {
    bool null = true, yes = true, no = true;
    SharedDfa numbers, strings;      // none: all numbers, all strings
    long long least = 0, most = -1;  // also limits of the strings' characters; −1: no limit
    bool exact = true;            // false: a format restricts the set more than the standard does
    bool listed = false;          // the strings were listed one by one (enum, const)
    bool listed_numbers = false;  // the same of the numbers
    const EverydayFormat* everyday = nullptr;  // the common texts of the strings' format, if any
    SharedDfa long_numbers =
        Dfa{};  // listed (enum, const), of more than 15 digits: all are written

    static Scalars all() { return {}; }
    static Scalars none() { return {false, false, false, Dfa{}, Dfa{}}; }
    // The strings, with the limits of length included in the automaton. Throws TooLarge.
    SharedDfa whole_strings() const;
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

// The texts of numbers or strings that a keyword of the schema allows; none: all of them.
// validating: formats as the standards define them; otherwise the texts that are generated, which
// for some formats are fewer.
inline constexpr const char* number_keywords[] = {"minimum", "exclusiveMinimum", "maximum",
                                                  "exclusiveMaximum", "multipleOf"};
SharedDfa language_of(SchemaDocument& document, const Json& schema, const std::string& keyword,
                      bool validating);
// The keys that match a pattern of patternProperties.
Dfa pattern_of_keys(const SchemaDocument& document, const Json& schema, const std::string& pattern);

class ScalarRules {
public:
    explicit ScalarRules(SchemaDocument& document)
        : document_(&document),
          validator_(new ScalarRules(document, *this)),
          other_(validator_.get()) {}
    const Scalars& of(const Json& schema);
    // All valid values, not only those that are generated: what the negation excludes.
    const Scalars& valid(const Json& schema) {
        const Scalars& own = of(schema);
        return own.exact ? own : other_->of(schema);
    }

private:
    ScalarRules(SchemaDocument& document, ScalarRules& generator)
        : document_(&document), validating_(true), other_(&generator) {}
    Scalars work_out(const Json& schema);
    Scalars own(const Json& schema);
    Scalars of_types(const Json& schema) const;
    Scalars of_values(const std::vector<const Json*>& values, const Scalars& others) const;
    SharedDfa strings(const Json& schema, bool& exact) const;
    SharedDfa numbers(const Json& schema) const;

    SchemaDocument* document_;
    bool validating_ = false;
    std::unique_ptr<ScalarRules> validator_;
    ScalarRules* other_;  // of the generator the validator's, and the reverse
    std::map<const Json*, Scalars> known_;
    std::set<const Json*> in_progress_;
};

// All texts of least to most characters (most −1: no upper limit), as an automaton with a state for
// each length. Throws TooLarge.
Dfa of_length(long long least, long long most);

// The numbers of a set that stay valid when a reader rounds them to a double: those of at most 15
// digits. All numbers of the set if it is finite, if none is that short, or if rounding always
// leads to a number of the set (as for whole numbers from 5 on).
Dfa held_by_a_double(const Dfa& numbers);

// The spellings of numbers to generate, such that every reader holds them and finds them valid.
// numbers: the valid ones; none: any number. everyday: at most 15 digits, no exponents, whole
// numbers without a point. Otherwise all that the schema allows, but at most 15 digits if rounding
// could break a demand. Exponents have at most two digits. If there are demands, exponents are used
// only if all numbers on that side of 1 meet them.
Dfa written_numbers(const SharedDfa& numbers, bool everyday);

}  // namespace tbt
