// The complete generator, on models whose every answer is known, and on transformers' reference model.
#include "catch.hpp"

#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"

using namespace tbt;

namespace {

constexpr int eos = 256;
constexpr std::size_t vocabulary = 257;  // the bytes, and EOS

// Token i is byte i.
const TokenBytes one_byte = [](int id) -> std::string_view {
    static const std::string all = [] {
        std::string s;
        for (int b = 0; b < 256; ++b) s += static_cast<char>(b);
        return s;
    }();
    return id < 256 ? std::string_view(all).substr(static_cast<std::size_t>(id), 1) : std::string_view("<EOS>");
};

std::vector<int> bytes_of(const std::string& text) {
    std::vector<int> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
}

// Writes what it was told, whatever the prompt, and then EOS.
NextLogits script(std::size_t prompt_length, std::vector<int> answer) {
    return [=, row = std::vector<float>(vocabulary)](std::span<const int> ids) mutable -> std::span<const float> {
        const std::size_t at = ids.size() - prompt_length;
        row.assign(vocabulary, -std::numeric_limits<float>::infinity());
        row[static_cast<std::size_t>(at < answer.size() ? answer[at] : eos)] = 0;
        return row;
    };
}

// Any of eight letters, depending on everything read before: a wrong id anywhere changes all that follows.
NextLogits letters() {
    return [row = std::vector<float>(vocabulary)](std::span<const int> ids) mutable -> std::span<const float> {
        std::uint64_t hash = 1;
        for (const int id : ids) hash = (hash ^ static_cast<std::uint64_t>(id)) * 0x9E3779B97F4A7C15ull;
        Rng rng(hash);
        row.assign(vocabulary, -std::numeric_limits<float>::infinity());
        for (int i = 0; i < 8; ++i) row[static_cast<std::size_t>('a' + i)] = static_cast<float>(rng.normal());
        return row;
    };
}

GenerateRequest request(int max_new_tokens, std::vector<std::string> stops = {}) {
    GenerateRequest r;
    r.stop.eos = {eos};
    r.stop.strings = StopStrings(std::move(stops));
    r.stop.max_new_tokens = max_new_tokens;
    r.stop.context = 64;
    return r;
}

GeneratedText write(const std::string& prompt, const std::string& answer, const GenerateRequest& r,
                    std::vector<std::string>* pieces = nullptr) {
    GenerateObserver observer;
    if (pieces) observer.on_text = [pieces](std::size_t, const std::string& piece) { pieces->push_back(piece); };
    return generate_texts(one_at_a_time(script(prompt.size(), bytes_of(answer))), one_byte, bytes_of(prompt), r,
                          observer)[0];
}

GptConfig small_config() {
    GptConfig config;
    config.vocab_size = static_cast<int>(vocabulary);
    config.n_positions = 64;
    config.n_embd = 32;
    config.n_layer = 2;
    config.n_head = 2;
    config.n_inner = 4 * 32;
    return config;
}

Tensor random_weight(const std::string& name, const Shape& shape) {
    std::uint64_t stream = 0;
    for (const char c : name) stream = stream * 131 + static_cast<unsigned char>(c);
    Rng rng(3, stream);
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
    return t;
}

std::vector<std::vector<int>> ids_of(const std::vector<GeneratedText>& texts) {
    std::vector<std::vector<int>> ids;
    for (const GeneratedText& text : texts) ids.push_back(text.ids);
    return ids;
}

}  // namespace

TEST_CASE("a text ends with EOS, which is among its ids and not in its text", "[ch10]") {
    const GeneratedText text = write("say: ", "hello", request(20));
    REQUIRE(text.text == "hello");
    REQUIRE(text.reason == FinishReason::eos);
    REQUIRE(text.ids.size() == 6);
    REQUIRE(text.ids.back() == eos);
}

TEST_CASE("a text ends when its tokens are used up, and a cut character is one U+FFFD at the very end", "[ch10]") {
    std::vector<std::string> pieces;
    const GeneratedText text = write("?", "né€", request(4), &pieces);
    REQUIRE(text.reason == FinishReason::length);
    REQUIRE(text.ids.size() == 4);
    REQUIRE(text.text == "né\xEF\xBF\xBD");
    REQUIRE(pieces == std::vector<std::string>{"n", "é", "\xEF\xBF\xBD"});
    REQUIRE(write("?", "x", request(0)).ids.empty());
}

