// The frame of every program of the course: it reads the options, does the work, and prints one
// clear line if something is wrong.
//
//   int main(int argc, char** argv) {
//       std::string prompt = "Once upon a time";
//       return tbt::run_program(argc, argv, "Greedy decoding.",
//           [&](CommandLine line) {
//               line.option("prompt", prompt, "the text to continue").shows_default();
//           },
//           [&] { ... });
//   }
//
// The exit status is 0, or 1 if the work failed (a bad file, too little memory), or 2 if the
// command line is wrong.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tbt {

// An option as it was declared, and what the command line gave for it.
struct Option {
    enum class Takes { nothing, one_value, values };

    std::vector<std::string> names;  // "-m", "--model"
    std::string positional;          // its name as a positional argument: "prompt"; or empty
    std::string help, group, type, default_text;
    std::vector<std::string> allowed;  // values, for help and completion; empty: any
    Takes takes = Takes::one_value;
    bool required = false, one_at_a_time = false;
    char separator = 0;  // if set, it divides one word into several values
    std::function<std::string()> value_now;
    std::function<void(const std::vector<std::string>&)> set;            // throws UsageError
    std::vector<std::function<std::string(const std::string&)>> checks;  // what is wrong, or ""
    std::vector<const Option*> needs, excludes;
    bool* marks = nullptr;

    std::vector<std::string> given;  // the values in the command line
    int times = 0;                   // how often the option is in it

    std::string name() const;  // the first long name, or the positional one
};

// All options of a program, and its commands ("train eval …"), each with options of its own.
struct OptionTable {
    std::string description, program;
    std::vector<std::unique_ptr<Option>> options;
    std::vector<std::unique_ptr<OptionTable>> commands;
    bool command_required = false, chosen = false;
    std::vector<std::string> short_help;  // if not empty: the options that --help shows, and …
    std::string rest_of_help;             // … the text after them

    Option* find(std::string_view name) const;  // null if there is no such option
};

// A declared option. Its functions set further properties; they return it, so calls can be chained.
class DeclaredOption {
public:
    explicit DeclaredOption(Option* option) : option_(option) {}

    DeclaredOption& says(const std::string& help);
    DeclaredOption& shows_default();  // --help shows the variable's present value
    DeclaredOption& required();
    template <class Number>  // int or double
    DeclaredOption& between(Number low, Number high);
    DeclaredOption& above_zero();
    DeclaredOption& one_of(const std::vector<std::string>& values);
    // For help and completion only: the program itself says what else is allowed, and refuses.
    DeclaredOption& suggests(const std::vector<std::string>& values);
    // For lists: each use of the option takes one value, so that a prompt after it is not taken.
    DeclaredOption& one_at_a_time();
    DeclaredOption& separated_by(char separator);           // "a,b" are two values
    DeclaredOption& marks(bool& given);                     // sets it if the option is given
    DeclaredOption& needs(const DeclaredOption& other);     // an error without `other`
    DeclaredOption& excludes(const DeclaredOption& other);  // an error together with `other`

    std::string name() const { return option_->name(); }                       // "--top-k"
    bool is_flag() const { return option_->takes == Option::Takes::nothing; }  // takes no value
    bool given() const { return option_->times > 0; }  // valid after the command line was read

private:
    Option* option_;
};

// Declares the options of a program: each has a name, a variable for its value and a line of help.
class CommandLine {
public:
    // Converts implicitly from the argument that run_program() passes to options().
    CommandLine(OptionTable& table, std::string group = "Options")
        : table_(&table), group_(std::move(group)) {}

    // `names` are "--top-k", "-m,--model" or "prompt". A bool is a flag; the value of others is a
    // number, a text, an optional one of these, or a list.
    template <class Value>
    DeclaredOption option(const std::string& names, Value& value, const std::string& help);
    // An option whose value is parsed by the function `read`.
    DeclaredOption option(const std::string& names,
                          const std::function<void(const std::string& text)>& read,
                          const std::string& help);
    // An option that was declared before, by its name.
    DeclaredOption declared(const std::string& name) const;
    // A command with options of its own; it also takes those of the program. chosen() says whether
    // the command line has it.
    CommandLine command(const std::string& name, const std::string& help);
    bool chosen() const { return table_->chosen; }
    void requires_command() { table_->command_required = true; }
    // --help shows only these options and then the text `rest`; --help-all shows all.
    void shows_first(const std::vector<std::string>& names, const std::string& rest);
    // All options declared so far.
    std::vector<DeclaredOption> options() const;
    OptionTable& app() const { return *table_; }  // for functions that declare options

private:
    Option& add(const std::string& names, const std::string& help, const char* type);

    OptionTable* table_;
    std::string group_;
};

// Reads the words of a command line (without the program's name) as run_program() does, then calls
// body(), during which the declared options still exist. Throws UsageError if a word is wrong.
void read_command_line(const std::vector<std::string>& words,
                       const std::function<void(OptionTable&)>& options,
                       const std::function<void()>& body = {});

// The words of a text, which blanks separate.
std::vector<std::string> words_in(std::string_view text);

// A command line as one line for a shell, with quotes where needed.
std::string shell_line(int argc, const char* const* argv);

// Prints "PROGRAM: MESSAGE" on stderr and returns the status.
int complain(std::string_view program, std::string_view message, int status);

// The date of the release, for --version; the same as in CITATION.cff.
inline constexpr const char* release = "2026-11-20";

// options() declares the options; body() does the work after the command line was read. Every
// program also has --version, --man (a manual page) and --completion SHELL (bash, zsh or fish).
// Underscores in names of options (as in transformers) are read as hyphens.
//
// renamed(words), if given, replaces words of the command line by the names of declared options.
using Renaming = std::function<std::vector<std::string>(std::vector<std::string>)>;
int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(OptionTable&)>& options, const std::function<void()>& body,
                const Renaming& renamed = {});

}  // namespace tbt
