#include "lib/grammar/schema/schema.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/schema/arrays.hpp"
#include "lib/grammar/schema/document.hpp"
#include "lib/grammar/schema/keywords.hpp"
#include "lib/grammar/schema/objects.hpp"
#include "lib/grammar/schema/scalars.hpp"
#include "lib/grammar/schema/shapes.hpp"
#include "lib/grammar/schema/strings.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

constexpr long long max_counted_members = 1000;
constexpr std::size_t max_counters = 4, max_ways_to_satisfy = 64;
constexpr double max_array_states = 1e6 + 1;
// Other data that is built with a grammar of this size takes about as much memory again.
constexpr int max_nodes = 800'000;
constexpr std::size_t max_bytes = 84'000'000;

// ---- why a schema is empty ----

using IsEmpty = std::function<bool(const Conjunction&)>;

// A keyword that requires a member or an item, and the demands on that value.
struct Asked {
    Conjunction by;
    const char* keyword = nullptr;
    std::string what;
    Conjunction value;
};

Asked member_of(const ObjectPlan& plan, const Conjunction& facts, const IsEmpty& is_empty) {
    for (const ObjectPlan::Member& m : plan.members)
        if (m.required && is_empty(m.value))
            return {facts, "required", "\"" + shown(m.name) + "\"", m.value};
    return {facts, "minProperties", "more members than there can be", {}};
}

Asked item_of(const ArrayPlan& plan, const Conjunction& facts, const IsEmpty& is_empty) {
    for (const ItemCount& c : plan.counts)
        if (c.least > 0 && is_empty({c.value})) return {facts, "contains", "an item", {c.value}};
    for (long long i = 0; i < plan.least && i <= std::ssize(plan.prefix); ++i) {
        const Conjunction& item =
            i < std::ssize(plan.prefix) ? at(plan.prefix, to_int(i)) : plan.rest;
        if (is_empty(item)) return {facts, "minItems", "an item", item};
    }
    return {facts, "minItems", "more items than there can be", {}};
}

// The schema with the keyword (null: any schema) whose path comes first: pointers have no useful
// order.
const Json& first_of(const SchemaDocument& document, const Conjunction& demands,
                     const char* keyword) {
    std::map<std::string, const Json*> by_place;
    for (const Json* schema : demands)
        if (keyword == nullptr || schema->contains(keyword))
            by_place.emplace(document.path_of(*schema), schema);
    return by_place.empty() ? *demands[0] : *by_place.begin()->second;
}

// The keywords with which the schema itself restricts a value, for messages.
std::string keywords_of(const Json& schema) {
    static const std::set<std::string> silent = {"$ref",        "$at",    "$id",         "$schema",
                                                 "$defs",       "allOf",  "definitions", "title",
                                                 "description", "$silent"};
    if (schema.is_boolean()) return "false";
    std::string all;
    for (const auto& [key, value] : schema.items())
        if (silent.count(key) == 0) all += (all.empty() ? "'" : ", '") + shown(key) + "'";
    return all;
}

// These schemas, and those that they refer to or have in allOf.
Conjunction together(SchemaDocument& document, Conjunction open) {
    std::set<const Json*> seen;
    while (!open.empty()) {
        const Json* schema = open.back();
        open.pop_back();
        if (*schema == Json(true) || !seen.insert(schema).second || !schema->is_object()) continue;
        for (const Json* target : document.references(*schema)) open.push_back(target);
        if (schema->contains("allOf"))
            for (const Json& part : schema->at("allOf")) open.push_back(&part);
    }
    std::erase_if(seen, [](const Json* s) { return keywords_of(*s).empty(); });
    return {seen.begin(), seen.end()};
}

