// The options of a program, as CLI11 keeps them: a name, a variable and a line of help each.
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

// An option that was declared, to say more about it.
class DeclaredOption {
public:
    explicit DeclaredOption(CLI::Option* option) : option_(option) {}

    DeclaredOption& says(const std::string& help);
    DeclaredOption& shows_default();  // --help shows the value it has now
    DeclaredOption& required();
    DeclaredOption& between(int low, int high);
    DeclaredOption& above_zero();
    DeclaredOption& one_of(const std::vector<std::string>& values);
    // A list: one value each time the option is named, so that a prompt after it stays a prompt.
    DeclaredOption& one_at_a_time();
    DeclaredOption& needs(const DeclaredOption& other);     // not given without that
    DeclaredOption& excludes(const DeclaredOption& other);  // nor with it

    std::string name() const;  // "--top-k"
    bool is_flag() const;      // it takes no value
    bool given() const;        // after the command line was read

private:
    CLI::Option* option_;
};

class CommandLine {
public:
    // What run_program() gives becomes a CommandLine by itself.
    CommandLine(CLI::App& app, std::string group = "Options")
        : app_(&app), group_(std::move(group)) {}

    // names as CLI11 has them: "--top-k", "-m,--model", "prompt". A bool is a flag.
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
    // A value that is read by the program's own rules.
    DeclaredOption option(const std::string& names,
                          const std::function<void(const std::string& text)>& read,
                          const std::string& help);
    // One that was declared before, by its name.
    DeclaredOption declared(const std::string& name) const;
    // --help shows only these options and then the line `rest`; --help-all shows all.
    void shows_first(const std::vector<std::string>& names, const std::string& rest);
    // All that is declared so far.
    std::vector<DeclaredOption> options() const;
    CLI::App& app() const { return *app_; }  // for functions that declare options of their own

private:
    CLI::App* app_;
    std::string group_;
};

}  // namespace tbt