TEST_CASE("a stop string ends a text; the prompt's own does not count", "[ch10]") {
    std::vector<std::string> pieces;
    const GeneratedText text = write("User: hi", "ok\nUser: x", request(40, {"\nUser:"}), &pieces);
    REQUIRE(text.text == "ok");
    REQUIRE(text.reason == FinishReason::stop_string);
    REQUIRE(text.stop_string == 0);
    REQUIRE(pieces == std::vector<std::string>{"o", "k"});
    REQUIRE(text.ids == bytes_of("ok\nUser:"));  // what was generated, the stop string's tokens included
}

TEST_CASE("what could have become a stop string is shown when the text ends without it", "[ch10]") {
    std::vector<std::string> pieces;
    const GeneratedText text = write("?", "ok\nUs", request(40, {"\nUser:"}), &pieces);
    REQUIRE(text.text == "ok\nUs");
    REQUIRE(text.reason == FinishReason::eos);
    REQUIRE(pieces == std::vector<std::string>{"o", "k", "\nUs"});
}

TEST_CASE("the context ends a text, or slides", "[ch10]") {
    GenerateRequest r = request(200);
    r.stop.context = 10;
    const std::vector<int> prompt = bytes_of("abcdef");
    const GeneratedText refused = generate_texts(one_at_a_time(letters()), one_byte, prompt, r)[0];
    REQUIRE(refused.reason == FinishReason::context);
    REQUIRE(refused.ids.size() == 4);

    std::vector<std::vector<int>> read;
    const BatchLogits model = [&, inner = one_at_a_time(letters())](std::span<const BatchText> texts) {
        read.emplace_back(texts[0].ids.begin(), texts[0].ids.end());
        return inner(texts);
    };
    r.stop.policy = ContextPolicy::slide;
    r.keep = 7;
    r.stop.max_new_tokens = 12;
    const GeneratedText slid = generate_texts(model, one_byte, prompt, r)[0];
    REQUIRE(slid.reason == FinishReason::length);
    std::vector<int> all = prompt;
    all.insert(all.end(), slid.ids.begin(), slid.ids.end());
    std::vector<std::size_t> lengths;
    for (std::size_t i = 0; i < read.size(); ++i) {
        lengths.push_back(read[i].size());
        // Always the last tokens of the text so far.
        REQUIRE(std::equal(read[i].rbegin(), read[i].rend(),
                           all.rbegin() + static_cast<std::ptrdiff_t>(all.size() - prompt.size() - i)));
    }
    REQUIRE(lengths == std::vector<std::size_t>{6, 7, 8, 9, 10, 7, 8, 9, 10, 7, 8, 9});
}

TEST_CASE("a sample is the same text however many are asked for", "[ch10]") {
    for (const bool slide : {false, true}) {
        GenerateRequest r = request(20);
        r.stop.context = slide ? 8 : 64;
        r.stop.policy = slide ? ContextPolicy::slide : ContextPolicy::refuse;
        r.seed = 5;
        const std::vector<int> prompt = bytes_of("a longer prompt");
        r.samples = 5;
        const auto five = ids_of(generate_texts(one_at_a_time(letters()), one_byte, prompt, r));
        r.samples = 1;
        REQUIRE(ids_of(generate_texts(one_at_a_time(letters()), one_byte, prompt, r))[0] == five[0]);
        r.samples = 2;
        REQUIRE(ids_of(generate_texts(one_at_a_time(letters()), one_byte, prompt, r))[1] == five[1]);
        REQUIRE(five[0] != five[1]);
        // A stream on its own.
        r.samples = 1;
        r.first_stream = 4;
        REQUIRE(ids_of(generate_texts(one_at_a_time(letters()), one_byte, prompt, r))[0] == five[4]);
        r.first_stream = 0;
        r.seed = 6;
        REQUIRE(ids_of(generate_texts(one_at_a_time(letters()), one_byte, prompt, r))[0] != five[0]);
    }
}

TEST_CASE("samples of a network share one reading of the prompt and are what each is alone", "[ch10]") {
    Gpt gpt(small_config(), random_weight, {1});
    GenerateRequest r = request(20);
    r.samples = 4;
    const std::vector<int> prompt = bytes_of("a prompt of some length");
    CachedBatch together(gpt);
    const auto texts = ids_of(generate_texts(std::ref(together), one_byte, prompt, r));
    long generated = 0;
    for (const auto& ids : texts) generated += static_cast<long>(ids.size());
    // The prompt once, and every token but the last of each text.
    REQUIRE(together.computed() == static_cast<long>(prompt.size()) + generated - r.samples);

    for (int i = 0; i < r.samples; ++i) {
        GenerateRequest alone = r;
        alone.samples = 1;
        alone.first_stream = static_cast<std::uint64_t>(i);
        CachedModel model(gpt);
        REQUIRE(ids_of(generate_texts(one_at_a_time(std::ref(model)), one_byte, prompt, alone))[0] ==
                texts[static_cast<std::size_t>(i)]);
    }
}

