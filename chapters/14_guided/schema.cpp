#include "chapters/14_guided/schema.hpp"

#include <algorithm>

#include "chapters/14_guided/numbers.hpp"
#include "chapters/14_guided/object_source.hpp"
#include "chapters/14_guided/regex.hpp"
#include "chapters/14_guided/schema_shapes.hpp"

namespace tbt {

namespace {

constexpr long long most_items_written_out = 20000;

// A JSON number with everything the RFC allows, where nothing is demanded of it.
const char* any_number = "-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+\\-]?[0-9]+)?";

class SchemaCompiler {
public:
    SchemaCompiler(SchemaDocument& document, const SchemaOptions& options)
        : document_(document),
          options_(options),
          scalars_(document, !options.plain),
          shapes_(document, scalars_) {}

    Grammar compile() {
        const int root = grammar_.add_rule("root"), value = rule_for({&document_.root()});
        // Rules ask for further rules; a list instead of recursion, since schemas may refer to themselves.
        while (!open_.empty()) {
            const auto [demands, rule] = open_.back();
            open_.pop_back();
            build(demands, rule);
        }
        const int start = grammar_.add_node();
        const int end = add_blanks(grammar_,
                                   grammar_.call(add_blanks(grammar_, start, options_.max_whitespace), value),
                                   options_.max_whitespace);
        grammar_.node(end).final = true;
        grammar_.rule(root).start = start;
        grammar_.finish(root);
        return std::move(grammar_);
    }

private:
    Spelling spelling() const { return options_.plain ? Spelling::json_plain : Spelling::json; }
    int blanks(int from) { return add_blanks(grammar_, from, options_.max_whitespace); }

    // One rule for each list of demands that occurs.
    int rule_for(const Demands& demands) {
        const auto [place, added] = rules_.try_emplace(demands, 0);
        if (added) {
            place->second = grammar_.add_rule("value " + std::to_string(rules_.size()));
            open_.emplace_back(demands, place->second);
        }
        return place->second;
    }

    void build(const Demands& demands, int rule) {
        const int start = grammar_.add_node(), end = grammar_.add_node();
        grammar_.node(end).final = true;
        grammar_.rule(rule).start = start;
        Scalars scalars;
        for (const Json* schema : demands) scalars = scalars & scalars_.of(*schema);
        add_scalars(scalars, start, end);
        for (const Demands& facts : shapes_.of(demands, "object")) add_object(facts, start, end);
        for (const Demands& facts : shapes_.of(demands, "array")) add_array(facts, start, end);
    }

    void add_scalars(const Scalars& s, int start, int end) {
        if (s.null) grammar_.skip(grammar_.bytes(start, "null"), end);
        if (s.yes) grammar_.skip(grammar_.bytes(start, "true"), end);
        if (s.no) grammar_.skip(grammar_.bytes(start, "false"), end);
        if (!s.numbers || !s.numbers->empty()) {
            Dfa numbers = s.numbers ? *s.numbers : regex_whole(any_number);
            if (options_.plain && (numbers - whole_numbers()).empty()) numbers = numbers & plain_integers();
            grammar_.skip(add_dfa(grammar_, numbers, start, Spelling::utf8), end);
        }
        if (!s.strings || !s.strings->empty()) {
            const int text = add_dfa(grammar_, s.strings ? *s.strings : Dfa::anything(),
                                     grammar_.bytes(start, "\""), spelling());
            grammar_.skip(grammar_.bytes(text, "\""), end);
        }
    }

    void add_object(const Demands& facts, int start, int end) {
        ObjectShape shape;
        const std::set<std::string> required = shapes_.required(facts);
        std::set<std::string> names = required;
        for (const Json* f : facts) {
            if (!f->contains("properties")) continue;
            for (const auto& [key, schema] : f->at("properties").items()) names.insert(key);
        }
        for (const std::string& name : names)
            shape.members.push_back(
                {name, rule_for(shapes_.about_member(facts, name)), required.count(name) != 0});
        bool others = true;
        const Demands about_others = shapes_.about_others(facts, others);
        if (others) shape.other_rule = rule_for(about_others);

        // A rule of its own: the grammar's source ends rules, not parts of them.
        const int rule = grammar_.add_rule("object"), open = grammar_.add_node();
        auto source = std::make_unique<ObjectSource>(std::move(shape), options_.max_whitespace, spelling());
        ObjectSource& object = *source;
        const int index = grammar_.add_source(std::move(source));
        grammar_.edge(open, '{', '{', object.first_node(grammar_, index));
        grammar_.rule(rule).start = open;
        grammar_.skip(grammar_.call(start, rule), end);
    }

    void add_array(const Demands& facts, int start, int end) {
        const long long least = shapes_.least_items(facts), most = shapes_.most_items(facts);
        const auto prefix = static_cast<long long>(shapes_.longest_prefix(facts));
        if (most >= 0 && most < least) return;
        if (std::max(least, most) > most_items_written_out)
            document_.unsupported(*facts[0], most > least ? "maxItems" : "minItems",
                                  "above 20000 needs too large a grammar; use a smaller limit");
        for (const Json* f : facts) {
            const bool several = most < 0 || most > 1;
            if (f->contains("uniqueItems") && f->at("uniqueItems") == Json(true) && several)
                document_.unsupported(
                    *f, "uniqueItems",
                    "would need a memory of all items, which a grammar does not have; leave it out");
        }
        // Item by item, as long as positions differ; from then on in a loop.
        const long long written_out = most >= 0 ? most : std::max(least, prefix);
        int at = blanks(grammar_.bytes(start, "["));
        if (least == 0) grammar_.skip(grammar_.bytes(at, "]"), end);
        for (long long i = 0; i < written_out; ++i) {
            const int behind =
                blanks(grammar_.call(at, rule_for(shapes_.about_item(facts, static_cast<std::size_t>(i)))));
            if (i + 1 >= least) grammar_.skip(grammar_.bytes(behind, "]"), end);
            if (most >= 0 && i + 1 == most) return;
            at = blanks(grammar_.bytes(behind, ","));
        }
        if (most == 0) return;
        const int loop = grammar_.add_node();
        grammar_.skip(at, loop);
        const int behind = blanks(
            grammar_.call(loop, rule_for(shapes_.about_item(facts, static_cast<std::size_t>(written_out)))));
        grammar_.skip(grammar_.bytes(behind, "]"), end);
        grammar_.skip(blanks(grammar_.bytes(behind, ",")), loop);
    }

    SchemaDocument& document_;
    SchemaOptions options_;
    ScalarRules scalars_;
    ShapeRules shapes_;
    Grammar grammar_;
    std::map<Demands, int> rules_;
    std::vector<std::pair<Demands, int>> open_;
};

}  // namespace

Grammar compile_schema(const std::string& schema, const SchemaOptions& options, const std::string& name) {
    SchemaDocument document(schema, name);
    return SchemaCompiler(document, options).compile();
}

}  // namespace tbt
