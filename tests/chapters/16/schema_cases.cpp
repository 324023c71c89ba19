#include "tests/catch.hpp"

#include <algorithm>
#include <filesystem>

#include "tests/support/schema_suite.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// tests/data/json-schema/NAME.json, or DRAFT-NAME.json for an older draft.
SuiteResult check_folder(const std::string& folder) {
    SuiteResult result;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        files.push_back(entry.path().string());
    std::sort(files.begin(), files.end());
    for (const std::string& file : files) {
        SchemaOptions options;
        const std::string name = file.substr(file.find_last_of('/') + 1);
        if (name.rfind("draft", 0) == 0) options.draft = std::atoi(name.c_str() + 5);
        check_file(file, options, result);
    }
    return result;
}

}  // namespace

TEST_CASE("no case of the schema suite is decided wrongly, and few are refused", "[ch16]") {
    const SuiteResult result = check_folder("tests/data/json-schema");
    for (const std::string& wrong : result.wrong) FAIL_CHECK(wrong);
    for (const std::string& reason : result.reasons) UNSCOPED_INFO(reason);
    REQUIRE(result.wrong.empty());
    REQUIRE(result.right >= 300);
    REQUIRE(result.unsupported <= 10);
}
