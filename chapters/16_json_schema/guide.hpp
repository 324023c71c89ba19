// All constraints that a text can be generated under; each becomes a recognizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace tbt {

struct OptionTable;

// A request for a constraint: at most one of grammar, regex, schema, tools, choice, integers, json.
struct GuideRequest {
    std::string grammar;          // GBNF: a file, or the rules themselves (with a "::=")
    std::string regex;            // the whole text must match
    std::string schema;           // a JSON Schema: a file, or the schema itself (with a "{")
    std::string tools;            // a file or the list itself; the text is a call of one tool
    std::string choice;           // "yes,no,maybe": one of these
    std::string integers;         // "1:10": a whole number from 1 to 10
    bool json = false;            // any JSON value
    bool strict = false;          // unknown keywords and formats of a schema are refused
    int max_whitespace = 1;       // the most in a row in JSON, layout "any"; −1: any number
    std::string layout = "line";  // of JSON under a schema: any, compact, line or pretty
    int max_string = 200;         // characters, if a schema sets no limit; −1: any number
    bool open = false;            // also members that a schema allows but does not name
    bool nullable = false;        // "nullable": true adds null to the type beside it (OpenAPI)
    // For a server's clients: nothing goes to stderr about a schema, and `strict`, which most
    // clients set, does not change how numbers and strings are written.
    bool served = false;

    // Adds --grammar, --regex, … to a program's options.
    void add_options(OptionTable& app);
    // Throws UsageError if an option has no effect: --json-layout without a schema, for example.
    void check() const;
    // The requested constraint, for messages; empty if there is none.
    std::string name() const;
    // A text that is equal for equal requests only.
    std::string key() const;
};

// The text of a grammar, a schema or a list of tools, given directly or read from a file.
struct GuideText {
    std::string name;  // for messages: the file, or the option
    std::string text;
};
GuideText grammar_text(const std::string& given);
GuideText json_guide_text(const std::string& given, const char* option);

// The recognizer for a request; null if no constraint is requested. Throws UsageError if there is
// more than one, or if it is faulty.
std::shared_ptr<Recognizer> recognizer_for(const GuideRequest& request);

Grammar compile_regex(const std::string& pattern);
Grammar compile_choices(const std::vector<std::string>& choices);
// The whole numbers from low to high, in their usual spelling. An empty text means no limit.
Grammar compile_integers(const std::string& low, const std::string& high);

}  // namespace tbt
