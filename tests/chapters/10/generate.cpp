// The complete generator, on models whose every answer is known.
#include "tests/catch.hpp"

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

TEST_CASE("a text ends with EOS, which is among its ids and not in its text") {
    const GeneratedText text = write("say: ", "hello", request(20));
    REQUIRE(text.text == "hello");
    REQUIRE(text.reason == FinishReason::eos);
    REQUIRE(text.ids.size() == 6);
    REQUIRE(text.ids.back() == eos);
}

TEST_CASE(
    "a text ends when its tokens are used up, and a cut character is one U+FFFD at the very end") {
    std::vector<std::string> pieces;
    const GeneratedText text = write("?", "né€", request(4), &pieces);
    REQUIRE(text.reason == FinishReason::length);
    REQUIRE(text.ids.size() == 4);
    REQUIRE(text.text == "né\xEF\xBF\xBD");
    REQUIRE(pieces == std::vector<std::string>{"n", "é", "\xEF\xBF\xBD"});
    REQUIRE(write("?", "x", request(0)).ids.empty());
}

TEST_CASE("a stop string ends a text; the prompt's own does not count") {
    std::vector<std::string> pieces;
    const GeneratedText text = write("User: hi", "ok\nUser: x", request(40, {"\nUser:"}), &pieces);
    REQUIRE(text.text == "ok");
    REQUIRE(text.reason == FinishReason::stop_string);
    REQUIRE(text.stop_string == 0);
    REQUIRE(pieces == std::vector<std::string>{"o", "k"});
    REQUIRE(text.ids ==
            bytes_of("ok\nUser:"));  // what was generated, the stop string's tokens included
}

TEST_CASE("what could have become a stop string is shown when the text ends without it") {
    std::vector<std::string> pieces;
    const GeneratedText text = write("?", "ok\nUs", request(40, {"\nUser:"}), &pieces);
    REQUIRE(text.text == "ok\nUs");
    REQUIRE(text.reason == FinishReason::eos);
    REQUIRE(pieces == std::vector<std::string>{"o", "k", "\nUs"});
}

TEST_CASE("the context ends a text, or slides") {
    GenerateRequest r = request(200);
    r.stop.context = 10;
    const std::vector<int> prompt = bytes_of("abcdef");
    const GeneratedText refused = generate_texts(one_at_a_time(letters()), one_byte, prompt, r)[0];
    REQUIRE(refused.reason == FinishReason::context);
    REQUIRE(refused.ids.size() == 4);

    std::vector<std::vector<int>> read;
    const BatchLogits model = [&,
                               inner = one_at_a_time(letters())](std::span<const BatchText> texts) {
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
        REQUIRE(
            std::equal(read[i].rbegin(), read[i].rend(),
                       all.rbegin() + static_cast<std::ptrdiff_t>(all.size() - prompt.size() - i)));
    }
    REQUIRE(lengths == std::vector<std::size_t>{6, 7, 8, 9, 10, 7, 8, 9, 10, 7, 8, 9});
}

TEST_CASE("a sample is the same text however many are asked for") {
    for (const bool slide : {false, true}) {
        // The texts of so many samples of a seed, from a stream on.
        const auto texts = [slide](std::uint64_t seed, int samples, std::uint64_t first = 0) {
            GenerateRequest r = request(20);
            r.stop.context = slide ? 8 : 64;
            r.stop.policy = slide ? ContextPolicy::slide : ContextPolicy::refuse;
            r.seed = seed, r.samples = samples, r.first_stream = first;
            return ids_of(
                generate_texts(one_at_a_time(letters()), one_byte, bytes_of("a longer prompt"), r));
        };
        const auto five = texts(5, 5);
        REQUIRE(texts(5, 1)[0] == five[0]);
        REQUIRE(texts(5, 2)[1] == five[1]);
        REQUIRE(five[0] != five[1]);
        REQUIRE(texts(5, 1, 4)[0] == five[4]);  // a stream on its own
        REQUIRE(texts(5, 2, 3)[1] == five[4]);  // several, from a later one on
        // Not the first sample of a later seed either: who asks for seeds 5 and 6 wants new texts.
        for (std::size_t i = 1; i < 5; ++i) REQUIRE(texts(5 + i, 1)[0] != five[i]);
        REQUIRE(texts(6, 1)[0] != five[0]);
    }
}

