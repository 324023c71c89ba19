#include "lib/grammar/schema/distinct_items.hpp"

#include <algorithm>
#include <optional>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

namespace {

using Listed = std::optional<std::vector<const Json*>>;
constexpr int max_levels = 16;  // nesting of subschemas
constexpr std::size_t max_values = 256;
// Near the end of a budget, a completion with `least` items is built after each value of each item.
constexpr double max_nodes = 1.5e6, blank_nodes = 16;

void add(std::vector<const Json*>& values, const Json* value) {
    const auto same = [&](const Json* v) { return *v == *value; };
    if (std::none_of(values.begin(), values.end(), same)) values.push_back(value);
}

void narrow(Listed& to, const Listed& by) {
    if (by && (!to || by->size() < to->size())) to = by;
}

// The values of a schema that allows nothing but null, true and false.
Listed words(const Json& schema) {
    static const Json null, yes = true, no = false;
    if (!schema.contains("type")) return std::nullopt;
    for (const char* type : {"string", "number", "integer", "object", "array"})
        if (type_allows(schema, type)) return std::nullopt;
    std::vector<const Json*> values;
    if (type_allows(schema, "boolean")) values = {&no, &yes};
    if (type_allows(schema, "null")) values.push_back(&null);
    return values;
}

Listed listed(SchemaDocument& document, const Json& schema, int depth) {
    if (schema.is_boolean())
        return schema.get<bool>() ? Listed() : Listed(std::vector<const Json*>());
    if (depth == max_levels) return std::nullopt;
    document.check(schema);
    Listed found;
    for (const Json* target : document.references(schema))
        narrow(found, listed(document, *target, depth + 1));
    if (document.ignores_siblings(schema)) return found;
    bool restricted = false;
    const std::vector<const Json*> own = listed_values(schema, restricted);
    if (restricted) {
        std::vector<const Json*> once;
        for (const Json* v : own) add(once, v);
        narrow(found, once);
    }
    narrow(found, words(schema));
    if (schema.contains("allOf"))
        for (const Json& part : schema.at("allOf"))
            narrow(found, listed(document, part, depth + 1));
    for (const char* any : {"anyOf", "oneOf"}) {
        if (!schema.contains(any)) continue;
        Listed all = std::vector<const Json*>();
        for (const Json& part : schema.at(any)) {
            const Listed some = listed(document, part, depth + 1);
            if (!some) all.reset();
            if (!all) break;
            for (const Json* v : *some) add(*all, v);
        }
        narrow(found, all);
    }
    return found;
}

std::vector<const Json*> kinds_of_values(SchemaDocument& document) {
    std::vector<const Json*> kinds;
    const auto add = [&](Json kind) { kinds.push_back(&document.keep(std::move(kind))); };
    for (const Json& word : {Json(), Json(false), Json(true)}) add({{"const", word}});
    add({{"type", "array"}});
    add({{"type", "object"}});
    // Kinds of strings: by the first letter or digit.
    add({{"type", "string"}, {"maxLength", 0}});
    const auto beginning = [&](const std::string& with) {
        add({{"type", "string"}, {"pattern", "^[" + with + "]"}});
    };
    for (char c = 'a'; c <= 'z'; ++c) beginning({c, static_cast<char>(c - 'a' + 'A')});
    for (char c = '0'; c <= '9'; ++c) beginning({c});
    beginning("^a-zA-Z0-9");
    // Kinds of numbers: by size, since 5 and 5.0 are the same value.
    add({{"type", "number"}, {"exclusiveMaximum", 0}});
    for (int step = 1; step <= 10; step *= 10)
        for (int from = step == 1 ? 0 : step; from < 10 * step; from += step)
            add({{"type", "number"}, {"minimum", from}, {"exclusiveMaximum", from + step}});
    add({{"type", "number"}, {"minimum", 100}});
    return kinds;
}

}  // namespace

