#include "lib/grammar/schema/scalars.hpp"

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/schema/document.hpp"
#include "lib/grammar/schema/keywords.hpp"

namespace tbt {

namespace {
SharedDfa both(const SharedDfa& a, const SharedDfa& b) {
    if (!a || !b || a == b) return !a ? b : a;
    return a->empty() ? a : b->empty() ? b : SharedDfa(*a & *b);
}
SharedDfa either(const SharedDfa& a, const SharedDfa& b) {
    if (!a || !b || a == b) return !a ? a : b;
    return a->empty() ? b : b->empty() ? a : SharedDfa(*a | *b);
}
SharedDfa without(const SharedDfa& a, const SharedDfa& b, const Dfa& everything) {
    if (!b) return Dfa{};
    if (b->empty()) return a;
    return (a ? *a : everything) - *b;
}

const Dfa& all_strings() {
    static const Dfa all = Dfa::anything();
    return all;
}

// Merges the automata in pairs; one after another, thousands would take minutes.
Dfa one_of(std::vector<Dfa> numbers) {
    constexpr std::size_t most = 20000;  // each number needs at least one state
    const TooLarge too_many("a list of " + std::to_string(numbers.size()) +
                            " numbers takes more than " + std::to_string(most) +
                            " states; use fewer, or minimum and maximum");
    if (numbers.size() > most) throw too_many;
    try {
        for (std::size_t apart = 1; apart < numbers.size(); apart *= 2) {
            for (std::size_t i = 0; i + apart < numbers.size(); i += 2 * apart)
                numbers[i] = numbers[i] | numbers[i + apart];
        }
    } catch (const TooLarge&) {
        throw too_many;
    }
    return numbers[0];
}

constexpr int held_digits = 15;  // a double holds every number of so many digits

bool no_strings(const Scalars& s) { return s.strings && s.strings->empty(); }
bool no_numbers(const Scalars& s) { return s.numbers && s.numbers->empty(); }

}  // namespace

// One state for each length up to the last one that matters.
Dfa of_length(long long low, long long high) {
    constexpr long long longest = 20000;
    const long long last = high >= 0 ? high : low;
    if (last > longest)
        throw TooLarge("lengths above " + std::to_string(longest) +
                       " together with a pattern or with other strings take too many states; use "
                       "a smaller limit");
    Dfa length;
    for (long long n = 0; n <= last; ++n) {
        length.states.push_back({{}, n >= low});
        if (n < last) length.states.back().edges.push_back({CodePointSet::all(), to_int(n + 1)});
    }
    if (high < 0) length.states.back().edges.push_back({CodePointSet::all(), to_int(last)});
    return length;
}

SharedDfa Scalars::whole_strings() const {
    if ((least == 0 && most < 0) || no_strings(*this)) return strings;
    if (most >= 0 && most < least) return Dfa{};
    return both(of_length(least, most), strings);
}

Scalars operator&(const Scalars& a, const Scalars& b) {
    Scalars s{a.null && b.null, a.yes && b.yes, a.no && b.no, both(a.numbers, b.numbers),
              both(a.strings, b.strings)};
    s.least = std::max(a.least, b.least);
    s.most = a.most < 0 ? b.most : b.most < 0 ? a.most : std::min(a.most, b.most);
    s.exact = a.exact && b.exact;
    if (s.most >= 0 && s.most < s.least) s.strings = Dfa{};
    s.listed = a.listed || b.listed;
    s.listed_numbers = a.listed_numbers || b.listed_numbers;
    s.long_numbers = either(both(a.long_numbers, b.numbers), both(b.long_numbers, a.numbers));
    s.everyday = a.everyday != nullptr ? a.everyday : b.everyday;
    return s;
}
Scalars operator|(const Scalars& a, const Scalars& b) {
    Scalars s{a.null || b.null, a.yes || b.yes, a.no || b.no, either(a.numbers, b.numbers), {}};
    s.exact = a.exact && b.exact;
    const bool alike = a.least == b.least && a.most == b.most;
    s.listed = a.listed && b.listed;
    s.listed_numbers = (a.listed_numbers || no_numbers(a)) && (b.listed_numbers || no_numbers(b));
    s.long_numbers = either(a.long_numbers, b.long_numbers);
    s.everyday = a.everyday == b.everyday ? a.everyday : nullptr;
    if (alike || no_strings(a) || no_strings(b)) {
        const Scalars& lengths = no_strings(a) ? b : a;
        s.strings = either(a.strings, b.strings);
        s.least = lengths.least, s.most = lengths.most;
        if (no_strings(a) || no_strings(b))
            s.listed = lengths.listed, s.everyday = lengths.everyday;
    } else {
        s.strings = either(a.whole_strings(), b.whole_strings());
    }
    return s;
}
Scalars operator-(const Scalars& a, const Scalars& b) {
    Scalars s{a.null && !b.null, a.yes && !b.yes, a.no && !b.no,
              without(a.numbers, b.numbers, decimals()), a.strings};
    s.least = a.least, s.most = a.most, s.exact = a.exact && b.exact;
    s.listed = a.listed, s.listed_numbers = a.listed_numbers, s.everyday = a.everyday;
    s.long_numbers = without(a.long_numbers, b.numbers, decimals());
    if (!no_strings(b)) s.strings = without(a.strings, b.whole_strings(), all_strings());
    return s;
}

const Scalars& ScalarRules::of(const Json& schema) {
    if (const auto found = known_.find(&schema); found != known_.end()) return found->second;
    document_->check(schema);
    if (!in_progress_.insert(&schema).second)
        document_->unsupported(schema, "$ref", "is left-recursive: it refers directly to itself");
    Scalars scalars;
    try {
        scalars = work_out(schema);
    } catch (const TooLarge& e) {
        document_->too_large(schema, e);
    }
    in_progress_.erase(&schema);
    return known_.emplace(&schema, std::move(scalars)).first->second;
}

Scalars ScalarRules::work_out(const Json& schema) {
    if (schema.is_boolean()) return schema.get<bool>() ? Scalars::all() : Scalars::none();
    Scalars result;
    for (const Json* target : document_->references(schema)) result = result & of(*target);
    if (document_->ignores_siblings(schema)) return result;
    result = result & own(schema);
    if (schema.contains("allOf")) {
        for (const Json& part : schema.at("allOf")) result = result & of(part);
    }
    if (schema.contains("anyOf")) {
        Scalars any = Scalars::none();
        for (const Json& part : schema.at("anyOf")) any = any | of(part);
        result = result & any;
    }
    if (schema.contains("oneOf")) {
        Scalars one = Scalars::none(), some = Scalars::none();
        for (const Json& part : schema.at("oneOf")) {
            const Scalars& next = valid(part);
            one = (one - next) | (of(part) - some);
            some = some | next;
        }
        result = result & one;
    }
    if (schema.contains("not")) result = result - valid(schema.at("not"));
    if (document_->has_condition(schema)) {
        const Scalars condition = of(schema.at("if"));
        const Scalars then = schema.contains("then") ? of(schema.at("then")) : Scalars::all();
        const Scalars otherwise = schema.contains("else") ? of(schema.at("else")) : Scalars::all();
        result = result & ((condition & then) | (otherwise - valid(schema.at("if"))));
    }
    return result;
}

// The values that the schema's own keywords allow, without those that apply subschemas.
Scalars ScalarRules::own(const Json& schema) {
    Scalars result = of_types(schema);
    result.least = count_of(schema, "minLength", 0);
    result.most = count_of(schema, "maxLength", -1);
    if (result.most >= 0 && result.most < result.least) result.strings = Dfa{};
    if (!no_strings(result)) result.strings = both(result.strings, strings(schema, result.exact));
    if (document_->has_format(schema))
        result.everyday = everyday_format(schema.at("format").get<std::string>());
    if (!no_numbers(result)) result.numbers = both(result.numbers, numbers(schema));
    bool restricted = false;
    const std::vector<const Json*> values = listed_values(schema, restricted);
    return restricted ? of_values(values, result) : result;
}

Scalars ScalarRules::of_types(const Json& schema) const {
    Scalars s;
    s.null = type_allows(*document_, schema, "null");
    s.yes = s.no = type_allows(*document_, schema, "boolean");
    if (!type_allows(*document_, schema, "string")) s.strings = Dfa{};
    const bool without_point = document_->draft_of(schema) == 4;  // 1.0 is not an integer there
    if (!type_allows(*document_, schema, "number"))
        s.numbers = !type_allows(*document_, schema, "integer") ? Dfa{}
                    : without_point                             ? whole_numbers_without_point()
                                                                : whole_numbers();
    return s;
}

// The listed values that are in `others`. Tested one by one, since an intersection may be large.
Scalars ScalarRules::of_values(const std::vector<const Json*>& values,
                               const Scalars& others) const {
    Scalars s = Scalars::none();
    s.exact = others.exact, s.listed = s.listed_numbers = true;
    std::vector<std::string> strings, long_numbers;
    std::vector<Dfa> numbers;
    const auto string_meets = [&](const std::string& text) {
        const long long length = count(code_points_of(text, "text"));
        return length >= others.least && (others.most < 0 || length <= others.most) &&
               (!others.strings || others.strings->accepts(text));
    };
    for (const Json* value : values) {
        const Json& v = *value;
        if (v.is_null()) s.null = others.null;
        if (v.is_boolean()) (v.get<bool>() ? s.yes : s.no) = v.get<bool>() ? others.yes : others.no;
        if (v.is_string() && string_meets(v.get<std::string>()))
            strings.push_back(v.get<std::string>());
        if (!v.is_number()) continue;
        const Decimal number = Decimal::parse(json_text(v));
        if (others.numbers && !others.numbers->accepts(number.text())) continue;
        numbers.push_back(equal_to(number));
        if (number.whole.size() + number.fraction.size() > held_digits)
            long_numbers.push_back(number.text());
    }
    if (!long_numbers.empty()) s.long_numbers = Dfa::of(long_numbers);
    if (!numbers.empty()) s.numbers = one_of(std::move(numbers));
    if (!strings.empty()) s.strings = Dfa::of(strings);
    return s;
}

SharedDfa language_of(SchemaDocument& document, const Json& schema, const std::string& keyword,
                      bool validating) {
    if (!schema.contains(keyword)) return {};
    const Json& value = schema.at(keyword);
    try {
        if (keyword == "pattern") return regex_search(value.get<std::string>(), "pattern");
        if (keyword == "format") return format_language(value.get<std::string>(), validating);
        if (!value.is_number()) return {};
        const Decimal d = Decimal::parse(json_text(value));
        // In draft 4 an exclusive bound is a bound with "exclusiveMinimum": true beside it.
        const auto strict = [&](const char* other) {
            return schema.contains(other) && schema.at(other) == Json(true);
        };
        if (keyword == "minimum") return at_least(d, strict("exclusiveMinimum"));
        if (keyword == "exclusiveMinimum") return at_least(d, true);
        if (keyword == "maximum") return at_most(d, strict("exclusiveMaximum"));
        if (keyword == "exclusiveMaximum") return at_most(d, true);
        return multiple_of(d);
    } catch (const UnsupportedSchema&) {
        throw;
    } catch (const UsageError& e) {
        document.unsupported(schema, keyword, std::string("cannot be enforced: ") + e.what());
    }
}

Dfa pattern_of_keys(const SchemaDocument& document, const Json& schema,
                    const std::string& pattern) {
    try {
        return regex_search(pattern, "pattern");
    } catch (const UsageError& e) {
        document.unsupported(schema, "patternProperties",
                             std::string("cannot be enforced: ") + e.what());
    }
}

SharedDfa ScalarRules::strings(const Json& schema, bool& exact) const {
    SharedDfa language = language_of(*document_, schema, "pattern", validating_);
    if (document_->has_format(schema)) {
        language = both(language, language_of(*document_, schema, "format", validating_));
        exact = !written_narrower(schema.at("format").get<std::string>());
    }
    return language;
}

SharedDfa ScalarRules::numbers(const Json& schema) const {
    SharedDfa language;
    for (const char* keyword : number_keywords)
        language = both(language, language_of(*document_, schema, keyword, validating_));
    const Dfa* const format = document_->has_format(schema)
                                  ? number_format(schema.at("format").get<std::string>())
                                  : nullptr;
    return format == nullptr ? language : both(language, *format);
}

// ---- numbers that programs can read without rounding that matters ----

namespace {

// At most `most` digits, with an optional sign and at most one point. A state is what was read.
Dfa of_digits(int most) {
    const CodePointSet digits('0', '9');
    const auto state = [&](int read, bool point) { return 1 + 2 * read + (point ? 1 : 0); };
    Dfa dfa;
    dfa.states.push_back({{{CodePointSet('-', '-'), state(0, false)}, {digits, state(1, false)}}});
    for (int read = 0; read <= most; ++read) {
        for (const bool point : {false, true}) {
            Dfa::State s{{}, true};
            if (read < most) s.edges.push_back({digits, state(read + 1, point)});
            if (!point) s.edges.push_back({CodePointSet('.', '.'), state(read, true)});
            dfa.states.push_back(std::move(s));
        }
    }
    return dfa;
}

bool same(const Dfa& a, const Dfa& b) { return (a - b).empty() && (b - a).empty(); }

// Does rounding to a double keep every number in the set? True for whole numbers if, for each sign,
// the set has all long ones or none. True for all numbers from zero on, or all above it (a double
// is zero below 5e-324 only).
bool may_be_rounded(const Dfa& numbers) {
    if (!(numbers - whole_numbers()).empty()) {
        const Decimal zero;
        return same(numbers, at_least(zero, false)) || same(numbers, at_least(zero, true));
    }
    static const Dfa long_ones_of[] = {regex_full_match("[1-9][0-9]{15,}"),
                                       regex_full_match("-[1-9][0-9]{15,}")};
    for (const Dfa& long_ones : long_ones_of) {
        if (!(long_ones - numbers).empty() && !(long_ones & numbers).empty()) return false;
    }
    return true;
}

// The numbers of at most 15 digits, or of as many as there are states for; if there are none, all.
Dfa short_numbers(const Dfa& numbers) {
    static const Dfa short_ones = of_digits(held_digits), zero = equal_to(Decimal());
    try {
        const Dfa held = numbers & short_ones;
        return held.empty() ? numbers : held;
    } catch (const TooLarge&) {
        int most = 0;
        for (int states = 1, more = 10; states + more < 20000; ++most)
            states += more, more = std::min(10 * more, count(numbers.states));
        const Dfa held = numbers & of_digits(most);
        if (!(held - zero).empty()) return held;
        throw TooLarge("its multiples need too many states; whole steps up to 10,000 fit");
    }
}

// d.ddd × 10^n lies between 0 and 1 for every n < 0, and is at least 1 for every other n. Adds the
// spellings with exponents for each side of which all numbers are allowed.
Dfa with_exponents(const Dfa& numbers, Dfa written) {
    struct Side {
        Dfa all, spelled;
    };
    static const std::vector<Side> sides = [] {
        const std::string mantissa = "[1-9](?:\\.[0-9]{1,14})?[eE]";
        std::vector<Side> made;
        for (const std::string sign : {"", "-"}) {
            made.push_back({regex_full_match(sign + "0\\.[0-9]*[1-9][0-9]*"),
                            regex_full_match(sign + mantissa + "-(?:0?[1-9]|[1-9][0-9])")});
            made.push_back({regex_full_match(sign + "[1-9][0-9]*(?:\\.[0-9]+)?"),
                            regex_full_match(sign + mantissa + "\\+?[0-9]{1,2}")});
            made.push_back({regex_full_match(sign + "[1-9][0-9]*"),
                            regex_full_match(sign + "[1-9][0-9]{0,14}[eE]\\+?[0-9]{1,2}")});
        }
        return made;
    }();
    for (const Side& side : sides)
        if ((side.all - numbers).empty()) written = written | side.spelled;
    return written;
}

}  // namespace

Dfa held_by_a_double(const Dfa& numbers) {
    try {
        if (longest_length(numbers) >= 0 || may_be_rounded(numbers)) return numbers;
    } catch (const TooLarge&) {  // it could not be found out
    }
    return short_numbers(numbers);
}

Dfa written_numbers(const SharedDfa& numbers, bool everyday) {
    static const Dfa any =
        regex_full_match("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]{1,2})?");
    if (everyday) {
        const Dfa held = short_numbers(numbers ? *numbers : decimals());
        return (held - whole_numbers()).empty() ? held & plain_integers() : held;
    }
    if (!numbers) return any;
    static const Dfa whole = with_exponents(whole_numbers(), whole_numbers());
    if (*numbers == whole_numbers()) return whole;
    Dfa held = held_by_a_double(*numbers);
    // In draft 4 a whole number has no exponent either.
    return (*numbers - whole_numbers_without_point()).empty() ? held
                                                              : with_exponents(*numbers, held);
}

}  // namespace tbt
