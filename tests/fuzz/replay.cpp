// The corpus of the fuzzers, once more, without a fuzzer: seeds, and every input that ever broke
// something.
#include "tests/catch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/show/terminal.hpp"
#include "tests/fuzz/all.hpp"
#include "tests/fuzz/mutate.hpp"

using namespace tbt;

namespace {

std::vector<std::string> corpus_of(const fuzz::Target& target) {
    std::vector<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string("tests/fuzz/corpus/") + target.name))
        files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    return files;
}

// Of work, whatever else the machine does.
double seconds_since(std::clock_t start) {
    return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

}  // namespace

TEST_CASE("no input of the corpus breaks what reads it, and none takes long", "[fuzz]") {
    for (const fuzz::Target& target : fuzz::targets()) {
        const std::vector<std::string> files = corpus_of(target);
        INFO(target.name);
        CHECK_FALSE(files.empty());
        for (const std::string& file : files) {
            INFO(file);
            const std::clock_t start = std::clock();
            CHECK_NOTHROW(fuzz::run(target, read_file(file)));
            CHECK(seconds_since(start) < 20);
        }
    }
}

TEST_CASE("the command lines of the corpus write texts, and are not refused", "[fuzz]") {
    for (const auto& entry :
         std::filesystem::directory_iterator("tests/fuzz/corpus/command_line")) {
        // What the fuzzer found may be anything; the names of libFuzzer and "odd" are of such.
        const std::string name = entry.path().filename().string();
        if (name.starts_with("odd") || name.find('-') != std::string::npos) continue;
        INFO(name);
        CHECK_NOTHROW(fuzz::read_command_line(read_file(entry.path().string())));
    }
}

TEST_CASE("no damaged copy of a seed breaks what reads it", "[fuzz]") {
    const auto number = [](const char* name, std::uint64_t usual) {
        const char* text = std::getenv(name);
        return text ? std::strtoull(text, nullptr, 10) : usual;
    };
    const char* only = std::getenv("TBT_FUZZ");
    // How many rounds, or for how long (each.sh).
    const std::uint64_t rounds = number("TBT_FUZZ_ROUNDS", 20);
    const auto seconds = static_cast<double>(number("TBT_FUZZ_SECONDS", 0));
    for (const fuzz::Target& target : fuzz::targets()) {
        if (only && std::string(only) != target.name) continue;
        std::vector<std::string> seeds;
        for (const std::string& file : corpus_of(target)) seeds.push_back(read_file(file));
        Rng rng(number("TBT_FUZZ_SEED", 1));
        const std::clock_t begin = std::clock();
        const auto time_is_up = [&] { return seconds > 0 && seconds_since(begin) >= seconds; };
        std::uint64_t copies = 0;
        for (std::uint64_t round = 0; seconds > 0 ? !time_is_up() : round < rounds; ++round) {
            for (std::size_t seed = 0; seed < seeds.size() && !time_is_up(); ++seed, ++copies) {
                const std::string text = fuzz::damaged(seeds, seed, rng);
                if (const char* last = std::getenv("TBT_FUZZ_LAST")) write_file(last, text);
                INFO(target.name << ", round " << round << ", seed " << seed << ": "
                                 << visible(text));
                const std::clock_t start = std::clock();
                CHECK_NOTHROW(fuzz::run(target, text));
                CHECK(seconds_since(start) < 20);
            }
        }
        if (seconds > 0)
            std::printf("%s: %llu damaged copies\n", target.name,
                        static_cast<unsigned long long>(copies));
    }
}

TEST_CASE("a target that breaks a promise is seen", "[fuzz]") {
    const fuzz::Target breaks{"breaks", [](std::string_view) { fuzz::promise(false, "so"); }};
    const fuzz::Target refuses{"refuses", [](std::string_view) { throw Error("no"); }};
    REQUIRE_THROWS_AS(fuzz::run(breaks, ""), fuzz::Broken);
    REQUIRE_NOTHROW(fuzz::run(refuses, ""));
}
