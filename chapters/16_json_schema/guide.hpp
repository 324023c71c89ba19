// Everything that a text can be held to: each becomes a recognizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lib/grammar/recognizer/grammar.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"

namespace CLI {
class App;
}

namespace tbt {

// At most one of them is given.
struct GuideRequest {
    std::string grammar;          // GBNF: a file, or the rules themselves (with a "::=")
    std::string regex;            // the whole text matches
    std::string schema;           // a JSON Schema: a file, or the schema itself (with a "{")
    std::string tools;            // tools, a file or the list itself: one call of one of them
    std::string choice;           // "yes,no,maybe": one of these
    std::string integers;         // "1:10": a whole number from 1 to 10
    bool json = false;            // any JSON value
    bool strict = false;          // unknown keywords and formats of a schema are refused
    int max_whitespace = 1;       // in JSON, in a row, in the layout "any"; −1: any number
    std::string layout = "line";  // of JSON under a schema: any, compact, line or pretty
    int max_string = 200;         // characters of strings, where a schema sets no limit; −1: any
    bool open = false;            // members that a schema does not name, where it allows them
    // For a server's clients: nothing is said on stderr about a schema, and strict, which most of
    // theirs are, leaves numbers and strings as people mostly write them.
    bool served = false;

    // Adds --grammar, --regex, … to a program's options.
    void add_options(CLI::App& app);
    // Throws UsageError where an option has nothing that it could be for: --json-layout without a
    // schema, say.
    void check() const;
    // What was asked for, for messages; empty: nothing was.
    std::string name() const;
    // The same for equal requests only.
    std::string key() const;
};

// What a grammar, a schema or a list of tools is asked for by: the text itself, or a file's.
struct GuideText {
    std::string name;  // for messages: the file, or the option
    std::string text;
};
GuideText grammar_text(const std::string& given);
GuideText json_guide_text(const std::string& given, const char* option);

// Null when nothing is asked for. Throws UsageError when more than one thing is,
// or what is asked for is at fault.
std::shared_ptr<Recognizer> recognizer_for(const GuideRequest& request);

Grammar compile_regex(const std::string& pattern);
Grammar compile_choices(const std::vector<std::string>& choices);
// Whole numbers from low to high, as one writes them. "" for either: no limit on that side.
Grammar compile_integers(const std::string& low, const std::string& high);

}  // namespace tbt
