// Hostile arguments to chapters 07 to 10: caches compared, penalties, stops, the generator.
#include "tests/catch.hpp"

#include <climits>
#include <utility>
#include <vector>

#include "chapters/07_kv_cache/tools/roofline.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "chapters/10_generate/chat.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "lib/files/random_model.hpp"
#include "tests/api/hostile.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

const std::vector<float> five{5, 3, 2, 1, -1};

TransformerConfig tiny() { return gpt_config(1, 2, 8, 16, 11); }

}  // namespace

TEST_CASE("api: caches compared and work counted", "[api]") {
    const KvCache a(tiny()), b(gpt_config(2, 2, 8, 16, 11));
    REFUSES(equal_positions(a, a, tiny(), 1), equal_positions(a, b, tiny(), 0));
    REQUIRE(equal_positions(a, a, tiny(), INT_MIN) == 0);
    for (const std::int64_t n : {std::int64_t{-1}, INT64_MIN, INT64_MAX})
        REFUSES(forward_work(n, 1), uncached_work(n, 1), cached_work(1, n), uncached_work(1, n));
    for (const std::string& text : hostile_texts) REFUSES(read_roofline(text, -1));
    HOLDS(chart_of(Roofline{}), Product{}.intensity(), Product{}.gigaflops());
    HOLDS(Roofline{}.limit(NAN, Slope{}));
}

TEST_CASE("api: penalties and bans", "[api]") {
    Candidates c(five);
    std::vector<float> s = five;
    TokenCounts counts;
    for (const int id : {-1, 5, INT_MIN, INT_MAX}) {
        const std::vector<int> text{0, id}, twice{id, id, id};
        REFUSES(penalize_repetition(c, text, 1.2), penalize_repetition(c, text, 1.2, &counts),
                penalize_frequency_presence(c, text, 1, 1), ban_repeated_ngrams(c, twice, 1),
                ban_repeated_ngrams(c, twice, 2), ban_eos_until(c, 0, 1, text));
        REFUSES(plain_repetition(s, text, 1.2), plain_frequency_presence(s, text, 1, 1),
                plain_no_repeat_ngram(s, twice, 2), plain_eos_until(s, 0, 1, text),
                add_bias(c, {}, std::vector<SequenceBias>{{{id}, 1}}),
                plain_bias(s, text, {{0, id}, 1}));
        REFUSES(counts.count(text, 5));
    }
    for (const double bad : hostile_numbers)
        REFUSES(penalize_repetition(c, {}, bad), penalize_frequency_presence(c, {}, bad, 0),
                plain_frequency_presence(s, {}, 0, bad), plain_repetition(s, {}, bad));
    for (const double bad : {0.0, -1.0, 1e-300}) REFUSES(penalize_repetition(c, {}, bad));
    for (const int n : {-1, INT_MIN})
        REFUSES(ban_repeated_ngrams(c, {}, n), plain_no_repeat_ngram(s, {}, n),
                ban_eos_until(c, 0, n, {}), plain_eos_until(s, 0, n, {}));
    HOLDS(ban_repeated_ngrams(c, {}, INT_MAX), plain_no_repeat_ngram(s, {}, INT_MAX));
    HOLDS(ban_eos_until(c, SIZE_MAX, INT_MAX, {}));
    for (const float bad : {not_a_number, infinity})
        REFUSES(add_bias(c, {}, std::vector<SequenceBias>{{{0}, bad}}),
                plain_bias(s, {}, {{0}, bad}));
    REFUSES(add_bias(c, {}, std::vector<SequenceBias>{{{}, 1}}), plain_bias(s, {}, {{}, 1}));
    std::vector<float> none;
    REFUSES(plain_repetition(none, {0}, 2));
    REQUIRE(std::vector<float>(c.logits().begin(), c.logits().end()) == five);
}

TEST_CASE("api: counts remember no other vocabulary", "[api]") {
    TokenCounts counts;
    counts.count(std::vector<int>{1, 9, 9}, 10);
    REFUSES(counts.count(std::vector<int>{1, 9, 9}, 5));
    counts.count(std::vector<int>{1, 2}, 5);
    REQUIRE(counts.distinct().size() == 2);
    const TokenCounts taken = std::move(counts);
    counts.count(std::vector<int>{4}, 5);
    REQUIRE(counts.distinct().size() == 1);
    // The same where nothing is kept: the text of a large vocabulary, then a small row.
    const std::vector<float> large(100, 1.0f);
    Candidates wide(large), narrow(five);
    penalize_repetition(wide, std::vector<int>{99, 98}, 2);
    REFUSES(penalize_repetition(narrow, std::vector<int>{99, 98, 1}, 2));
}

