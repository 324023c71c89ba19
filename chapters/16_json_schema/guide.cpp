#include "chapters/16_json_schema/guide.hpp"

#include <algorithm>

#include "chapters/16_json_schema/tools.hpp"
#include "lib/grammar/automata/dfa.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
    std::vector<std::string> parts{""};
    for (const char c : text) {
        if (c == separator) parts.emplace_back();
        else parts.back() += c;
    }
    return parts;
}

// Is the argument the text itself, rules or JSON, and not the name of a file?
bool is_grammar(const std::string& given) { return given.find("::=") != std::string::npos; }
bool is_json(const std::string& given) {
    const std::size_t begin = given.find_first_not_of(" \t\r\n");
    return begin != std::string::npos && (given[begin] == '{' || given[begin] == '[');
}

}  // namespace

void GuideRequest::add_options(OptionTable& app) {
    CommandLine line(app, "Constraints on the text");
    line.option("--grammar", grammar,
                "GBNF, llama.cpp's notation for grammars: a file, or the rules themselves");
    line.option("--regex", regex, "a regular expression that the whole text matches");
    line.option("--json-schema", schema, "a JSON Schema (draft 2020-12): a file, or '{…}' itself");
    line.option("--tools", tools,
                "tools, a file or '[…]' itself; the text is a call of one of them");
    line.option("--choice", choice, "the text is one of these: A,B,C");
    line.option("--integer", integers,
                "the text is a whole number in this range: 1:10 (or 1: or :10)");
    line.option("--json", json, "the text is a JSON value");
    line.option("--strict", strict,
                "strict about a schema: refuse unknown keywords and formats, and allow strings, "
                "numbers, emails and addresses of every length and form");
    line.option("--max-whitespace", max_whitespace,
                "white space characters in a row in JSON at most, -1: any number")
        .between(-1, 255)
        .shows_default();
    line.option("--json-layout", layout,
                "white space of JSON under a schema: any, compact (none), line (a space after "
                "colons and commas) or pretty (lines, indented)")
        .one_of({"any", "compact", "line", "pretty"})
        .shows_default();
    line.option("--max-string", max_string,
                "longest string where a schema sets no limit, in characters; -1: any length")
        .between(-1, 1000000)
        .shows_default();
    line.option("--open", open, "also generate members that the schema neither names nor forbids");
    line.option("--nullable", nullable,
                "of a schema: \"nullable\": true adds null to 'type' (OpenAPI)");
}

std::string GuideRequest::key() const {
    return grammar + schema + tools + name() + (strict ? " strict " : " ") +
           std::to_string(max_string) + " " + std::to_string(max_whitespace) + " " + layout +
           (open ? " open" : "") + (nullable ? " nullable" : "");
}

void GuideRequest::check() const {
    if (!schema.empty() || !tools.empty()) return;
    const GuideRequest usual;
    const auto alone = [](bool given, const char* option, const char* what) {
        if (given)
            throw UsageError(std::string(option) + ": it has no effect without a " + what +
                             "; add --json-schema FILE, say");
    };
    alone(strict != usual.strict, "--strict", "schema");
    alone(layout != usual.layout, "--json-layout", "schema");
    alone(open != usual.open, "--open", "schema");
    alone(nullable != usual.nullable, "--nullable", "schema");
    alone(max_string != usual.max_string, "--max-string", "schema");
    alone(max_whitespace != usual.max_whitespace && !json, "--max-whitespace", "JSON");
}

std::string GuideRequest::name() const {
    std::vector<std::string> asked;
    for (const auto& [option, value] : {std::pair{"--grammar", grammar},
                                        {"--regex", regex},
                                        {"--json-schema", schema},
                                        {"--tools", tools},
                                        {"--choice", choice},
                                        {"--integer", integers}}) {
        if (value.empty()) continue;
        const bool inside = (value == grammar && is_grammar(value)) ||
                            ((value == schema || value == tools) && is_json(value));
        asked.push_back(option + (inside ? std::string() : " " + value));
    }
    if (json) asked.emplace_back("--json");
    if (asked.size() > 1)
        throw UsageError("guided: " + asked[0] + " and " + asked[1] +
                         " together: a text can follow only one of them; choose one");
    return asked.empty() ? "" : asked[0];
}

