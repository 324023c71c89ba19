#include "lib/machine/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <new>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/option_pages.hpp"
#include "lib/machine/threads.hpp"

namespace tbt {

namespace {

std::string joined(const std::vector<std::string>& words) {
    std::string all;
    for (const std::string& word : words) all += (all.empty() ? "" : ",") + word;
    return all;
}

// ---- values -------------------------------------------------------------------------------------
[[noreturn]] void refuse(const std::string& got, const std::string& expected) {
    throw UsageError("got '" + got + "', expected " + expected);
}

template <class Number>
Number whole_number(const std::string& text, const char* expected) {
    const char *begin = text.data() + text.starts_with('+'), *end = text.data() + text.size();
    Number number = 0;
    const auto [stop, error] = std::from_chars(begin, end, number);
    if (error != std::errc{} || stop != end || begin == end) refuse(text, expected);
    return number;
}

void read_value(const std::string& text, int& value) {
    value = whole_number<int>(text, "a whole number of at most nine digits");
}
void read_value(const std::string& text, std::int64_t& value) {
    value = whole_number<std::int64_t>(text, "a whole number");
}
void read_value(const std::string& text, std::uint64_t& value) {
    value = whole_number<std::uint64_t>(text, "a whole number from 0 to 18446744073709551615");
}
void read_value(const std::string& text, double& value) {
    char* end = nullptr;
    value = std::strtod(text.c_str(), &end);
    if (text.empty() || text[0] == ' ' || end != text.c_str() + text.size())
        refuse(text, "a number");
}
void read_value(const std::string& text, float& value) {
    double wide = 0;
    read_value(text, wide);
    value = static_cast<float>(wide);
}
void read_value(const std::string& text, std::string& value) { value = text; }
template <class Value>
void read_value(const std::string& text, std::optional<Value>& value) {
    read_value(text, value.emplace());
}

// Reads what the command line gives for an option. Nothing is given for a flag, mostly.
template <class Value>
void read_given(const std::vector<std::string>& given, Value& value) {
    read_value(given.back(), value);
}
template <class Value>
void read_given(const std::vector<std::string>& given, std::vector<Value>& values) {
    values.clear();
    for (const std::string& text : given) read_value(text, values.emplace_back());
}
void read_given(const std::vector<std::string>& given, bool& value) {
    value = given.empty() || given.back() == "true";
    if (!value && given.back() != "false") refuse(given.back(), "no value, or true or false");
}

std::string shown(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%g", value);
    return text;
}
std::string shown(bool) { return ""; }
std::string shown(int value) { return std::to_string(value); }
std::string shown(std::int64_t value) { return std::to_string(value); }
std::string shown(std::uint64_t value) { return std::to_string(value); }
std::string shown(const std::string& value) { return value; }
std::string shown(const std::vector<int>&) { return ""; }
std::string shown(const std::vector<std::string>& values) {
    return values.empty() ? "" : "[" + joined(values) + "]";
}
template <class Value>
std::string shown(const std::optional<Value>& value) {
    return value ? shown(*value) : "";
}

// What help calls a value.
template <class Value>
constexpr const char* type_name = "INT";
template <>
constexpr const char* type_name<bool> = "";
template <>
constexpr const char* type_name<std::uint64_t> = "UINT";
template <>
constexpr const char* type_name<float> = "FLOAT";
template <>
constexpr const char* type_name<double> = "FLOAT";
template <>
constexpr const char* type_name<std::string> = "TEXT";
template <class Value>
constexpr const char* type_name<std::optional<Value>> = type_name<Value>;
template <class Value>
constexpr const char* type_name<std::vector<Value>> = type_name<Value>;

template <class Value>
constexpr Option::Takes takes = Option::Takes::one_value;
template <>
constexpr Option::Takes takes<bool> = Option::Takes::nothing;
template <class Value>
constexpr Option::Takes takes<std::vector<Value>> = Option::Takes::values;

}  // namespace

// ---- declaring ----------------------------------------------------------------------------------
std::string Option::name() const {
    for (const std::string& n : names)
        if (n.starts_with("--")) return n;
    return names.empty() ? positional : names.front();
}

Option* OptionTable::find(std::string_view name) const {
    for (const auto& option : options)
        for (const std::string& own : option->names)
            if (own == name) return option.get();
    for (const auto& option : options)
        if (option->positional == name && !name.empty()) return option.get();
    return nullptr;
}

DeclaredOption& DeclaredOption::says(const std::string& help) {
    option_->help = help;
    return *this;
}
DeclaredOption& DeclaredOption::shows_default() {
    option_->default_text = option_->value_now();
    return *this;
}
DeclaredOption& DeclaredOption::required() {
    option_->required = true;
    return *this;
}

namespace {

void check(Option& option, const std::string& type,
           std::function<std::string(const std::string&)> problem) {
    option.type += ":" + type;
    option.checks.push_back(std::move(problem));
}

}  // namespace

template <class Number>
DeclaredOption& DeclaredOption::between(Number low, Number high) {
    const std::string least = shown(low), most = shown(high);
    check(*option_, type_name<Number> + (" in [" + least) + " - " + most + "]",
          [=](const std::string& text) {
              const double value = std::strtod(text.c_str(), nullptr);
              return value >= low && value <= high
                         ? ""
                         : "Value " + text + " not in range " + least + " to " + most;
          });
    return *this;
}
template DeclaredOption& DeclaredOption::between(int, int);
template DeclaredOption& DeclaredOption::between(double, double);
DeclaredOption& DeclaredOption::above_zero() {
    check(*option_, "POSITIVE", [](const std::string& text) {
        return std::strtod(text.c_str(), nullptr) > 0 ? ""
                                                      : "got '" + text + "', expected more than 0";
    });
    return *this;
}
DeclaredOption& DeclaredOption::one_of(const std::vector<std::string>& values) {
    option_->checks.push_back([=](const std::string& text) {
        return std::find(values.begin(), values.end(), text) != values.end()
                   ? ""
                   : text + " not in {" + joined(values) + "}";
    });
    return suggests(values);
}
DeclaredOption& DeclaredOption::suggests(const std::vector<std::string>& values) {
    option_->type += ":{" + joined(values) + "}";
    option_->allowed = values;
    return *this;
}
DeclaredOption& DeclaredOption::one_at_a_time() {
    option_->one_at_a_time = true;
    return *this;
}
DeclaredOption& DeclaredOption::separated_by(char separator) {
    option_->separator = separator;
    return *this;
}
DeclaredOption& DeclaredOption::marks(bool& given) {
    option_->marks = &given;
    return *this;
}
DeclaredOption& DeclaredOption::needs(const DeclaredOption& other) {
    option_->needs.push_back(other.option_);
    return *this;
}
DeclaredOption& DeclaredOption::excludes(const DeclaredOption& other) {
    option_->excludes.push_back(other.option_);
    return *this;
}

Option& CommandLine::add(const std::string& names, const std::string& help, const char* type) {
    auto option = std::make_unique<Option>();
    for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 1) {
        end = names.find(',', begin);
        const std::string name = names.substr(begin, end - begin);
        if (name[0] == '-') option->names.push_back(name);
        else option->positional = name;
    }
    option->help = help, option->group = group_, option->type = type;
    table_->options.push_back(std::move(option));
    return *table_->options.back();
}