TEST_CASE("api: chains of penalties", "[api]") {
    for (const std::string& text : hostile_texts) REFUSES(scope_named(text));
    PenaltyOptions more;
    more.eos = {-1, 99};
    more.bad_words = {{}};
    SamplingOptions o;
    o.min_new_tokens = INT_MAX;
    Candidates c(five);
    REFUSES(full_chain(o, Dialect::ours, more).apply(c, {std::vector<int>{1}, SIZE_MAX}));
    more.bad_words = {{-7}};
    REFUSES(full_chain({}, Dialect::ours, more).apply(c, {{}, 0}));
    HOLDS(in_scope({{}, SIZE_MAX}, Scope::last_of(64)), in_scope({{}, SIZE_MAX}, Scope::generated));
    HOLDS(distinct_ngrams({}, 0), distinct_ngrams({}, SIZE_MAX), repeated_ngrams({}, 1));
}

TEST_CASE("api: stops and streams", "[api]") {
    for (const std::string& text : hostile_texts) {
        if (text != hostile_texts[1] && text != hostile_texts.back()) REFUSES(StopStrings({text}));
        HOLDS(valid_text(text), utf8_head(text));
    }
    REFUSES(StopStrings({std::string(70000, 'x')}));
    StopStrings stops({"ab"});
    for (const int state : {-1, 3, INT_MIN, INT_MAX})
        REFUSES(stops.next(state, 'a'), stops.held_back(state), stops.complete(state));
    TextStream stream(stops);
    HOLDS(stream.push(""), stream.finish(), stream.push("\xff"));
    const StopStrings taken = std::move(stops);
    REFUSES(stops.next(0, 'a'));
    for (const auto& sizes : {std::pair{0, 1}, {1, 0}, {1, 2}, {-1, -1}, {INT_MIN, 1}})
        REFUSES(Window(sizes.first, sizes.second));
    Window window(INT_MAX, INT_MAX);
    HOLDS(window.view({}), default_keep(INT_MIN), default_keep(INT_MAX));
    const StopStrings none;
    HOLDS(why_stop(StopRules{}, INT_MIN, TextStream(none), INT_MIN, INT_MAX));
}

TEST_CASE("api: batches of texts", "[api]") {
    Transformer gpt(tiny(), random_weights(tiny(), 1), {1, {}});
    CachedBatch batch(gpt);
    const std::vector<int> ids{1, 2, 3}, long_text(17, 1);
    const auto ask = [&](std::vector<BatchText> texts) { batch(texts); };
    REFUSES(ask({}), ask({{0, {}}}), ask({{SIZE_MAX, ids}}), ask({{100000, ids}}),
            ask({{0, ids}, {0, ids}}), ask({{0, long_text}}));
    for (const int id : hostile_ids) REFUSES(ask({{0, std::vector<int>{1, id}}}));
    HOLDS(ask({{0, ids}, {1, ids}}));
}

TEST_CASE("api: the generator", "[api]") {
    const BatchLogits model = one_at_a_time(test::letters());
    const auto write = [&](auto&& change, std::vector<int> prompt = {97}) {
        GenerateRequest r = test::request(4);
        change(r);
        return outcome([&] { generate_texts(model, test::one_byte, prompt, r); });
    };
    const auto nothing = [](GenerateRequest&) {};
    REQUIRE(write(nothing) == "");
    REQUIRE(write(nothing, {}) != "");
    for (const int bad : {0, -1, INT_MIN, INT_MAX}) {
        REQUIRE(write([&](GenerateRequest& r) { r.samples = bad; }) != "");
        if (bad < 1) REQUIRE(write([&](GenerateRequest& r) { r.stop.context = bad; }) != "");
        if (bad < 1) REQUIRE(write([&](GenerateRequest& r) { r.stop.max_new_tokens = bad; }) == "");
    }
    REQUIRE(write([](GenerateRequest& r) { r.keep = 65; }) != "");
    REQUIRE(write([](GenerateRequest& r) { r.keep = INT_MIN; }) == "");
    REQUIRE(write([](GenerateRequest& r) { r.traced_tokens = INT_MAX; }) == "");
    const GenerateRequest r = test::request(4);
    REFUSES(generate_texts({}, test::one_byte, std::vector<int>{97}, r),
            generate_texts(model, {}, std::vector<int>{97}, r));
    const auto poor = [](std::span<const BatchText>) {
        return std::vector<std::span<const float>>{};
    };
    REFUSES(generate_texts(poor, test::one_byte, std::vector<int>{97}, r));
    TextWriter writer(r, std::vector<int>{97}, 0);
    REFUSES(writer.result());
}