GuideText grammar_text(const std::string& given) {
    if (is_grammar(given)) return {"--grammar", given};
    return {given, read_file(given)};
}

GuideText json_guide_text(const std::string& given, const char* option) {
    if (is_json(given)) return {option, given};
    return {given, read_file(given)};
}

std::shared_ptr<Recognizer> recognizer_for(const GuideRequest& r) {
    r.check();
    if (r.name().empty()) return nullptr;
    const auto recognizer = [](Grammar grammar) {
        return std::make_shared<GrammarRecognizer>(std::move(grammar));
    };
    if ((!r.schema.empty() || !r.tools.empty()) && r.layout != "any" &&
        r.max_whitespace != GuideRequest().max_whitespace)
        throw UsageError("--max-whitespace: the layout \"" + r.layout +
                         "\" leaves no choice of white space; add --json-layout any");
    SchemaOptions schema_options{r.max_whitespace};
    schema_options.strict = r.strict;
    schema_options.everyday = !r.strict || r.served;
    schema_options.max_characters = r.max_string;
    schema_options.layout = r.layout == "compact"  ? JsonLayout::compact
                            : r.layout == "line"   ? JsonLayout::line
                            : r.layout == "pretty" ? JsonLayout::pretty
                                                   : JsonLayout::any;
    schema_options.closed = !r.open;
    schema_options.nullable = r.nullable;
    if (r.served) schema_options.warn = [](const std::string&) {};
    if (!r.grammar.empty()) {
        const GuideText given = grammar_text(r.grammar);
        return recognizer(compile_gbnf(given.text, given.name));
    }
    if (!r.regex.empty()) return recognizer(compile_regex(r.regex));
    if (!r.schema.empty()) {
        const GuideText given = json_guide_text(r.schema, "--json-schema");
        return recognizer(compile_schema(given.text, schema_options, given.name));
    }
    if (!r.tools.empty()) {
        const GuideText given = json_guide_text(r.tools, "--tools");
        return recognizer(
            compile_schema(schema_of_tools(given.text, given.name), schema_options, given.name));
    }
    if (!r.choice.empty()) return recognizer(compile_choices(split(r.choice, ',')));
    if (!r.integers.empty()) {
        const std::vector<std::string> ends = split(r.integers, ':');
        if (ends.size() != 2)
            throw UsageError("--integer: got '" + r.integers +
                             "', expected two numbers with a colon, as in 1:10");
        return recognizer(compile_integers(ends[0], ends[1]));
    }
    return std::make_shared<JsonRecognizer>(JsonOptions{r.max_whitespace, false, false});
}

Grammar compile_regex(const std::string& pattern) {
    return grammar_of(regex_full_match(pattern, "--regex"));
}

Grammar compile_choices(const std::vector<std::string>& choices) {
    for (const std::string& c : choices) {
        if (c.empty())
            throw UsageError(
                "--choice: one of the choices is empty; expected texts with a comma between them, "
                "as in yes,no");
    }
    return grammar_of(Dfa::of(choices));
}

Grammar compile_integers(const std::string& low, const std::string& high) {
    Dfa numbers = plain_integers();
    const auto bound = [](const std::string& text) {
        static const Dfa whole = regex_full_match("-?[0-9]{1,100}");
        if (!whole.accepts(text))
            throw UsageError("--integer: got '" + text + "', expected a whole number");
        return Decimal::parse(text);
    };
    if (!low.empty()) numbers = numbers & at_least(bound(low), false);
    if (!high.empty()) numbers = numbers & at_most(bound(high), false);
    if (numbers.empty())
        throw UsageError("--integer: there is no whole number from " + low + " to " + high +
                         "; the smaller one comes first");
    return grammar_of(numbers);
}

}  // namespace tbt
