#include "lib/machine/program.hpp"

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <new>

#include "lib/machine/threads.hpp"

namespace tbt {

int complain(std::string_view program, std::string_view message, int status) {
    const std::size_t slash = program.find_last_of('/');
    if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
    std::fflush(stdout);
    std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(program.size()), program.data(),
                 static_cast<int>(message.size()), message.data());
    return status;
}

namespace {

// CLI11 says "Could not convert: --top-k = 1.5", and not what it expected.
std::string explained(const CLI::App& app, const std::string& what) {
    constexpr std::string_view beginning = "Could not convert: ";
    const std::size_t sign = what.find(" = ");
    if (!what.starts_with(beginning) || sign == std::string::npos) return what;
    const std::string name = what.substr(beginning.size(), sign - beginning.size());
    const CLI::Option* option = app.get_option_no_throw(name);
    const std::string type = option ? option->get_type_name() : "";
    std::string expected = "another kind of value";
    if (type.starts_with("INT")) expected = "a whole number of at most nine digits";
    if (type.starts_with("UINT")) expected = "a whole number, 0 or more";
    if (type.starts_with("FLOAT")) expected = "a number";
    return name + ": got '" + what.substr(sign + 3) + "', expected " + expected;
}

// What CLI11 lets through: an empty value ("--figure ''" would look as if it had not been given;
// lists judge their own members), and for an unsigned number -1 or 2^64,
// which it turns into the largest.
void refuse_odd_values(const CLI::App& app) {
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
    for (const CLI::App* command : app.get_subcommands()) refuse_odd_values(*command);
}

}  // namespace

int run_program(int argc, char** argv, const std::string& description,
                const std::function<void(CLI::App&)>& options, const std::function<void()>& body) {
    const char* name = argc > 0 ? argv[0] : "tbt";
    try {
        CLI::App app(description);
        app.get_formatter()->column_width(36);
        options(app);
        // Every program of the course can be told how many threads to use;
        // some have this option of their own.
        int threads = 0;
        if (!app.get_option_no_throw("--threads")) {
            app.add_option("--threads", threads, "0: one for each core")
                ->capture_default_str()
                ->check(CLI::Range(0, 1024));
        }
        try {
            app.parse(argc, argv);
        } catch (const CLI::ParseError& e) {
            if (e.get_exit_code() == 0) return app.exit(e);  // --help
            return complain(name, explained(app, e.what()) + " (--help lists the options)", 2);
        }
        refuse_odd_values(app);
        set_default_threads(threads);
        body();
        const bool written = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
        return written ? 0 : complain(name, "cannot write to standard output", 1);
    } catch (const UsageError& e) {
        return complain(name, e.what(), 2);
    } catch (const std::bad_alloc&) {
        return complain(name, "out of memory: try a smaller model, context or batch", 1);
    } catch (const std::exception& e) {
        return complain(name, e.what(), 1);
    }
}

}  // namespace tbt