TEST_CASE("api: conversations and reports", "[api]") {
    const auto encode = [](std::string_view text) { return std::vector<int>(text.size()); };
    for (const int budget : {0, -1, INT_MIN}) REFUSES(Conversation(lines_prompt(encode), budget));
    REFUSES(Conversation({}, 10), lines_prompt({}));
    Conversation talk(lines_prompt(encode), 40);
    REFUSES(talk.ask(std::string(100, 'x')));
    for (const std::string& text : hostile_texts) {
        HOLDS(talk.ask(text), talk.answer(text), says_goodbye(text), trimmed(text),
              unescaped(text));
        HOLDS(TrimmedStream().push(text), chat_prompt({{text, text}}, text));
    }
    const Tokenizer tokenizer = babble_tokenizer(300);
    GeneratedText text;
    HOLDS(json_result("\xff", "\xff", {}, {-1}, tokenizer, {text}));
    text.stop_string = 3;
    REFUSES(json_result("m", "p", {}, {1}, tokenizer, {text}), token_bytes_of(tokenizer)(-1));
    Trace trace;
    trace.top = {{1, 0.5, 0.5, 7}};
    REFUSES(trace_line(tokenizer, trace, 0, 0), explanation(tokenizer, Chain(), trace, 0));
    text.stop_string = -1, text.traces = {trace};
    REFUSES(json_result("m", "p", {}, {1}, tokenizer, {text}));
    trace.chosen = -1;
    REFUSES(trace_line(tokenizer, trace, SIZE_MAX, INT_MIN),
            explanation(tokenizer, Chain(), trace, INT_MIN));
    const test::TemporaryFolder folder;
    HOLDS(write_surprise_figure(folder.file("f.svg"), tokenizer, "\xff", text));
    GenerateOptions options;
    options.model = "/nowhere";
    REFUSES(open_model(options));
    options.temperature = NAN;
    HOLDS(sampling_of(options));
}

TEST_CASE("api: passages and endings", "[api]") {
    Candidates c(five);
    std::vector<float> s = five;
    const Dry dry{1, 1.75, 2, {}};
    for (const int id : {-1, 5, INT_MIN, INT_MAX}) {
        const std::vector<int> text{0, id};
        REFUSES(penalize_passages(c, text, dry), plain_dry(s, text, dry), suppress(c, text),
                plain_suppress(s, text), force(c, id), plain_force(s, id));
        REFUSES(favour_ending(c, 1, {0, 2}, text), plain_decay(s, 1, {0, 2}, text));
        HOLDS(penalize_passages(c, std::vector<int>{0, 0}, {1, 2, 1, {id}}));
    }
    for (const double bad : hostile_numbers)
        REFUSES(penalize_passages(c, {}, {bad, 2, 2, {}}), plain_dry(s, {}, {1, bad, 2, {}}),
                favour_ending(c, 1, {0, bad}, {}), plain_decay(s, 1, {0, bad}, {}));
    for (const int bad : {0, -1, INT_MIN}) REFUSES(penalize_passages(c, {}, {1, 2, bad, {}}));
    REFUSES(favour_ending(c, 1, {-1, 2}, {}));
    HOLDS(favour_ending(c, SIZE_MAX, {INT_MAX, 1e9}, std::vector<int>{0}));
    HOLDS(decay_bonus(not_a_number, INT_MIN, {INT_MAX, 2}), dry_penalty(dry, INT_MIN));
    HOLDS(matches_with_the_end({}));
}