// demands: schemas that no value meets together. Follows what they require, down to a value that is
// impossible or that requires a value like itself without end, and throws UsageError with its
// place. is_empty(demands): does no value meet these demands?
[[noreturn]] void refuse_empty_schema(SchemaDocument& document, ShapeRules& shapes,
                                      const IsEmpty& is_empty, Conjunction demands) {
    std::set<Conjunction> seen{demands};
    while (true) {
        std::map<std::string, Asked> by_place;
        const auto add = [&](Asked asked) {
            asked.by = {&first_of(document, asked.by, asked.keyword)};
            by_place.emplace(document.path_of(*asked.by[0]), std::move(asked));
        };
        for (const Conjunction& facts : shapes.of(demands, "object"))
            if (!facts.empty()) add(member_of(shapes.facts().members(facts), facts, is_empty));
        for (const Conjunction& facts : shapes.of(demands, "array"))
            if (!facts.empty()) add(item_of(shapes.facts().arrays(facts), facts, is_empty));
        if (by_place.empty()) break;
        const Asked& asked = by_place.begin()->second;
        const Json& by = *asked.by[0];
        const std::string says = std::string("'") + asked.keyword + "' asks for " + asked.what;
        if (asked.value.empty()) document.wrong(by, says);
        for (const Json* schema : asked.value)
            if (*schema == Json(false))
                document.wrong(by, says + ", whose schema is false: no value is allowed there");
        if (!seen.insert(asked.value).second)
            document.wrong(by, says +
                                   ", whose value requires another one inside, without end; make "
                                   "it optional, or let it be null");
        demands = asked.value;
    }
    // No part of the value is the cause: the demands on the value itself contradict each other.
    const Conjunction all = together(document, demands);
    const Json& first = first_of(document, all.empty() ? demands : all, nullptr);
    std::set<std::string> others;
    for (const Json* schema : all)
        if (schema != &first)
            others.insert(" beside " + keywords_of(*schema) + " of " + document.path_of(*schema));
    std::string beside;
    for (const std::string& other : others) beside += other;
    document.wrong(first, keywords_of(first) + shown(beside) + ": no value satisfies this");
}

// ---- the compiler ----

// Different keys of a class: all of them if they are fewer than asked for, else the bytes of the
// longest of so many short ones (−1: unknown).
struct SeveralKeys {
    std::vector<std::string> all;
    int longest = -1;
};

SeveralKeys several_keys(const Dfa& keys, long long wanted) {
    constexpr int most_characters = 1000;
    SeveralKeys found;
    found.longest = enough_characters(keys, wanted);  // in letters of one byte
    if (found.longest >= 0) return found;
    // Breadth first, with all letters. No state needs more than so many texts that lead there.
    std::map<int, std::vector<std::string>> now{{0, {""}}};
    for (int length = 0; length <= most_characters && !now.empty(); ++length) {
        std::map<int, std::vector<std::string>> next;
        for (const auto& [state, texts] : now) {
            for (const std::string& text : texts) {
                if (!at(keys.states, state).accepting) break;
                found.all.push_back(text);
                found.longest = std::max(found.longest, count(json_text(Json(text))) - 2);
                if (length_of(found.all) >= wanted) return {{}, found.longest};
            }
            for (const Dfa::Edge& e : at(keys.states, state).edges)
                for (const CodePointSet::Range& range : e.on.ranges())
                    for (std::int32_t c = range.low; c <= range.high; ++c) {
                        std::vector<std::string>& longer = next[e.to];
                        if (length_of(longer) >= wanted) break;
                        for (std::string text : texts)
                            append_utf8(text, c), longer.push_back(std::move(text));
                    }
        }
        now.swap(next);
    }
    return now.empty() ? SeveralKeys{std::move(found.all), -1} : SeveralKeys{};
}

class SchemaCompiler {
public:
    SchemaCompiler(SchemaDocument& document, const SchemaOptions& options)
        : document_(document),
          options_(options),
          scalars_(document),
          shapes_(document, scalars_),
          strings_(options, document.name()) {}

    Grammar compile() {
        grammar_.limit_nodes(max_nodes);
        const int root = grammar_.add_rule("root"),
                  value = rule_for(Conjunction{&document_.root()}, 0);
        // Building a rule may request further rules. A list replaces recursion, since schemas may
        // refer to themselves.
        while (!open_.empty()) {
            const auto [demands, rule, depth] = open_.back();
            open_.pop_back();
            depth_ = std::min(depth + 1, deepest);
            try {
                build(demands, rule);
                check_size();
            } catch (const TooLarge& e) {
                document_.too_large(demands.empty() ? document_.root() : *demands[0], e);
            }
        }
        const int start = grammar_.add_node();
        const int around = options_.layout == JsonLayout::any ? options_.max_whitespace : 0;
        const int end =
            add_blanks(grammar_, grammar_.call(add_blanks(grammar_, start, around), value), around);
        grammar_.node(end).final = true;
        grammar_.rule(root).start = start;
        grammar_.finish(root);
        if (grammar_.rule(value).cost >= Grammar::never) refuse_empty();
        return std::move(grammar_);
    }

private:
    // The white space in the container that is being built.
    Blanks blanks() const {
        Blanks b;
        b.most = options_.max_whitespace;
        b.free = options_.layout == JsonLayout::any;
        if (options_.layout == JsonLayout::line) b.comma = b.colon = " ";
        if (options_.layout != JsonLayout::pretty) return b;
        const auto line = [](int depth) { return "\n" + std::string(2 * index(depth), ' '); };
        b.open = b.comma = line(depth_);
        b.close = line(depth_ - 1);
        b.colon = " ";
        return b;
    }

