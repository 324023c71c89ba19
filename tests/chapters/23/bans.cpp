// Bans under a schema: the text is whole, or the two are refused before the first token.
#include "tests/catch.hpp"

#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"

using namespace tbt;

TEST_CASE("a ban on repeated n-grams never breaks off a text that a schema holds") {
    TextGenerator generator("data/models/storyteller");
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        TextOptions o;
        o.guide.schema = "data/schemas/order.json";
        o.no_repeat_ngram_size = 2;
        o.seed = seed;
        const GeneratedText text = generator.generate("An order:", o)[0];
        INFO(text.text);
        REQUIRE(text.reason == FinishReason::eos);
        REQUIRE(!json_value(text.text).is_discarded());
    }
}

TEST_CASE("a token that is forced and banned is refused") {
    TextGenerator generator("data/models/storyteller");
    TextOptions o;
    o.forced_bos = 9, o.suppress = {"9"};
    REQUIRE_THROWS_AS(generator.generate("x", o), UsageError);
}

TEST_CASE("each promise that a constraint may break is refused by its name") {
    TextGenerator generator("data/models/storyteller");
    const std::vector<std::pair<std::string, std::function<void(TextOptions&)>>> promises = {
        {"--ban-text", [](TextOptions& o) { o.ban_text = {"the"}; }},
        {"--bad-words", [](TextOptions& o) { o.bad_words_ids = {{5}}; }},
        {"--bad-words", [](TextOptions& o) { o.bad_words = {"the"}; }},
        {"--suppress-tokens", [](TextOptions& o) { o.suppress = {"408,90"}; }},
        {"--begin-suppress-tokens", [](TextOptions& o) { o.begin_suppress = {"5"}; }},
        {"--logit-bias with -inf", [](TextOptions& o) { o.logit_bias = {"5=-inf"}; }},
        {"--logit-bias with -inf",
         [](TextOptions& o) {
             o.logit_bias = {"4=1", "5=-INF"};
         }},
        {"--logit-bias with -inf", [](TextOptions& o) { o.logit_bias = {"5=-Inf"}; }},
        {"--logit-bias with -inf", [](TextOptions& o) { o.logit_bias = {"5=-1e39"}; }},
        {"--sequence-bias with -inf", [](TextOptions& o) { o.sequence_bias = {"5,6=-infinity"}; }},
        {"--forced-bos-token-id", [](TextOptions& o) { o.forced_bos = 5; }},
        {"--forced-eos-token-id", [](TextOptions& o) { o.forced_eos = 5; }}};
    for (const auto& promise : promises) {
        TextOptions o;
        o.guide.json = true, o.max_new_tokens = 40;
        promise.second(o);
        INFO(promise.first);
        REQUIRE_THROWS_WITH(generator.generate("x", o),
                            Catch::StartsWith(promise.first + " and --json: a constraint "));
    }
    TextOptions bias;
    bias.guide.json = true, bias.max_new_tokens = 40, bias.logit_bias = {"5=-3"};
    REQUIRE_NOTHROW(generator.generate("x", bias));
}