TEST_CASE("a batch goes on from what it has read, over texts that grow, part and go back", "[ch10]") {
    Gpt gpt(small_config(), random_weight, {1});
    CachedBatch batch(gpt);
    Rng rng(1);
    std::vector<std::vector<int>> texts(3, bytes_of("start"));
    for (int round = 0; round < 40; ++round) {
        std::vector<BatchText> asked;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            std::vector<int>& text = texts[i];
            const std::uint64_t kind = rng.below(8);
            if (kind == 0) text = texts[rng.below(3)];                               // another's text
            if (kind == 1) text.resize(1 + rng.below(text.size()));                  // go back
            if (kind == 2)
                text.erase(text.begin(),
                           text.begin() + static_cast<std::ptrdiff_t>(rng.below(text.size())));  // slide
            for (std::uint64_t n = rng.below(3); n > 0 && text.size() < 60; --n)
                text.push_back(static_cast<int>(rng.below(257)));
            if (rng.below(5) > 0) asked.push_back({i, text});
        }
        if (asked.empty()) continue;
        const auto rows = batch(asked);
        REQUIRE(rows.size() == asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const std::vector<float> got(rows[i].begin(), rows[i].end());
            KvCache fresh(gpt.config());
            Gpt reference(small_config(), random_weight, {1});
            const std::span<const float> expected = reference.forward(fresh, asked[i].ids);
            REQUIRE(std::equal(got.begin(), got.end(), expected.begin(), expected.end()));
        }
    }
}

TEST_CASE("the same seed gives the same texts with any number of threads", "[ch10]") {
    std::vector<std::vector<std::vector<int>>> all;
    for (const int threads : {1, 2, 3}) {
        Gpt gpt(small_config(), random_weight, {threads});
        CachedBatch batch(gpt);
        GenerateRequest r = request(30);
        r.samples = 3;
        SamplingOptions sampling;
        sampling.temperature = 0.9;
        sampling.top_p = 0.95;
        sampling.repetition_penalty = 1.1;
        r.chain = full_chain(sampling, Dialect::ours);
        all.push_back(ids_of(generate_texts(std::ref(batch), one_byte, bytes_of("threads"), r)));
    }
    REQUIRE(all[1] == all[0]);
    REQUIRE(all[2] == all[0]);
}

TEST_CASE("an interrupted text keeps what was written", "[ch10]") {
    GenerateRequest r = request(40, {"\nUser:"});
    int steps = 0;
    std::string streamed;
    GenerateObserver observer;
    observer.go_on = [&] { return steps++ < 4; };
    observer.on_text = [&](std::size_t, const std::string& piece) { streamed += piece; };
    const auto texts =
        generate_texts(one_at_a_time(script(1, bytes_of("abc\nUser: x"))), one_byte, bytes_of("?"), r, observer);
    REQUIRE(texts[0].reason == FinishReason::interrupted);
    REQUIRE(texts[0].text == "abc\n");
    REQUIRE(streamed == "abc\n");
}

TEST_CASE("traces give the log-probabilities of every token, raw and processed", "[ch10]") {
    GenerateRequest r = request(12);
    SamplingOptions sampling;
    sampling.temperature = 0.5;
    sampling.top_k = 3;
    r.chain = full_chain(sampling, Dialect::ours);
    r.traced_tokens = 4;
    NextLogits model = letters();
    const std::vector<int> prompt = bytes_of("xyz");
    const GeneratedText text = generate_texts(one_at_a_time(model), one_byte, prompt, r)[0];
    REQUIRE(text.traces.size() == 12);
    std::vector<int> ids = prompt;
    for (std::size_t i = 0; i < text.ids.size(); ++i) {
        const Trace& t = text.traces[i];
        REQUIRE(t.chosen == text.ids[i]);
        REQUIRE(t.top.size() == 4);
        const std::span<const float> s = model(ids);
        double raw = 0, processed = 0;
        const std::vector<Candidate> first = top_candidates(s, 3);
        for (const float v : s) raw += std::exp(static_cast<double>(v));
        for (const Candidate& c : first) processed += std::exp(static_cast<double>(c.logit) / 0.5);
        const double chosen = static_cast<double>(s[static_cast<std::size_t>(t.chosen)]);
        // Weights are whole quanta of 2^-44 of the largest: relative errors of 1e-12.
        REQUIRE(std::abs(t.raw_log_probability - (chosen - std::log(raw))) <= 1e-11);
        REQUIRE(std::abs(t.final_log_probability - (chosen / 0.5 - std::log(processed))) <= 1e-11);
        ids.push_back(t.chosen);
    }
    r.traced_tokens = -1;
    const GeneratedText untraced = generate_texts(one_at_a_time(model), one_byte, prompt, r)[0];
    REQUIRE(untraced.traces.empty());
    REQUIRE(untraced.ids == text.ids);
}

