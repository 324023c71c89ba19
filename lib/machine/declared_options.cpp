#include "lib/machine/declared_options.hpp"

#include <CLI/CLI.hpp>

namespace tbt {

DeclaredOption& DeclaredOption::shows_default() {
    option_->capture_default_str();
    return *this;
}

DeclaredOption& DeclaredOption::says(const std::string& help) {
    option_->description(help);
    return *this;
}

DeclaredOption& DeclaredOption::required() {
    option_->required();
    return *this;
}

DeclaredOption& DeclaredOption::above_zero() {
    option_->check(CLI::PositiveNumber);
    return *this;
}

DeclaredOption& DeclaredOption::needs(const DeclaredOption& other) {
    option_->needs(other.option_);
    return *this;
}

DeclaredOption& DeclaredOption::excludes(const DeclaredOption& other) {
    option_->excludes(other.option_);
    return *this;
}

DeclaredOption& DeclaredOption::between(int low, int high) {
    option_->check(CLI::Range(low, high));
    return *this;
}

DeclaredOption& DeclaredOption::one_of(const std::vector<std::string>& values) {
    option_->check(CLI::IsMember(values));
    return *this;
}

DeclaredOption& DeclaredOption::suggests(const std::string& values) {
    option_->type_name("TEXT:{" + values + "}");
    return *this;
}

DeclaredOption& DeclaredOption::one_at_a_time() {
    option_->allow_extra_args(false);
    return *this;
}

std::string DeclaredOption::name() const { return option_->get_name(); }
bool DeclaredOption::is_flag() const { return option_->get_items_expected_max() == 0; }
bool DeclaredOption::given() const { return option_->count() > 0; }

DeclaredOption CommandLine::option(const std::string& names, bool& value, const std::string& help) {
    return DeclaredOption(app_->add_flag(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, int& value, const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::int64_t& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::uint64_t& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, double& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::string& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::optional<int>& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::optional<double>& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::optional<std::string>& value,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, value, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names, std::vector<std::string>& values,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option(names, values, help)->group(group_));
}
DeclaredOption CommandLine::option(const std::string& names,
                                   const std::function<void(const std::string& text)>& read,
                                   const std::string& help) {
    return DeclaredOption(app_->add_option_function<std::string>(names, read, help)->group(group_));
}

DeclaredOption CommandLine::declared(const std::string& name) const {
    return DeclaredOption(app_->get_option(name));
}

std::vector<DeclaredOption> CommandLine::options() const {
    std::vector<DeclaredOption> all;
    for (CLI::Option* option : app_->get_options())
        if (option->get_name() != "--help" && option->get_name() != "--help-all")
            all.emplace_back(option);
    return all;
}

}  // namespace tbt
