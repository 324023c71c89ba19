// Declares the options of a program: each has a name, a variable for its value and a line of help.
// This wraps the library CLI11, whose header is slow to compile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace tbt {

// A declared option. Its functions set further properties; they return it, so calls can be chained.
class DeclaredOption {
public:
    explicit DeclaredOption(CLI::Option* option) : option_(option) {}

    DeclaredOption& says(const std::string& help);
    DeclaredOption& shows_default();  // --help shows the variable's present value
    DeclaredOption& required();
    DeclaredOption& between(int low, int high);
    DeclaredOption& above_zero();
    DeclaredOption& one_of(const std::vector<std::string>& values);
    // For help and completion only: the program itself says what else is allowed, and refuses.
    DeclaredOption& suggests(const std::string& values);  // "true,false,never"
    // For lists: each use of the option takes one value, so that a prompt after it is not taken.
    DeclaredOption& one_at_a_time();
    DeclaredOption& needs(const DeclaredOption& other);     // an error without `other`
    DeclaredOption& excludes(const DeclaredOption& other);  // an error together with `other`

    std::string name() const;  // "--top-k"
    bool is_flag() const;      // it takes no value
    bool given() const;        // is it in the command line? Valid after that was read

private:
    CLI::Option* option_;
};

class CommandLine {
public:
    // Converts implicitly from the argument that run_program() passes to options().
    CommandLine(OptionTable& app, std::string group = "Options")
        : app_(&app), group_(std::move(group)) {}

    // `names` are in CLI11's notation: "--top-k", "-m,--model", "prompt". A bool is a flag.
    DeclaredOption option(const std::string& names, bool& value, const std::string& help);
    DeclaredOption option(const std::string& names, int& value, const std::string& help);
    DeclaredOption option(const std::string& names, std::int64_t& value, const std::string& help);
    DeclaredOption option(const std::string& names, std::uint64_t& value, const std::string& help);
    DeclaredOption option(const std::string& names, double& value, const std::string& help);
    DeclaredOption option(const std::string& names, std::string& value, const std::string& help);
    DeclaredOption option(const std::string& names, std::optional<int>& value,
                          const std::string& help);
    DeclaredOption option(const std::string& names, std::optional<double>& value,
                          const std::string& help);
    DeclaredOption option(const std::string& names, std::optional<std::string>& value,
                          const std::string& help);
    DeclaredOption option(const std::string& names, std::vector<std::string>& values,
                          const std::string& help);
    // An option whose value is parsed by the function `read`.
    DeclaredOption option(const std::string& names,
                          const std::function<void(const std::string& text)>& read,
                          const std::string& help);
    // An option that was declared before, by its name.
    DeclaredOption declared(const std::string& name) const;
    // --help shows only these options and then the line `rest`; --help-all shows all.
    void shows_first(const std::vector<std::string>& names, const std::string& rest);
    // All options declared so far.
    std::vector<DeclaredOption> options() const;
    OptionTable& app() const { return *app_; }  // for functions that declare options of their own

private:
    OptionTable* app_;
    std::string group_;
};

}  // namespace tbt
