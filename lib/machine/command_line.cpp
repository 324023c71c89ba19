#include "lib/machine/command_line.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/option_pages.hpp"
#include "lib/machine/threads.hpp"
#include "lib/machine/typed_words.hpp"

namespace tbt {

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

}  // namespace

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

int complain(std::string_view program, std::string_view text, int status) {
    const std::string message = one_line(text);
    const std::size_t slash = program.find_last_of('/');
    if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
    std::fflush(stdout);
    std::fprintf(stderr, "%.*s: %s\n", count(program), program.data(), message.c_str());
    return status;
}

namespace {

// If a number should be positive, CLI11's message has the 309 digits of the largest double
// (1.79769e+308 in version 2.4). This shortens it.
std::string without_digits(const std::string& what) {
    const std::size_t value = what.find(": Value "), range = what.find(" not in range ");
    if (value == std::string::npos || range == std::string::npos ||
        (what.size() < range + 200 && what.find("1.79769e+308", range) == std::string::npos))
        return what;
    return what.substr(0, value) + ": got '" + what.substr(value + 8, range - value - 8) +
           "', expected more than 0";
}

// The messages for an option that was given twice, and for one without its value.
std::string without_counts(const std::string& what) {
    if (const std::size_t at = what.find(": At Most 1 required"); at != what.npos)
        return what.substr(0, at) + ": given more than once, expected once";
    const std::size_t at = what.ends_with("missing") ? what.find(": 1 required ") : what.npos;
    return at == what.npos ? without_digits(what) : what.substr(0, at) + ": expected a value";
}

// CLI11's message "Could not convert: --top-k = 1.5" does not say what it expected. This adds it.
std::string explained(const OptionTable& app, const std::string& what) {
    constexpr std::string_view beginning = "Could not convert: ";
    const std::size_t sign = what.find(" = ");
    if (!what.starts_with(beginning) || sign == std::string::npos) return without_counts(what);
    const std::string name = what.substr(beginning.size(), sign - beginning.size());
    const CLI::Option* option = app.get_option_no_throw(name);
    const std::string type = option ? option->get_type_name() : "";
    std::string expected = "another kind of value";
    if (type.starts_with("INT")) expected = "a whole number of at most nine digits";
    if (type.starts_with("UINT")) expected = "a whole number, 0 or more";
    if (type.starts_with("FLOAT")) expected = "a number";
    return name + ": got '" + what.substr(sign + 3) + "', expected " + expected;
}

// Throws for values that CLI11 accepts but should not: an empty value ("--figure ''" would look as
// if it had not been given; lists check their own members), and -1 or 2^64 for an unsigned number,
// which CLI11 changes to the largest one.
void refuse_odd_values(const OptionTable& app) {
    for (const CLI::Option* option : app.get_options()) {
        if (!option->nonpositional() || option->get_items_expected_max() != 1 ||
            option->count() == 0)
            continue;
        const std::string& value = option->results().back();
        if (value.empty()) throw UsageError(option->get_name() + ": got an empty value");
        if (!option->get_type_name().starts_with("UINT")) continue;
        std::uint64_t number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc() || end != value.data() + value.size())
            throw UsageError(option->get_name() + ": got '" + value +
                             "', expected a whole number from 0 to 18446744073709551615");
    }
    for (const OptionTable* command : app.get_subcommands()) refuse_odd_values(*command);
}

// Throws if a value was forgotten ("--infill --seed 3"): CLI11 takes the next option for it.
void refuse_names_as_values(const OptionTable& app, const std::vector<std::string>& words) {
    const auto option = [&](std::size_t i) {
        return words[i].starts_with('-') ? app.get_option_no_throw(words[i]) : nullptr;
    };
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i)
        if (option(i) && option(i - 1) && option(i - 1)->get_items_expected_min() > 0)
            throw UsageError(words[i - 1] + ": got the option " + words[i] + ", expected a value");
}

// Throws for an unknown option such as "--temprature", with a suggestion, or "-v".
void refuse_unknown_names(const OptionTable& app, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
        if (word == "--") return;
        const std::string name = word.substr(0, word.find('='));
        const bool long_name = name.starts_with("--");
        if (!long_name && (name[0] != '-' || name[1] <= '9')) continue;  // -5 is no option
        if (app.get_option_no_throw(long_name ? name : name.substr(0, 2))) continue;  // "-n5"
        const std::string nearest = long_name ? nearest_option(app, name) : "";
        throw UsageError(name + ": there is no such option" +
                         (nearest.empty() ? "" : "; did you mean " + nearest + "?") +
                         " (--help lists the options)");
    }
}

