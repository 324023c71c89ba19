// What a guide said before each token: the words, and both sides of the mask.
#include "tests/catch.hpp"

#include "chapters/13_json_grammar/guide_state.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "tests/support/guided.hpp"
#include "tests/support/json_tokens.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using namespace tbt::testing;

TEST_CASE("where a JSON text stands is said in words") {
    REQUIRE(json_words("{") == "the object: a key or }");
    REQUIRE(json_words(" {\"na") == "the object › na: in a key");
    REQUIRE(json_words("{\"name\"") == "the object › name: a colon");
    REQUIRE(json_words("{\"name\": \"A, {[") == "the object › name: in a string");
    REQUIRE(json_words("{\"likes\": [\"a\", \"b\", 4") ==
            "the object › likes › item 3: in a number");
    REQUIRE(json_words("{\"a\": {\"b\": [1], ") == "the object › a: a key");
    REQUIRE(json_words("[[1, 2], ") == "the list › item 2: a value");
    REQUIRE(json_words("{\"a\": 1, \"b\": tr") == "the object › b: in a word");
    REQUIRE(json_words("{\"a\": 1}") == "complete");
    REQUIRE(json_words("{\"caf\xc3\xa9\": \"x\\") == "the object › caf\xc3\xa9: in an escape");
    REQUIRE(json_words("{\"a\": \"b\xc3") == "the object › a: in a character");
    // No JSON, or none that has an inside.
    for (const char* text : {"", "  ", "12", "\"a", "{]", "Once {", "{} {"})
        REQUIRE(json_words(text).empty());
    // A key that is no UTF-8 yet, and one that is very long.
    REQUIRE(json_words("{\"\xc3") == "the object › \xEF\xBF\xBD: in a key");
    REQUIRE(json_words("{\"" + std::string(500, 'k')).size() < 80);
}

TEST_CASE("the bytes that may come next are ranges of bytes") {
    JsonRecognizer json;
    Recognizer::State here = json.start();
    for (const char c : std::string("\"a")) here = json.next(here, static_cast<unsigned char>(c));
    // In a string: no control character, no byte of a character that has not begun.
    CHECK(next_bytes(json, here) == std::vector<std::pair<int, int>>{{0x20, 0x7f}, {0xc2, 0xf4}});
    // The first byte and the last, too.
    GrammarRecognizer low(compile_gbnf("root ::= [\\x00-\\x09] | [a-c]"));
    CHECK(next_bytes(low, low.start()) == std::vector<std::pair<int, int>>{{0, 9}, {'a', 'c'}});
}

TEST_CASE("the two sides of a mask are the model's first choices of each") {
    const auto trie = vocabulary_with(json_tokens);
    const auto language =
        std::make_shared<CompiledGrammar>(std::make_shared<JsonRecognizer>(), trie);
    Rng rng(5);
    for (int round = 0; round < 20; ++round) {
        GrammarMatcher constraint(language, 12);
        for (int step = 0; step < 12 && !constraint.ended(); ++step) {
            std::vector<float> logits(index(trie->vocabulary()));
            for (float& x : logits) x = static_cast<float>(rng.uniform() * 6);
            const TokenMask mask = constraint.mask();
            const GuideState state = guide_state(constraint, logits);
            REQUIRE(state.allowed == mask.count());
            REQUIRE(state.remaining == 12 - step);
            REQUIRE(state.closing_tokens.value() <= 12 - step);
            REQUIRE(state.closing_bytes.has_value());
            REQUIRE(state.complete == constraint.complete());
            // A token of one byte is allowed only if that byte may come next.
            for (const auto& [first, last] : state.bytes) REQUIRE(first <= last);
            for (const bool kept : {true, false}) {
                const std::vector<GuideState::Share>& side = kept ? state.kept : state.removed;
                const int there = kept ? mask.count() : mask.size() - mask.count();
                REQUIRE(to_int(side.size()) == std::min(8, there));
                for (std::size_t i = 0; i < side.size(); ++i) {
                    REQUIRE(mask.test(side[i].id) == kept);
                    if (i > 0) REQUIRE(side[i].probability <= side[i - 1].probability);
                }
                // Nobody outside the list is more probable.
                for (int id = 0; id < mask.size(); ++id) {
                    if (mask.test(id) != kept || side.empty()) continue;
                    const bool listed = std::any_of(side.begin(), side.end(),
                                                    [&](const auto& x) { return x.id == id; });
                    if (!listed) REQUIRE(logits[index(id)] <= logits[index(side.back().id)]);
                }
            }
            const int next = random_token(mask, rng);
            constraint.advance(next);
        }
    }
    GrammarMatcher constraint(language, 12);
    const std::vector<float> few(3);
    REQUIRE(test::contains(test::error_of([&] { guide_state(constraint, few); }), "got 3 logits"));
}
