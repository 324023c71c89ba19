// The corpus of the fuzzers, once more, without a fuzzer: seeds, and every input that ever broke
// something.
#include "tests/catch.hpp"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/machine/files.hpp"
#include "tests/fuzz/all.hpp"

using namespace tbt;

TEST_CASE("no input of the corpus breaks what reads it, and none takes long", "[fuzz]") {
    for (const fuzz::Target& target : fuzz::targets()) {
        std::vector<std::string> files;
        for (const auto& entry :
             std::filesystem::directory_iterator(std::string("tests/fuzz/corpus/") + target.name))
            files.push_back(entry.path().string());
        std::sort(files.begin(), files.end());
        INFO(target.name);
        CHECK_FALSE(files.empty());
        for (const std::string& file : files) {
            INFO(file);
            const std::clock_t start = std::clock();
            CHECK_NOTHROW(fuzz::run(target, read_file(file)));
            // Seconds of work, whatever else the machine does.
            CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 20);
        }
    }
}

TEST_CASE("a target that breaks a promise is seen", "[fuzz]") {
    const fuzz::Target breaks{"breaks", [](std::string_view) { fuzz::promise(false, "so"); }};
    const fuzz::Target refuses{"refuses", [](std::string_view) { throw Error("no"); }};
    REQUIRE_THROWS_AS(fuzz::run(breaks, ""), fuzz::Broken);
    REQUIRE_NOTHROW(fuzz::run(refuses, ""));
}