// Parses the words. Throws a UsageError, or CLI11's own exception if the user asks for help.
void read(OptionTable& app, const std::vector<std::string>& words) {
    keep_brackets(app);
    std::vector<std::string> marked = with_marked_brackets(words);
    std::reverse(marked.begin(), marked.end());
    try {
        app.parse(std::move(marked));
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == 0) throw;
        if (dynamic_cast<const CLI::ExtrasError*>(&e)) refuse_unknown_names(app, words);
        throw UsageError(explained(app, without_marks(e.what())) + " (--help lists the options)");
    }
    refuse_names_as_values(app, words);
    refuse_odd_values(app);
}

}  // namespace

void read_command_line(const std::vector<std::string>& words,
                       const std::function<void(OptionTable&)>& options,
                       const std::function<void()>& body) {
    OptionTable app;
    options(app);
    try {
        read(app, with_hyphens(words));
    } catch (const CLI::ParseError& help) {
        throw UsageError(help.what());
    }
    if (body) body();
}

namespace {

// Help that shows only some options; --help-all shows all of them.
class ShortHelp : public CLI::Formatter {
public:
    ShortHelp(std::vector<std::string> first, std::string rest)
        : first_(std::move(first)), rest_(std::move(rest)) {
        column_width(help_column);
    }
    std::string make_help(const OptionTable* app, std::string name,
                          CLI::AppFormatMode mode) const override {
        all_ = mode == CLI::AppFormatMode::All;
        std::string help = Formatter::make_help(app, std::move(name), CLI::AppFormatMode::Normal);
        // Remove the empty lines of groups without a shown option.
        for (std::size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
        return help + (all_ ? "" : "\n" + rest_ + "\n");
    }
    std::string make_group(std::string group, bool is_positional,
                           std::vector<const CLI::Option*> options) const override {
        if (!all_)
            std::erase_if(options, [&](const CLI::Option* option) {
                return std::find(first_.begin(), first_.end(), option->get_name()) == first_.end();
            });
        return options.empty() ? "" : Formatter::make_group(group, is_positional, options);
    }
    static constexpr std::size_t help_column = 36;

private:
    std::vector<std::string> first_;
    std::string rest_;
    mutable bool all_ = false;
};

// If a program is started without one of the standard streams, the first file that it opens would
// take the stream's place, and its output would go into that file. So we open placeholders: reading
// from them finds the end, and writing fails.
void open_missing_streams() {
    for (int descriptor = 0; descriptor <= 2; ++descriptor)
        if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) ::open("/dev/null", O_RDONLY);
}

// Handles --man, --version and --completion SHELL, which every program has. Returns true if one of
// them was given.
bool print_pages(const OptionTable& app, const std::vector<std::string>& words,
                 const std::string& name) {
    const std::string program = name.substr(name.find_last_of('/') + 1);
    std::string page;
    for (std::size_t i = 0; i < words.size() && words[i] != "--" && page.empty(); ++i) {
        if (words[i] == "--man") page = manual_page(app, program);
        if (words[i] == "--version") page = program + ", Token by Token " + release + "\n";
        if (words[i] == "--completion")
            page = completion_script(app, i + 1 < words.size() ? words[i + 1] : "", program);
        if (words[i].starts_with("--completion="))
            page = completion_script(app, words[i].substr(words[i].find('=') + 1), program);
    }
    std::fwrite(page.data(), 1, page.size(), stdout);
    return !page.empty();
}

int written() { return std::fflush(stdout) == 0 && std::ferror(stdout) == 0 ? 0 : 1; }

}  // namespace

int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(OptionTable&)>& options, const std::function<void()>& body,
                const Renaming& renamed) {
    const char* name = argc > 0 ? argv[0] : "tbt";
    open_missing_streams();
    try {
        OptionTable app(description, name);
        app.get_formatter()->column_width(ShortHelp::help_column);
        options(app);
        // Every program of the course has --threads; some declare it themselves.
        int threads = 0;
        if (!app.get_option_no_throw("--threads")) {
            app.add_option("--threads", threads, "0: one for each core")
                ->capture_default_str()
                ->check(CLI::Range(0, 1024));
        }
        std::vector<std::string> words = with_hyphens({argv + std::min(argc, 1), argv + argc});
        if (renamed) words = renamed(std::move(words));
        bool asked_only = print_pages(app, words, name);
        try {
            if (!asked_only) read(app, words);
        } catch (const CLI::ParseError& help) {
            if (app.exit(help) != 0) return 2;
            asked_only = true;
        }
        set_default_threads(threads);
        if (!asked_only) body();
        return written() == 0 ? 0 : complain(name, "cannot write to standard output", 1);
    } catch (const UsageError& e) {
        return complain(name, e.what(), 2);
    } catch (const std::bad_alloc&) {
        return complain(name, "out of memory: try a smaller model, context or batch", 1);
    } catch (const std::exception& e) {
        return complain(name, e.what(), 1);
    }
}

void CommandLine::shows_first(const std::vector<std::string>& names, const std::string& rest) {
    app_->formatter(std::make_shared<ShortHelp>(names, rest));
    app_->set_help_all_flag("--help-all", "all options");
}

}  // namespace tbt