    // What a schema and its parts say about values: without titles and descriptions.
    static Json meaning(const Json& schema) {
        if (!schema.is_object()) return schema;
        Json rest = Json::object();
        for (const auto& [key, value] : schema.items()) {
            if (key == "anyOf" || key == "oneOf" || key == "allOf") {
                Json parts = Json::array();
                for (const Json& part : value) parts.push_back(meaning(part));
                rest[key] = std::move(parts);
            } else if (restricts(key)) {
                rest[key] = key == "items" ? meaning(value) : value;
            }
        }
        return rest;
    }

    // Schemas that say the same share a rule and its tables: the first one seen represents all. A
    // schema with references is always its own representative, since its place matters, and so is
    // one with properties, which have an order.
    Conjunction alike(Conjunction demands) {
        for (const Json*& schema : demands) {
            const auto [known, added] = alike_.try_emplace(schema, schema);
            if (added) document_.check(*schema);
            const std::string text = added ? json_text(meaning(*schema)) : "";
            if (added && text.find("\"$") == text.npos && text.find("roperties\"") == text.npos)
                known->second =
                    texts_.try_emplace({document_.draft_of(*schema), text}, schema).first->second;
            schema = known->second;
        }
        return join(demands, {});
    }
    int rule_for(const Conjunction& demands) { return rule_for(alike(demands), depth_); }
    // There is one rule for each list of demands; in the layout `pretty`, one for each depth too.
    int rule_for(const Conjunction& demands, int depth) {
        if (options_.layout != JsonLayout::pretty) depth = 0;
        const auto [place, added] = rules_.try_emplace({demands, depth}, 0);
        if (added) {
            place->second = grammar_.add_rule("value " + std::to_string(rules_.size()));
            open_.push_back({demands, place->second, depth});
        }
        return place->second;
    }

    // Throws TooLarge if the grammar takes too much memory. Adds up the nodes that are new.
    void check_size() {
        for (; measured_ < grammar_.nodes(); ++measured_) {
            // An estimate: lists of edges have spare room, and an allocation has at least 32 bytes.
            const std::size_t edges = grammar_.node(measured_).bytes.size();
            bytes_ += sizeof(Grammar::Node) + 3 * edges * sizeof(Grammar::ByteEdge);
        }
        if (bytes_ > max_bytes)
            throw TooLarge("the grammar takes more than " + std::to_string(max_bytes / 1'000'000) +
                           " MB; ask for fewer members or alternatives");
    }

    // Some valid values cannot be written. The user is told once (or refused, if options.strict).
    // They are also refused if nothing else could be written.
    void skip(const Json& schema, const std::string& keyword, const std::string& why) {
        document_.tell(schema, keyword, "", why, why + "; values that need it are not generated");
        if (skipped_ == nullptr) skipped_ = &schema, skipped_keyword_ = keyword, skipped_why_ = why;
    }

    [[noreturn]] void refuse_empty() {
        if (skipped_ != nullptr) document_.unsupported(*skipped_, skipped_keyword_, skipped_why_);
        const auto is_empty = [this](const Conjunction& value) {
            const Conjunction demands = alike(value);
            const auto rule = rules_.lower_bound({demands, 0});  // any depth will do
            return rule != rules_.end() && rule->first.first == demands &&
                   grammar_.rule(rule->second).cost >= Grammar::never;
        };
        refuse_empty_schema(document_, shapes_, is_empty, {&document_.root()});
    }

    void build(const Conjunction& demands, int rule) {
        const int start = grammar_.add_node(), end = grammar_.add_node();
        grammar_.node(end).final = true;
        grammar_.rule(rule).start = start;
        Scalars scalars;
        for (const Json* schema : demands) scalars = scalars & scalars_.of(*schema);
        add_scalars(scalars, start, end);
        if (const Alternatives objects = shapes_.of(demands, "object"); !objects.empty()) {
            const SchemaFacts::Order order = shapes_.facts().order_of(demands);
            for (const Conjunction& facts : objects) add_object(facts, order, start, end);
        }
        for (const Conjunction& facts : shapes_.of(demands, "array")) add_array(facts, start, end);
    }

    // The spellings of the numbers of a set. Some are stored: a schema has few sets, but often.
    SharedDfa written(const Scalars& s) {
        constexpr std::size_t most = 64;
        for (const auto& [numbers, listed, spelled] : written_)
            if (listed == s.listed_numbers && numbers == s.numbers) return spelled;
        SharedDfa spelled = written_numbers(s.numbers, options_.everyday);
        if (options_.everyday && s.listed_numbers) spelled = *spelled & plain_decimals();
        if (written_.size() < most) written_.emplace_back(s.numbers, s.listed_numbers, spelled);
        return spelled;
    }