template <class Value>
DeclaredOption CommandLine::option(const std::string& names, Value& value,
                                   const std::string& help) {
    Option& option = add(names, help, type_name<Value>);
    option.takes = takes<Value>;
    option.value_now = [&value] { return shown(value); };
    option.set = [&value](const std::vector<std::string>& given) { read_given(given, value); };
    return DeclaredOption(&option);
}
using Text = const std::string&;
template DeclaredOption CommandLine::option(Text, bool&, Text);
template DeclaredOption CommandLine::option(Text, int&, Text);
template DeclaredOption CommandLine::option(Text, std::int64_t&, Text);
template DeclaredOption CommandLine::option(Text, std::uint64_t&, Text);
template DeclaredOption CommandLine::option(Text, float&, Text);
template DeclaredOption CommandLine::option(Text, double&, Text);
template DeclaredOption CommandLine::option(Text, std::string&, Text);
template DeclaredOption CommandLine::option(Text, std::optional<int>&, Text);
template DeclaredOption CommandLine::option(Text, std::optional<double>&, Text);
template DeclaredOption CommandLine::option(Text, std::optional<std::string>&, Text);
template DeclaredOption CommandLine::option(Text, std::vector<int>&, Text);
template DeclaredOption CommandLine::option(Text, std::vector<std::string>&, Text);

