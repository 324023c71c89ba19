// Host names and addresses in letters of all scripts, while writing; how they are judged is in
// tests/data/json-schema/host_names.json.
#include "tests/catch.hpp"

#include "tests/support/law.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::law;

TEST_CASE("names of hosts are written in ASCII, without codes, and judged as what they are",
          "[ch16]") {
    Rng rng(221);
    for (const char* format : {"hostname", "idn-hostname", "idn-email"}) {
        const std::string schema = R"({"type":"string","format":")" + std::string(format) + R"("})";
        obey_the_law(schema, words(), rng);
        const bool email = std::string(format) == "idn-email";
        GrammarRecognizer recognizer(compile_schema(schema));
        const std::string before = email ? "\"ada@" : "\"";
        CHECK(accepts_text(recognizer, before + "www.elm-tree.com\""));
        for (const char* odd : {"xn--bcher-kva.com\"", "www.xn--bcher-kva\"",
                                "b\xc3\xbc"
                                "cher.com\"",
                                "a.b.c.d\"", "ab--c\""})
            CHECK_FALSE(accepts_text(recognizer, before + odd));
    }
}