std::vector<Conjunction> distinct_items(SchemaDocument& document, ShapeRules& shapes,
                                        std::vector<const Json*>& kinds, const ArrayPlan& plan,
                                        const Conjunction& facts) {
    Listed values;
    for (const Json* schema : plan.rest) narrow(values, listed(document, *schema, 0));
    const bool few = values && values->size() <= max_values;
    const std::string otherwise =
        "is generated only for items with a list of at most 256 values (enum, const or boolean), "
        "without prefixItems and contains; list the values, or leave it out";
    if (!plan.prefix.empty() || !plan.counts.empty())
        document.unsupported(*facts[0], "uniqueItems", otherwise);
    if (!few)
        document.tell(*facts[0], "uniqueItems", "", otherwise,
                      "without a list of values: at most one item of each kind is generated "
                      "(strings by first letter, numbers by size, one object, one array)");
    if (!few && kinds.empty()) kinds = kinds_of_values(document);
    std::vector<Conjunction> items;
    const auto add = [&](const Json& one) {
        Conjunction item = join(plan.rest, {&one});
        if (!shapes.impossible(item)) items.push_back(std::move(item));
    };
    if (few)
        for (const Json* v : *values) add(document.keep({{"const", *v}}));
    else
        for (const Json* kind : kinds) add(*kind);
    const auto n = static_cast<double>(few ? values->size() : items.size());
    if (n * n * (n + blank_nodes) * static_cast<double>(plan.least) > max_nodes)
        document.unsupported(*facts[0], "minItems",
                             "is too large for so many values that must all be different; list "
                             "fewer values, or ask for fewer items");
    return items;
}

DistinctItems::DistinctItems(std::vector<int> values, int least, int most, Blanks blanks)
    : values_(std::move(values)),
      least_(least),
      most_(most < 0 ? count(values_) : std::min(most, count(values_))),
      blanks_(std::move(blanks)) {}

int DistinctItems::first_node(Grammar& grammar, int index) {
    index_ = index;
    return nodes_.at(grammar, index_, {Where::first, {}});
}

// The items that must still come. After a comma that is at least one.
int DistinctItems::needed(const Key& key) const {
    return std::max(key.first == Where::item ? 1 : 0, least_ - count(key.second));
}

// The cost of the cheapest remaining items and the text between them.
int DistinctItems::cost(const Measure& measure, int node) const {
    const Key& key = nodes_.of(node);
    const int items = needed(key);
    if (key.first == Where::first && items == 0) return 1;  // the closing bracket
    std::vector<int> left;
    for (int i = 0; i < count(values_); ++i)
        if (key.second.count(i) == 0) left.push_back(measure.rule(values_[index(i)]));
    if (items > count(left) || count(key.second) + items > most_) return Grammar::never;
    std::partial_sort(left.begin(), left.begin() + items, left.end());
    int all = measure.of(blanks_.close + "]");
    for (int i = 0; i < items; ++i) all = saturating_add(all, left[index(i)]);
    // A comma before each item, except before the first of the array and after a comma.
    const int commas = key.first == Where::after ? items : items - 1;
    if (key.first == Where::first) all += measure.of(blanks_.open);
    return saturating_add(all, measure.of("," + blanks_.comma) * commas);
}

void DistinctItems::expand(Grammar& grammar, int node) {
    const Key key = nodes_.of(node);
    const auto& [where, written] = key;
    const int inner = grammar.add_node();
    grammar.skip(node, inner);
    const int free = blanks_.free ? add_blanks(grammar, inner, blanks_.most) : inner;
    const auto fixed = [&](const std::string& text) {
        return blanks_.free ? free : grammar.bytes(free, text);
    };
    if (where != Where::item && count(written) >= least_) {
        const int end = grammar.add_node();
        grammar.edge(where == Where::first ? free : fixed(blanks_.close), ']', ']', end);
        grammar.node(end).final = true;
    }
    if (count(written) >= most_) return;
    if (where == Where::after) {
        const std::string text = "," + (blanks_.free ? std::string() : blanks_.comma);
        const int last = grammar.bytes(free, text.substr(0, text.size() - 1));
        const auto byte = static_cast<std::uint8_t>(text.back());
        return grammar.edge(last, byte, byte, nodes_.at(grammar, index_, {Where::item, written}));
    }
    const int at = where == Where::first ? fixed(blanks_.open) : free;
    for (int i = 0; i < count(values_); ++i) {
        if (written.count(i) != 0 || grammar.rule(values_[index(i)]).cost >= Grammar::never)
            continue;
        std::set<int> then = written;
        then.insert(i);
        grammar.call(at, values_[index(i)], nodes_.at(grammar, index_, {Where::after, then}));
    }
}

}  // namespace tbt