DeclaredOption CommandLine::option(const std::string& names,
                                   const std::function<void(const std::string& text)>& read,
                                   const std::string& help) {
    Option& option = add(names, help, "TEXT");
    option.value_now = [] { return std::string(); };
    option.set = [read](const std::vector<std::string>& given) { read(given.back()); };
    return DeclaredOption(&option);
}

DeclaredOption CommandLine::declared(const std::string& name) const {
    Option* option = table_->find(name);
    if (!option) throw Error("command line: no option " + name + " was declared");
    return DeclaredOption(option);
}

CommandLine CommandLine::command(const std::string& name, const std::string& help) {
    auto& command = table_->commands.emplace_back(std::make_unique<OptionTable>());
    command->program = name, command->description = help;
    return CommandLine(*command);
}

std::vector<DeclaredOption> CommandLine::options() const {
    std::vector<DeclaredOption> all;
    for (const auto& option : table_->options)
        if (!option->name().starts_with("--help")) all.emplace_back(option.get());
    return all;
}

void CommandLine::shows_first(const std::vector<std::string>& names, const std::string& rest) {
    table_->short_help = names, table_->rest_of_help = rest;
}

// ---- reading ------------------------------------------------------------------------------------
namespace {

// Changes underscores in an option's name to hyphens, so that transformers' --max_new_tokens works.
// A value after "=" is not changed.
std::string with_hyphens(std::string word) {
    const std::size_t end = word.starts_with("--") ? std::min(word.find('='), word.size()) : 0;
    std::replace(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(end), '_', '-');
    return word;
}

class Reader {
public:
    Reader(OptionTable& table, const std::vector<std::string>& words)
        : table_(table), words_(words) {}

    void read() {
        while (next_ < words_.size()) {
            const std::string& word = words_[next_++];
            if (only_positional_) take_positional(word);
            else if (word == "--") only_positional_ = true;
            else if (is_option(word)) take_option(with_hyphens(word));
            else take_positional(word);
        }
        if (command_) finish(*command_);
        finish(table_);
        if (table_.command_required && !command_) {
            std::vector<std::string> names;
            for (const auto& command : table_.commands) names.push_back(command->program);
            fail("expected a command, one of " + joined(names));
        }
    }
    const OptionTable* command() const { return command_; }

private:
    [[noreturn]] static void fail(const std::string& what) {
        throw UsageError(what + " (--help lists the options)");
    }
    // -5 is no option, but a number.
    static bool is_option(const std::string& word) {
        return word.size() > 1 && word[0] == '-' && (word[1] < '0' || word[1] > '9') &&
               word[1] != '.';
    }
    Option* find(std::string_view name) const {
        Option* own = command_ ? command_->find(name) : nullptr;
        return own ? own : table_.find(name);
    }