TEST_CASE("an interrupted text keeps what was written") {
    GenerateRequest r = request(40, {"\nUser:"});
    int steps = 0;
    std::string streamed;
    GenerateObserver observer;
    observer.go_on = [&] { return steps++ < 4; };
    observer.on_text = [&](std::size_t, const std::string& piece) { streamed += piece; };
    const auto texts = generate_texts(one_at_a_time(script(1, bytes_of("abc\nUser: x"))), one_byte,
                                      bytes_of("?"), r, observer);
    REQUIRE(texts[0].reason == FinishReason::interrupted);
    REQUIRE(texts[0].text == "abc\n");
    REQUIRE(streamed == "abc\n");
}

TEST_CASE("traces give the log-probabilities of every token, raw and processed") {
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
        const double chosen = static_cast<double>(s[index(t.chosen)]);
        // Weights are whole multiples of 2^-44 of the largest: relative errors of 1e-12.
        REQUIRE(std::abs(t.raw_log_probability - (chosen - std::log(raw))) <= 1e-11);
        REQUIRE(std::abs(t.final_log_probability - (chosen / 0.5 - std::log(processed))) <= 1e-11);
        ids.push_back(t.chosen);
    }
    r.traced_tokens = -1;
    const GeneratedText untraced = generate_texts(one_at_a_time(model), one_byte, prompt, r)[0];
    REQUIRE(untraced.traces.empty());
    REQUIRE(untraced.ids == text.ids);
}

TEST_CASE("requests that cannot be served are refused") {
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

TEST_CASE("a recording sees what a text saw when it was drawn, its surprise so far too") {
    for (const Dialect dialect : {Dialect::ours, Dialect::llama_cpp}) {
        SamplingOptions o;
        o.mirostat = 2, o.mirostat_tau = 2;
        GenerateRequest r = request(20);
        r.chain = full_chain(o, dialect);
        r.traced_tokens = 1;
        const std::vector<int> prompt = bytes_of("ab");
        const GeneratedText text = generate_texts(one_at_a_time(letters()), one_byte, prompt, r)[0];
        const std::vector<RecordedToken> again =
            replay(one_at_a_time(letters()), r, replayed_text(r, prompt, text.ids, true));
        REQUIRE(again.size() == text.traces.size());
        for (std::size_t i = 0; i < again.size(); ++i) {
            REQUIRE(again[i].trace.u == text.traces[i].u);
            REQUIRE(again[i].trace.final_candidates == text.traces[i].final_candidates);
            REQUIRE(again[i].trace.final_log_probability == text.traces[i].final_log_probability);
        }
    }
}

TEST_CASE("a text that begins with given tokens goes on as the unbroken one, after each of them") {
    SamplingOptions o;
    o.temperature = 1, o.repetition_penalty = 1.3, o.no_repeat_ngram_size = 3;
    const std::vector<int> prompt = bytes_of("abc");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        GenerateRequest r = request(12, {"ab", "gh", "cde"});
        r.chain = full_chain(o, Dialect::ours);
        r.seed = seed, r.samples = 2;
        const NextLogits model = letters();
        const auto whole = generate_texts(one_at_a_time(model), one_byte, prompt, r);
        for (std::size_t s = 0; s < 2; ++s)
            for (std::size_t k = 0; k < whole[s].ids.size(); ++k) {
                r.begun.assign(whole[s].ids.begin(), whole[s].ids.begin() + to_int(k));
                std::string shown;
                GenerateObserver observer;
                observer.on_text = [&](std::size_t text, const std::string& piece) {
                    if (text == s) shown += piece;
                };
                const GeneratedText rest =
                    generate_texts(one_at_a_time(model), one_byte, prompt, r, observer)[s];
                const std::string& text = whole[s].text;
                REQUIRE(rest.ids ==
                        std::vector<int>(whole[s].ids.begin() + to_int(k), whole[s].ids.end()));
                REQUIRE(rest.text == text.substr(std::min(k, text.size())));
                REQUIRE(shown == rest.text);
                REQUIRE(rest.reason == whole[s].reason);
            }
    }
    GenerateRequest r = request(2);
    r.begun = bytes_of("xy");  // as many as it may have
    REQUIRE(write("?", "xyz", r).text.empty());
    r.begun = {0xc3};  // half a character
    REQUIRE_THROWS_AS(write("?", "xyz", r), Error);
}