TEST_CASE("requests that cannot be served are refused", "[ch10]") {
    const BatchLogits model = one_at_a_time(letters());
    GenerateRequest r = request(5);
    REQUIRE_THROWS_WITH(generate_texts(model, one_byte, {}, r), Catch::Contains("empty prompt"));
    r.samples = 0;
    REQUIRE_THROWS_WITH(generate_texts(model, one_byte, bytes_of("a"), r),
                        Catch::Contains("num-return-sequences"));
    r.samples = 1;
    REQUIRE_THROWS_WITH(generate_texts(model, one_byte, std::vector<int>(64, 'a'), r),
                        Catch::Contains("fill the context of 64"));
    r.stop.policy = ContextPolicy::slide;
    REQUIRE(generate_texts(model, one_byte, std::vector<int>(64, 'a'), r)[0].ids.size() == 5);
}

TEST_CASE("greedy texts are transformers' to the last id", "[ch10][golden]") {
    Gpt gpt = Gpt::load("tests/data/tiny-gpt2");
    const auto golden = nlohmann::json::parse(std::ifstream("tests/data/tiny-gpt2/golden.json"));
    const std::vector<std::string> understood = {"kind",
                                                 "prompt",
                                                 "num_beams",
                                                 "max_new_tokens",
                                                 "hf446",
                                                 "hf430",
                                                 "v5",
                                                 "robust",
                                                 "no_repeat_ngram_size",
                                                 "repetition_penalty",
                                                 "min_new_tokens",
                                                 "min_length",
                                                 "eos_token_id",
                                                 "bad_words_ids",
                                                 "sequence_bias",
                                                 "suppress_tokens",
                                                 "renormalize_logits"};
    const TokenBytes no_bytes = [](int) { return std::string_view{}; };
    int compared = 0, skipped = 0;
    for (const auto& example : golden["generate"]) {
        if (example["kind"] != "greedy") continue;
        bool known = true;
        for (const auto& [key, value] : example.items())
            known = known && std::find(understood.begin(), understood.end(), key) != understood.end();
        if (!known) {
            ++skipped;  // forced EOS, decaying length penalty, tokens suppressed at the beginning: not in this
                        // course
            continue;
        }
        const auto prompt = example["prompt"].get<std::vector<int>>();
        GenerateRequest r;
        r.stop.max_new_tokens = example["max_new_tokens"];
        r.stop.context = gpt.config().n_positions;
        r.stop.eos = {68};
        if (example.contains("eos_token_id")) {
            const auto& e = example["eos_token_id"];
            r.stop.eos = e.is_null()    ? std::vector<int>{}
                         : e.is_array() ? e.get<std::vector<int>>()
                                        : std::vector<int>{e.get<int>()};
        }
        SamplingOptions sampling;
        sampling.temperature = 0;
        sampling.no_repeat_ngram_size = example.value("no_repeat_ngram_size", 0);
        sampling.repetition_penalty = example.value("repetition_penalty", 1.0);
        sampling.min_new_tokens = std::max(example.value("min_new_tokens", 0),
                                           example.value("min_length", 0) - static_cast<int>(prompt.size()));
        PenaltyOptions more;
        more.eos = r.stop.eos;
        if (example.contains("bad_words_ids"))
            more.bad_words = example["bad_words_ids"].get<std::vector<std::vector<int>>>();
        if (example.contains("suppress_tokens")) {
            for (const int id : example["suppress_tokens"]) more.bad_words.push_back({id});
        }
        if (example.contains("sequence_bias")) {
            for (const auto& b : example["sequence_bias"])
                more.bias.push_back({b[0].get<std::vector<int>>(), b[1].get<float>()});
        }
        r.chain = full_chain(sampling, Dialect::transformers, more);
        CachedBatch model(gpt);
        INFO(example.dump().substr(0, 300));
        REQUIRE(generate_texts(std::ref(model), no_bytes, prompt, r)[0].ids ==
                example["hf446"]["sequences"][0].get<std::vector<int>>());
        ++compared;
    }
    REQUIRE(compared >= 40);
    REQUIRE(skipped <= 15);
}