    void take_option(const std::string& word) {
        const bool is_long = word.starts_with("--");
        const std::size_t end = is_long ? std::min(word.find('='), word.size()) : 2;
        const std::string name = word.substr(0, end);
        Option* const option = find(name);
        if (!option) refuse_name(word.substr(0, word.find('=')));
        ++option->times;
        const bool attached = end < word.size();
        std::string rest = attached ? word.substr(end + (word[end] == '=')) : "";
        if (option->takes == Option::Takes::nothing) {
            if (!attached) return;
            if (!is_long && word[end] != '=') return take_option("-" + rest);  // -ab is -a -b
            return add_value(*option, std::move(rest));
        }
        if (attached) return add_value(*option, std::move(rest));
        if (next_ == words_.size() || words_[next_] == "--") fail(name + ": expected a value");
        if (is_option(words_[next_]) && find(with_hyphens(words_[next_])))
            throw UsageError(name + ": got the option " + words_[next_] + ", expected a value");
        add_value(*option, words_[next_++]);
        if (option->takes != Option::Takes::values || option->one_at_a_time) return;
        while (next_ < words_.size() && !is_option(words_[next_]) && words_[next_] != "--")
            add_value(*option, words_[next_++]);
    }

    static void add_value(Option& option, std::string value) {
        for (std::size_t at; option.separator && (at = value.find(option.separator)) != value.npos;
             value.erase(0, at + 1))
            option.given.push_back(value.substr(0, at));
        option.given.push_back(std::move(value));
    }

    void take_positional(const std::string& word) {
        if (!command_ && !only_positional_)
            for (const auto& command : table_.commands)
                if (command->program == word) {
                    command_ = command.get();
                    command_->chosen = true;
                    return;
                }
        for (OptionTable* table : {command_, &table_}) {
            if (!table) continue;
            for (const auto& option : table->options) {
                if (option->positional.empty()) continue;
                if (option->takes != Option::Takes::values && option->times > 0) continue;
                ++option->times;
                option->given.push_back(word);
                return;
            }
        }
        fail("The following argument was not expected: " + word);
    }

    // An unknown option such as "--temprature" or "-v".
    [[noreturn]] void refuse_name(const std::string& name) const {
        std::string nearest = name.starts_with("--") ? nearest_option(table_, name) : "";
        if (!nearest.empty()) nearest = "; did you mean " + nearest + "?";
        fail(name + ": there is no such option" + nearest);
    }

    // Checks what was given, and sets the variables.
    static void finish(OptionTable& table) {
        for (const auto& option : table.options) {
            const std::string name = option->name();
            if (option->times == 0) {
                if (option->required) fail(name + " is required");
                continue;
            }
            if (option->takes == Option::Takes::one_value && option->times > 1)
                fail(name + ": given more than once, expected once");
            for (const Option* other : option->needs)
                if (other->times == 0) fail(name + " requires " + other->name());
            for (const Option* other : option->excludes)
                if (other->times > 0) fail(name + " excludes " + other->name());
            if (option->takes == Option::Takes::one_value && option->positional.empty() &&
                option->given.back().empty())
                throw UsageError(name + ": got an empty value");
            try {
                option->set(option->given);
            } catch (const UsageError& e) {
                const std::string what = e.what();
                if (!what.starts_with("got '")) throw;
                fail(name + ": " + what);
            }
            for (const std::string& value : option->given)
                for (const auto& problem : option->checks)
                    if (const std::string what = problem(value); !what.empty())
                        fail(name + ": " + what);
            if (option->marks) *option->marks = true;
        }
    }

    OptionTable& table_;
    const std::vector<std::string>& words_;
    OptionTable* command_ = nullptr;
    std::size_t next_ = 0;
    bool only_positional_ = false;
};

}  // namespace

void read_command_line(const std::vector<std::string>& words,
                       const std::function<void(OptionTable&)>& options,
                       const std::function<void()>& body) {
    OptionTable table;
    options(table);
    Reader(table, words).read();
    if (body) body();
}

// ---- programs -----------------------------------------------------------------------------------
std::vector<std::string> words_in(std::string_view text) {
    std::istringstream words{std::string(text)};
    return {std::istream_iterator<std::string>(words), {}};
}

