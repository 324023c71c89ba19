// Everything that a text may be held to, behind one door: each becomes a machine over bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/13_json_grammar/byte_machine.hpp"
#include "chapters/14_grammar/grammar.hpp"

namespace CLI {
class App;
}

namespace tbt {

// At most one of them is given.
struct GuideRequest {
    std::string grammar;            // a file in GBNF
    std::string regex;              // the whole text matches
    std::string schema;             // a file with a JSON Schema
    std::string tools;              // a file with tools: one call of one of them
    std::string choice;             // "yes,no,maybe": one of these
    std::string integers;           // "1:10": a whole number from 1 to 10
    bool json = false;              // any JSON value
    bool strict = false;            // unknown keywords and formats of a schema are refused
    int max_whitespace = 1;         // in JSON, in a row, in the layout "any"; −1: any number
    std::string layout = "line";    // of JSON under a schema: any, compact, line or pretty
    std::string key_order = "any";  // any, or schema: as the schema names them
    bool open = false;              // members that a schema does not name, where it allows them

    // Adds --grammar, --regex, … to a program's options.
    void add_options(CLI::App& app);
    // What was asked for, for messages; empty: nothing was.
    std::string name() const;
    // The same for equal requests only.
    std::string key() const;
};

// Null when nothing is asked for. Throws UsageError when more than one thing is,
// or what is asked for is at fault.
std::shared_ptr<ByteMachine> machine_for(const GuideRequest& request);

Grammar compile_regex(const std::string& pattern);
Grammar compile_choices(const std::vector<std::string>& choices);
// Whole numbers from low to high, as one writes them. "" for either: no limit on that side.
Grammar compile_integers(const std::string& low, const std::string& high);

}  // namespace tbt