    void add_scalars(const Scalars& s, int start, int end) {
        if (s.null) grammar_.skip(grammar_.bytes(start, "null"), end);
        if (s.yes) grammar_.skip(grammar_.bytes(start, "true"), end);
        if (s.no) grammar_.skip(grammar_.bytes(start, "false"), end);
        if (!s.numbers || !s.numbers->empty()) {
            SharedDfa numbers = written(s);
            if (!s.long_numbers->empty()) numbers = *numbers | *s.long_numbers;
            grammar_.skip(add_dfa(grammar_, *numbers, start, Spelling::utf8), end);
        }
        if (s.has_strings()) strings_.add(grammar_, s, start, end);
    }

    void add_object(const Conjunction& facts, const SchemaFacts::Order& order, int start, int end) {
        ObjectPlan plan = shapes_.facts().objects(facts, options_.closed);
        shapes_.facts().put_in_order(plan, facts, order);
        if (plan.least > max_counted_members)
            document_.unsupported(*facts[0], "minProperties",
                                  "above 1000 needs too large a grammar; use a smaller limit");
        for (ObjectPlan::Member& c : plan.classes) {
            if (std::exchange(c.needs, 0u) == 0) continue;
            skip(*facts[0], "not",
                 "applies to keys that the schema does not name; set additionalProperties to "
                 "false");
        }
        ObjectShape shape;
        shape.least = static_cast<int>(plan.least);
        shape.most = static_cast<int>(plan.most);
        bool known = plan.classes.empty();
        for (ObjectPlan::Member& c : plan.classes) {
            const SeveralKeys keys = several_keys(c.keys, std::max(plan.least, 1LL));
            for (const std::string& name : keys.all)
                plan.members.push_back({name, {}, c.value, false, 0u});
            known = known || !keys.all.empty() || keys.longest >= 0;
            if (keys.all.empty())
                shape.classes.push_back({std::move(c.keys), rule_for(c.value), keys.longest});
        }
        if (!known && plan.least > count(plan.members))
            document_.unsupported(
                *facts[0], "minProperties",
                "needs keys of more than 1000 characters; name them in properties");
        for (const Members& members : serving(plan, facts)) {
            shape.members.clear();
            for (const ObjectPlan::Member& m : members)
                shape.members.push_back({m.name, rule_for(m.value), m.required});
            auto made = std::make_unique<ObjectAnnotations>(shape, blanks());
            ObjectAnnotations& object = *made;
            const int index = grammar_.add_annotations(std::move(made));
            add_container("object", '{', start, end,
                          [&] { return object.add_nodes(grammar_, index); });
            bytes_ +=
                object.nodes_to_come() * (sizeof(Grammar::Node) + 3 * sizeof(Grammar::ByteEdge));
        }
    }

    // For the needs "some member meets this": the members for each choice of who does.
    using Members = std::vector<ObjectPlan::Member>;
    std::vector<Members> serving(const ObjectPlan& plan, const Conjunction& facts) const {
        std::vector<Members> ways{plan.members};
        for (std::size_t n = 0; n < plan.needs.size(); ++n) {
            std::vector<Members> next;
            for (const Members& way : ways) {
                const auto serves = [&](const ObjectPlan::Member& m) {
                    return (m.needs >> n & 1) != 0;
                };
                const auto comes_anyway = [&](const ObjectPlan::Member& m) {
                    return serves(m) && m.required && *plan.needs[n] == Json(true);
                };
                if (std::any_of(way.begin(), way.end(), comes_anyway)) {
                    next.push_back(way);
                    continue;
                }
                for (std::size_t i = 0; i < way.size(); ++i) {
                    if (!serves(way[i])) continue;
                    next.push_back(way);
                    ObjectPlan::Member& m = next.back()[i];
                    m.required = true, m.value = join(m.value, {plan.needs[n]});
                }
                if (next.size() > max_ways_to_satisfy)
                    document_.unsupported(*facts[0], "not",
                                          "can be satisfied by the members in more than " +
                                              std::to_string(max_ways_to_satisfy) +
                                              " ways; use a simpler 'not'");
            }
            ways = std::move(next);
        }
        return ways;
    }