std::string shell_line(int argc, const char* const* argv) {
    static const std::string plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
    std::string out;
    for (int i = 0; i < argc; ++i) {
        const std::string word = argv[i];
        out += i > 0 ? " " : "";
        if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) {
            out += word;
            continue;
        }
        out += '\'';
        for (const char c : word) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
        out += '\'';
    }
    return out;
}

namespace {

// A message for people: without control characters, and if it is very long, only its beginning and
// its end, which says what to do.
std::string one_line(std::string_view message) {
    constexpr std::size_t longest = 600, tail = 200;
    std::string line(message);
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    if (line.size() <= longest) return line;
    const auto continues = [&](std::size_t i) { return (line[i] & 0xc0) == 0x80; };
    std::size_t end = longest - tail, begin = line.size() - tail;
    while (end > 0 && continues(end)) --end;
    while (begin < line.size() && continues(begin)) ++begin;
    return line.substr(0, end) + " … " + line.substr(begin);
}

// If a program is started without one of the standard streams, the first file that it opens would
// take the stream's place, and its output would go into that file. So we open placeholders: reading
// from them finds the end, and writing fails.
void open_missing_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

// The page that is asked for with --help, --man, --version or --completion SHELL, which every
// program has; empty if none is.
std::string asked_page(const OptionTable& table, const std::vector<std::string>& words) {
    const std::string program = table.program.substr(table.program.find_last_of('/') + 1);
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (words[i] == "--man") return manual_page(table, program);
        if (words[i] == "--version") return program + ", Token by Token " + release + "\n";
        if (words[i] == "--completion")
            return completion_script(table, i + 1 < words.size() ? words[i + 1] : "", program);
        if (words[i].starts_with("--completion="))
            return completion_script(table, words[i].substr(words[i].find('=') + 1), program);
        const bool all = with_hyphens(words[i]) == "--help-all" && table.find("--help-all");
        if (!all && words[i] != "--help" && words[i] != "-h") continue;
        for (const auto& command : table.commands)
            if (std::find(words.begin(), words.end(), command->program) != words.end()) {
                command->program = table.program + " " + command->program;
                return help_page(*command, all);
            }
        return help_page(table, all);
    }
    return "";
}

int written() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1; }

}  // namespace

int complain(std::string_view program, std::string_view text, int status) {
    const std::string message = one_line(text);
    const std::size_t slash = program.find_last_of('/');
    if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
    std::fflush(stdout);
    std::fprintf(stderr, "%.*s: %s\n", count(program), program.data(), message.c_str());
    return status;
}

int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(OptionTable&)>& options, const std::function<void()>& body,
                const Renaming& renamed) {
    const char* name = argc > 0 ? argv[0] : "tbt";
    open_missing_streams();
    try {
        OptionTable table;
        table.description = description, table.program = name;
        CommandLine line(table);
        bool help = false, help_all = false;
        line.option("-h,--help", help, "Print this help message and exit");
        options(table);
        if (!table.short_help.empty()) line.option("--help-all", help_all, "all options");
        // Every program of the course has --threads; some declare it themselves.
        int threads = 0;
        if (!table.find("--threads"))
            line.option("--threads", threads, "0: one for each core")
                .shows_default()
                .between(0, 1024);
        std::vector<std::string> words{argv + std::min(argc, 1), argv + argc};
        if (renamed) words = renamed(std::move(words));
        const std::string page = asked_page(table, words);
        if (page.empty()) {
            Reader(table, words).read();
            set_default_threads(threads);
            // The tiny library, which knows nothing of this room, reads the variable.
            if (threads > 0) ::setenv("TBT_THREADS", std::to_string(threads).c_str(), 1);
            body();
        }
        std::fwrite(page.data(), 1, page.size(), stdout);
        return written() == 0 ? 0 : complain(name, "cannot write to standard output", 1);
    } catch (const UsageError& e) {
        return complain(name, e.what(), 2);
    } catch (const std::bad_alloc&) {
        return complain(name, "out of memory: try a smaller model, context or batch", 1);
    } catch (const std::exception& e) {
        return complain(name, e.what(), 1);
    }
}

}  // namespace tbt
