// The schemas that npm packages publish (tests/bench/published.sh fetches them): what they cost, or
// how long and with how much memory it takes to refuse them.
#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "lib/grammar/schema/validator.hpp"
#include "lib/machine/files.hpp"
#include "tests/bench/bench.hpp"
#include "tests/bench/schema_figures.hpp"

namespace tbt::bench {

namespace {

constexpr const char* folder = "build/published";

// Can a text be judged by this schema?
bool validates(const std::string& schema) {
    SchemaOptions options;
    options.warn = [](const std::string&) {};
    try {
        SchemaValidator(schema, options).valid("{}");
    } catch (const Error&) {
        return false;
    }
    return true;
}

void run(const Settings&) {
    std::vector<std::string> files;
    if (std::filesystem::is_directory(folder))
        for (const auto& file : std::filesystem::directory_iterator(folder))
            files.push_back(file.path().string());
    if (files.empty()) {
        std::printf("none are here; sh tests/bench/published.sh fetches them\n");
        return;
    }
    std::sort(files.begin(), files.end());
    if (quick()) files.resize(std::min<std::size_t>(files.size(), 4));
    const auto trie = schema_vocabulary();
    SchemaTable table("published");
    SchemaFigures all;
    std::vector<double> refused;
    std::map<std::string, int> keywords;  // of the schemas that are refused
    int validated = 0;                    // of these, by build/schema_check
    Rng rng(7);
    for (const std::string& file : files) {
        SchemaFigures f;
        const double start = thread_seconds();
        try {
            measure_schema(f, read_file(file), trie, rng);
        } catch (const Error& e) {
            refused.push_back(thread_seconds() - start);
            const auto* unsupported = dynamic_cast<const UnsupportedSchema*>(&e);
            ++keywords[unsupported != nullptr ? unsupported->keyword() : "no schema, or empty"];
            validated += validates(read_file(file));
            continue;
        }
        // Those that stand out are named.
        if (f.compile.back() > .1 || microseconds(f.masks.times, 1) > 2000)
            table.row(std::filesystem::path(file).filename().string(), f);
        all.add(f);
    }
    table.row("all", all);
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    std::printf("%zu are refused, in %.1f ms in the mean, %.1f at worst; peak memory %ld MB\n",
                refused.size(), mean_microseconds(refused) / 1000, microseconds(refused, 1) / 1000,
                usage.ru_maxrss / 1024);
    std::printf("%d of them can be validated; refused are", validated);
    for (const auto& [keyword, times] : keywords) std::printf("  %s %d", keyword.c_str(), times);
    std::printf("\n");
}

const Section section{"published", 62, "schemas that npm packages publish, µs", run};

}  // namespace

}  // namespace tbt::bench