    void add_array(const Conjunction& facts, int start, int end) {
        const ArrayPlan plan = shapes_.facts().arrays(facts);
        if ((plan.most >= 0 && plan.most < plan.least) || (plan.unique && plan.repeats)) return;
        if (plan.repeats)
            return skip(*facts[0], "uniqueItems",
                        "under 'not' would need to remember all items, which a grammar cannot");
        if (plan.unique && (plan.most < 0 || plan.most > 1))
            return add_distinct(plan, facts, start, end);
        ArrayShape shape;
        shape.least = static_cast<int>(plan.least);
        shape.most = static_cast<int>(plan.most);
        std::size_t positions = plan.prefix.size();
        for (const ItemCount& c : plan.counts) {
            shape.counters.push_back(
                {static_cast<int>(c.from), static_cast<int>(c.least), static_cast<int>(c.most)});
            positions = std::max(positions, static_cast<std::size_t>(c.from));
        }
        shape.rules.resize(positions + 1);
        if (plan.counts.size() > max_counters || shape.count_states() > max_array_states)
            document_.unsupported(*facts[0],
                                  !plan.counts.empty()     ? "contains"
                                  : plan.most > plan.least ? "maxItems"
                                                           : "minItems",
                                  "needs too large a grammar; use smaller limits");
        for (std::size_t i = 0; i <= positions; ++i) {
            for (const ArrayShape::Choice& choice : shape.choices(static_cast<int>(i)))
                shape.rules[i][choice] = rule_for(about_item(plan, i, choice));
        }
        add_array_source(std::make_unique<ArraySource>(std::move(shape), blanks()), start, end);
    }
    void add_array_source(std::unique_ptr<ArrayNodes> made, int start, int end) {
        ArrayNodes& source = *made;
        const int index = grammar_.add_source(std::move(made));
        add_container("array", '[', start, end, [&] { return source.first_node(grammar_, index); });
    }

    void add_distinct(const ArrayPlan& plan, const Conjunction& facts, int start, int end) {
        std::vector<int> values;
        bool by_kind = false;
        for (const Conjunction& item : shapes_.distinct_items(plan, facts, by_kind))
            values.push_back(rule_for(item));
        if (by_kind && plan.least > 1)
            skip(*facts[0], "uniqueItems",
                 "without a list of values: at most one item of each kind is generated, and there "
                 "are fewer kinds than 'minItems' asks for; list the values");
        if (plan.least > count(values)) return;
        add_array_source(std::make_unique<DistinctItems>(std::move(values), to_int(plan.least),
                                                         to_int(plan.most), blanks()),
                         start, end);
    }

    Conjunction about_item(const ArrayPlan& plan, std::size_t index,
                           const ArrayShape::Choice& choice) {
        Conjunction about = index < plan.prefix.size() ? plan.prefix[index] : plan.rest;
        for (std::size_t c = 0; c < choice.size(); ++c) {
            if (choice[c] == ArrayShape::Meets::yes) about = join(about, {plan.counts[c].value});
            if (choice[c] == ArrayShape::Meets::no)
                about = join(about, {&shapes_.negation_of(*plan.counts[c].value)});
        }
        return about;
    }

    // A container is a rule of its own: a source, or a set of annotations, ends with its rule.
    template <class Inside>
    void add_container(const char* name, char bracket, int start, int end, Inside&& inside) {
        const int rule = grammar_.add_rule(name), open = grammar_.add_node();
        const auto byte = static_cast<std::uint8_t>(bracket);
        const int first = inside();
        grammar_.edge(open, byte, byte, first);
        grammar_.rule(rule).start = open;
        grammar_.skip(grammar_.call(start, rule), end);
    }

    SchemaDocument& document_;
    SchemaOptions options_;
    ScalarRules scalars_;
    ShapeRules shapes_;
    WrittenStrings strings_;
    Grammar grammar_;
    int measured_ = 0;  // number of nodes added up so far
    std::size_t bytes_ = 0;
    struct Open {
        Conjunction demands;
        int rule, depth;
    };
    static constexpr int deepest = 24;  // the indentation does not grow beyond this depth
    int depth_ = 1;                     // depth of the contents of the value being built
    std::map<std::pair<Conjunction, int>, int> rules_;
    std::vector<std::tuple<SharedDfa, bool, SharedDfa>> written_;  // numbers: listed, spelled
    std::map<const Json*, const Json*> alike_;
    std::map<std::pair<int, std::string>, const Json*> texts_;  // by draft and text
    const Json* skipped_ = nullptr;  // the first schema of which something was skipped
    std::string skipped_keyword_, skipped_why_;
    std::vector<Open> open_;
};

}  // namespace

Grammar compile_schema(const std::string& schema, const SchemaOptions& options,
                       const std::string& name) {
    const WorkLimit::Together together;
    SchemaDocument document(schema, name, options);
    return SchemaCompiler(document, options).compile();
}

}  // namespace tbt
