// Runs files of schema tests in the form of the official suite: a list of
//   {"description": …, "schema": …, "tests": [{"description": …, "data": …, "valid": …}]}
// Where the spelling matters ("\u0061", 1e400, blanks) "text" holds the instance as it is written,
// instead of "data".
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "lib/machine/files.hpp"

namespace tbt::testing {

struct SuiteResult {
    int right = 0, unsupported = 0;
    std::map<std::string, int> refused;  // how many tests for the sake of a keyword
    std::vector<std::string> wrong, reasons;

    int tests() const { return right + unsupported + static_cast<int>(wrong.size()); }
};

inline void check_group(const nlohmann::json& group, const SchemaOptions& options,
                        const std::string& file, SuiteResult& result) {
    const std::string place = file + ": " + group.at("description").get<std::string>();
    try {
        SchemaValidator recognizer(group.at("schema").dump(), options, file);
        for (const nlohmann::json& test : group.at("tests")) {
            const std::string text =
                test.contains("text") ? test.at("text").get<std::string>() : test.at("data").dump();
            if (recognizer.valid(text) == test.at("valid").get<bool>()) {
                ++result.right;
            } else {
                result.wrong.push_back(place + ": " + test.at("description").get<std::string>() +
                                       ": " + text);
            }
        }
    } catch (const UnsupportedSchema& e) {
        const int count = static_cast<int>(group.at("tests").size());
        result.unsupported += count;
        result.refused[e.keyword()] += count;
        result.reasons.push_back(place + ": " + e.what());
    } catch (const Error& e) {
        result.wrong.push_back(place + ": " + e.what());
    }
}

inline void check_file(const std::string& path, SchemaOptions options, SuiteResult& result) {
    options.warn = [](const std::string&) {};  // suites try unknown keywords on purpose
    const std::string name = path.substr(path.find_last_of('/') + 1);
    for (const nlohmann::json& group : nlohmann::json::parse(read_file(path)))
        check_group(group, options, name, result);
}

}  // namespace tbt::testing
