// Words that must not come, tokens that end a text, and what the prompt's tokens were worth.
#include "tests/catch.hpp"

#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;

namespace {

// Thirty texts of a small model that favours a, b and c.
std::vector<GeneratedText> texts_of(GenerateOptions o) {
    Model model = small_model();
    o.temperature = 1, o.top_p = 1, o.max_new_tokens = 30, o.samples = 30;
    for (const char* id : {"97=9", "98=9", "99=9"}) o.logit_bias.emplace_back(id);
    CachedBatch batch(model.transformer);
    return generate_texts(std::ref(batch), token_bytes_of(model.tokenizer),
                          prompt_ids(o, model, "a"), request_of(o, model));
}

int how_many_hold(const GenerateOptions& o, const std::string& what) {
    int n = 0;
    for (const GeneratedText& text : texts_of(o)) n += text.text.find(what) != std::string::npos;
    return n;
}

int how_many_end_with(const std::vector<GeneratedText>& texts, FinishReason reason) {
    return static_cast<int>(std::count_if(
        texts.begin(), texts.end(), [&](const GeneratedText& t) { return t.reason == reason; }));
}

}  // namespace

TEST_CASE("a banned text does not appear, across tokens and in any place") {
    REQUIRE(how_many_hold({}, "ab") > 20);
    REQUIRE(how_many_hold({}, "bca") > 15);
    GenerateOptions o;
    o.ban_text = {"ab", "bca"};
    REQUIRE(how_many_hold(o, "ab") == 0);
    REQUIRE(how_many_hold(o, "bca") == 0);
    REQUIRE(how_many_hold(o, "ba") > 20);
    o.ban_text = {"\\n", "a"};  // escapes as everywhere
    REQUIRE(how_many_hold(o, "a") == 0);
    REQUIRE(how_many_hold(o, "\n") == 0);
}

TEST_CASE("a bad word's tokens never come in a row, and other tokens with its text do") {
    GenerateOptions o;
    o.bad_words = {"ab"};
    // Over bytes both come to the same …
    REQUIRE(how_many_hold(o, "ab") == 0);
    // … and transformers' own name takes ids.
    o.bad_words.clear();
    o.bad_words_ids = {{'a', 'b'}, {'c'}};
    REQUIRE(how_many_hold(o, "ab") == 0);
    REQUIRE(how_many_hold(o, "c") == 0);
    o.bad_words_ids = {{257}};
    REQUIRE_THROWS_AS(texts_of(o), Error);
    // The end among them: banned, but not in transformers' dialect, which drops it.
    o.bad_words_ids = {{256}};
    o.logit_bias = {"256=9"};
    REQUIRE(how_many_end_with(texts_of(o), FinishReason::eos) == 0);
    o.dialect = "transformers";
    REQUIRE(how_many_end_with(texts_of(o), FinishReason::eos) > 20);
}

TEST_CASE("tokens named as ends end a text, and an ignored end does not come") {
    GenerateOptions o;
    o.stop_token_ids = {"98,99"};
    for (const GeneratedText& text : texts_of(o)) {
        if (text.reason != FinishReason::eos) continue;
        REQUIRE((text.ids.back() == 98 || text.ids.back() == 99 || text.ids.back() == 256));
        REQUIRE(text.text.find_first_of("bc") == std::string::npos);  // an end is no text
    }
    REQUIRE(how_many_end_with(texts_of(o), FinishReason::eos) > 28);
    o = {};
    o.logit_bias = {"256=9"};
    REQUIRE(how_many_end_with(texts_of(o), FinishReason::eos) > 20);
    o.ignore_eos = true;
    for (const GeneratedText& text : texts_of(o)) {
        REQUIRE(text.reason == FinishReason::length);
        REQUIRE(std::count(text.ids.begin(), text.ids.end(), 256) == 0);
    }
    // vLLM: it comes, and the text goes on.
    o.dialect = "vllm";
    int ends = 0;
    for (const GeneratedText& text : texts_of(o)) {
        REQUIRE(text.reason == FinishReason::length);
        ends += std::count(text.ids.begin(), text.ids.end(), 256) > 0;
    }
    REQUIRE(ends > 20);
    o.min_new_tokens = 3;  // there is no end to hold back
    REQUIRE(how_many_end_with(texts_of(o), FinishReason::length) ==
            static_cast<int>(texts_of(o).size()));
}

TEST_CASE("the prompt's log-probabilities are those of the model, token by token") {
    Model model = small_model();
    const std::vector<int> ids = {'a', 'b', 'c'};
    const std::vector<TokenLogprob> tokens = prompt_logprobs(model.transformer, ids, 2);
    REQUIRE(tokens.size() == 3);
    REQUIRE(std::isnan(tokens[0].log_probability));
    REQUIRE(tokens[0].choices.empty());
    for (std::size_t i = 1; i < 3; ++i) {
        KvCache cache(model.config());
        const auto row = model.transformer.forward(cache, std::span(ids).first(i));
        double sum = 0;
        for (const float s : row) sum += std::exp(static_cast<double>(s));
        const double expected = static_cast<double>(row[index(ids[i])]) - std::log(sum);
        // Double arithmetic in another order.
        REQUIRE(std::abs(tokens[i].log_probability - expected) <= 1e-9);
        REQUIRE(tokens[i].choices.size() == 2);
        const auto best = std::max_element(row.begin(), row.end());
        REQUIRE(tokens[i].choices[0].id == best - row.begin());
        REQUIRE(tokens[i].choices[0].log_probability >= tokens[i].choices[1].log_probability);
    }
}
