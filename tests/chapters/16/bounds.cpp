// Bounds on the number of members, and schemas that are called empty: held to the validator.
#include "tests/catch.hpp"

#include "tests/support/random_schema.hpp"
#include "tests/support/schemas.hpp"

using namespace tbt;
using namespace tbt::testing;
using nlohmann::json;

namespace {

SchemaOptions silent() {
    SchemaOptions options = quiet();
    options.layout = JsonLayout::compact;
    return options;
}

// The objects with these keys, in each order; each value is 1.
std::vector<std::vector<std::string>> objects_by_keys(const std::vector<std::string>& all) {
    std::vector<std::vector<std::string>> sets;
    for (unsigned set = 0; set < 1u << all.size(); ++set) {
        std::vector<std::string> keys;
        for (std::size_t i = 0; i < all.size(); ++i)
            if ((set >> i & 1) != 0) keys.push_back(all[i]);
        std::sort(keys.begin(), keys.end());
        sets.emplace_back();
        do {
            std::string text = "{";
            for (const std::string& key : keys)
                text += (text.size() > 1 ? ",\"" : "\"") + key + "\":1";
            sets.back().push_back(text + "}");
        } while (std::next_permutation(keys.begin(), keys.end()));
    }
    return sets;
}

// The text of a form with @ replaced.
std::string with(std::string form, const std::string& bounds) {
    return form.replace(form.find('@'), 1, bounds);
}

}  // namespace

TEST_CASE("objects of so many members are written exactly if they are valid") {
    const std::vector<std::string> inner = {
        R"({"type":"object"@})",
        R"({"title":"no type"@})",
        R"({"type":"object","additionalProperties":{"type":"integer"}@})",
        R"({"type":"object","additionalProperties":false@})",
        R"({"type":"object","patternProperties":{"^[a-c]$":{}},"additionalProperties":false@})",
        R"({"type":"object","patternProperties":{"^é":{}},"additionalProperties":false@})",
        R"({"type":"object","patternProperties":{"^é$":{}},"additionalProperties":false@})",
        R"({"patternProperties":{"^(a|x)$":{"type":"integer"},"^b$":{}},)"
        R"("additionalProperties":false@})",
        R"({"type":"object","patternProperties":{"^[ax]$":{"type":"null"}}@})",
        R"({"type":"object","propertyNames":{"maxLength":1}@})",
        R"({"type":"object","propertyNames":{"enum":["a","x"]}@})",
        R"({"type":"object","propertyNames":{"pattern":"^[^a-z]"}@})",
        R"({"type":"object","properties":{"a":{},"b":{}},"additionalProperties":false@})",
        R"({"type":"object","properties":{"b":{},"a":{"type":"null"}},"required":["b"]@})",
        R"({"type":"object","properties":{"b":{}},"patternProperties":{"^é$":{}},)"
        R"("additionalProperties":false@})",
        R"({"type":"object","not":{"type":"object"@}})",
        R"({"type":"object","not":{"additionalProperties":{"type":"integer"}@}})",
        R"({"anyOf":[{"type":"object","additionalProperties":{"type":"integer"}@},{"const":5}]})",
        R"({"oneOf":[{"type":"object"@},{"type":"object","required":["a"]}]})"};
    const auto sets = objects_by_keys({"a", "b", "x", "é"});
    for (const std::string& form : inner) {
        for (int least = 0; least <= 4; ++least) {
            for (int most = -1; most <= 5; ++most) {
                std::string bounds;
                if (least > 0) bounds += ",\"minProperties\":" + std::to_string(least);
                if (most >= 0) bounds += ",\"maxProperties\":" + std::to_string(most);
                for (const bool nested : {false, true}) {
                    std::string schema = with(form, bounds);
                    if (nested)
                        schema = R"({"type":"object","properties":{"o":)" + schema +
                                 R"(},"required":["o"],"additionalProperties":false})";
                    INFO(schema);
                    SchemaValidator validator(schema, silent());
                    std::shared_ptr<GrammarRecognizer> writer;
                    try {
                        writer = writer_of(schema, silent());
                    } catch (const UsageError& e) {
                        UNSCOPED_INFO(e.what());
                    }
                    for (const std::vector<std::string>& orders : sets) {
                        bool valid = false, written = false;
                        for (std::string text : orders) {
                            if (nested) text = "{\"o\":" + text + "}";
                            const bool here = validator.valid(text),
                                       there = writer != nullptr && accepts_text(*writer, text);
                            if (there && !here) FAIL_CHECK("written, not valid: " << text);
                            valid = valid || here, written = written || there;
                        }
                        if (valid != written) FAIL_CHECK("valid, not written: " << orders[0]);
                    }
                }
            }
        }
    }
}

TEST_CASE("a schema that is called empty has no small valid value") {
    // 2,000 schemas; TBT_FULL=1: 20,000.
    const int schemas = std::getenv("TBT_FULL") != nullptr ? 20000 : 2000;
    int empty = 0, refused = 0;
    for (int seed = 0; seed < schemas; ++seed) {
        RandomSchema random(static_cast<std::uint64_t>(seed));
        const std::string schema = random.root().dump();
        try {
            compile_schema(schema, silent());
            continue;
        } catch (const UnsupportedSchema&) {
            ++refused;
            continue;
        } catch (const UsageError& e) {
            INFO(seed << ": " << schema << "\n" << e.what());
            ++empty;
            SchemaValidator validator(schema, silent());
            for (int i = 0; i < 300; ++i) {
                const std::string text = random.value().dump();
                try {
                    if (validator.valid(text)) FAIL_CHECK(text);
                } catch (const UnsupportedSchema&) {
                    break;  // a reference that leads to itself
                }
            }
        }
    }
    CHECK(empty > schemas / 100);
    CHECK(refused < schemas / 10);
}
