// Chapter 12 on the shipped models: drafted texts beside plain ones, seeds, streams, traces.
#include "tests/catch.hpp"

#include <sstream>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "lib/core/unicode.hpp"
#include "lib/files/model.hpp"

using namespace tbt;

namespace {

Chain chain_of(double temperature, int top_k, double top_p, double repetition, int ngram = 0) {
    SamplingOptions o;
    o.temperature = temperature, o.top_k = top_k, o.top_p = top_p,
    o.repetition_penalty = repetition, o.no_repeat_ngram_size = ngram;
    return full_chain(o, Dialect::ours);
}

SpeculativeRules rules_of(Chain chain, int max_new_tokens, int context) {
    SpeculativeRules rules;
    rules.chain = std::move(chain);
    rules.max_new_tokens = max_new_tokens;
    rules.context = context;
    return rules;
}

struct Pair {
    explicit Pair(int threads = 1)
        : target(load_model(shipped_model("storyteller"), {threads})),
          draft(load_model(shipped_model("sketch"), {threads})) {}
    Model target, draft;

    SpeculativeText speculative(const GenerateRequest& request, const std::string& prompt,
                                int length,
                                const std::function<void(const std::string&)>& on_text = {}) {
        CachedModel large(target.transformer), small(draft.transformer);
        ModelDraft drafts(std::ref(small), draft.config().n_positions);
        RandomChance chance(Rng(request.seed, request.first_stream));
        return speculative_text(
            [&](std::span<const int> ids, int count) { return large.last(ids, count); }, drafts,
            DraftLength::fixed(length), request, token_bytes_of(target.tokenizer),
            encode_prompt(target, prompt), chance, Correction::residual, false, on_text);
    }
    GeneratedText plain(const GenerateRequest& request, const std::string& prompt) {
        CachedBatch batch(target.transformer);
        return generate_texts(std::ref(batch), token_bytes_of(target.tokenizer),
                              encode_prompt(target, prompt), request)[0];
    }
    GenerateRequest request(Chain chain, int max_new_tokens,
                            std::vector<std::string> stops = {}) const {
        GenerateRequest r;
        r.chain = std::move(chain);
        r.stop.max_new_tokens = max_new_tokens;
        r.stop.context = target.config().n_positions;
        r.stop.eos = target.config().eos_token_ids;
        r.stop.strings = StopStrings(stops);
        return r;
    }
};

}  // namespace

TEST_CASE(
    "at temperature 0, with penalties, bans and stop strings, a draft changes nothing of the "
    "text") {
    Pair pair;
    const std::vector<std::pair<Chain, std::vector<std::string>>> ways = {
        {chain_of(0, 0, 1, 1), {"."}},
        {chain_of(0, 0, 1, 1.3), {}},
        {chain_of(0, 0, 1, 1, 3), {}},
        {chain_of(0, 0, 1, 1.1, 4), {"the se", "\n"}}};
    for (const char* prompt :
         {"The weather today is", "User: hi\nAssistant:", "Describe the person as JSON:"}) {
        for (const auto& [chain, stops] : ways) {
            const GenerateRequest request = pair.request(chain, 70, stops);
            const GeneratedText plain = pair.plain(request, prompt);
            for (const int length : {1, 5}) {
                INFO(prompt << ", " << chain.to_string() << ", drafts of " << length);
                const SpeculativeText t = pair.speculative(request, prompt, length);
                REQUIRE(t.text.ids == plain.ids);
                CHECK(t.text.text == plain.text);
                CHECK(t.text.reason == plain.reason);
                CHECK(t.text.stop_string == plain.stop_string);
            }
        }
    }
}

TEST_CASE(
    "the pieces of a drafted text are UTF-8 and join to the text; the stop string is never shown") {
    Pair pair;
    GenerateRequest request = pair.request(chain_of(1.1, 0, 0.95, 1), 90, {"was a"});
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
        request.seed = seed;
        std::string joined;
        const SpeculativeText t =
            pair.speculative(request, "Once upon a time", 6, [&](const std::string& piece) {
                CHECK(find_invalid_utf8(piece) == std::string_view::npos);
                joined += piece;
            });
        CHECK(joined == t.text.text);
        CHECK(joined.find("was a") == std::string::npos);
        if (t.text.reason == FinishReason::stop_string) CHECK(t.text.stop_string == 0);
    }
}

TEST_CASE(
    "the same seed drafts and writes the same, with any number of threads; another seed something "
    "else") {
    Pair one(1), three(3);
    GenerateRequest request = one.request(chain_of(0.9, 0, 0.95, 1), 60);
    request.seed = 7;
    const SpeculativeText first = one.speculative(request, "Once upon a time", 4),
                          again = three.speculative(request, "Once upon a time", 4);
    CHECK(first.text.ids == again.text.ids);
    REQUIRE(first.rounds.size() == again.rounds.size());
    for (std::size_t r = 0; r < first.rounds.size(); ++r)
        CHECK(first.rounds[r].drafted == again.rounds[r].drafted);
    request.seed = 8;
    CHECK(one.speculative(request, "Once upon a time", 4).text.ids != first.text.ids);
}

TEST_CASE("of a coupled text the trace has neither p nor q nor u") {
    Pair pair;
    const GenerateRequest request = pair.request(chain_of(0.8, 0, 0.9, 1), 2);
    const std::vector<GuessedRound> guessed{{0, {5, 6}}};
    const std::vector<int> ids{5, 7};
    const SpeculativeText t{{ids, "", FinishReason::length, -1, {}, {}},
                            coupled_rounds(ids, guessed)};
    std::istringstream lines(
        speculative_trace(pair.target.tokenizer, "", ids, request, "sketch", t));
    std::string line;
    std::getline(lines, line);
    REQUIRE(std::getline(lines, line));
    CHECK(nlohmann::json::parse(line).at("judged") ==
          nlohmann::json::parse(R"([{"id":5,"accepted":true},{"id":6,"accepted":false}])"));
}

TEST_CASE("the trace of the rounds is JSON lines that tell the text again") {
    Pair pair;
    GenerateRequest request = pair.request(chain_of(0.8, 0, 0.9, 1), 30);
    request.seed = 3;
    const std::string prompt = "Once upon a time";
    const SpeculativeText t = pair.speculative(request, prompt, 4);
    std::istringstream lines(speculative_trace(
        pair.target.tokenizer, prompt, encode_prompt(pair.target, prompt), request, "sketch", t));
    std::string line;
    REQUIRE(std::getline(lines, line));
    const nlohmann::json header = nlohmann::json::parse(line);
    CHECK(header.at("format") == "token-by-token rounds 1");
    CHECK(header.at("prompt") == prompt);
    CHECK(header.at("chain") == "temperature 0.8 → top-p 0.9 → draw");
    std::vector<int> ids;
    std::size_t rounds = 0;
    while (std::getline(lines, line)) {
        const nlohmann::json round = nlohmann::json::parse(line);
        CHECK(round.at("round") == ++rounds);
        std::size_t accepted = 0;
        for (const auto& x : round.at("judged")) {
            const double p = x.at("p"), q = x.at("q"), u = x.at("u");
            CHECK(x.at("accepted").get<bool>() == (u < p / q));
            accepted += x.at("accepted").get<bool>();
        }
        CHECK(round.at("bonus").get<bool>() == (accepted == round.at("drafted").size()));
        for (const auto& token : round.at("tokens")) ids.push_back(token.at("id"));
    }
    CHECK(rounds == t.rounds.size());
    CHECK(std::vector<int>(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(
                                                          t.text.ids.size())) == t.text.ids);
}

TEST_CASE(
    "at temperature 0 the text is the target's greedy text, token for token, and the caches are "
    "rolled back") {
    Model target = load_model(shipped_model("storyteller"), {1}),
          draft = load_model(shipped_model("sketch"), {1});
    check_same_vocabulary(target.tokenizer, draft.tokenizer);
    for (const char* text : {"Once upon a time", "The weather today is", "User: hi\nAssistant:"}) {
        const std::vector<int> ids = encode_prompt(target, text);
        CachedModel plain(target.transformer);
        const std::vector<int> greedy = generate(
            std::ref(plain), ids, 60,
            [](std::span<const float> s, std::span<const int>) { return argmax(s); },
            [](int) { return true; });
        for (const int length : {1, 4, 7}) {
            CachedModel large(target.transformer), small(draft.transformer);
            ModelDraft drafts(std::ref(small), draft.config().n_positions);
            SpeculativeRules rules =
                rules_of(chain_of(0, 0, 1, 1), 60, target.config().n_positions);
            RandomChance chance(Rng(1, 0));
            int passes = 0, emitted = 0;
            const std::vector<int> written = speculate(
                [&](std::span<const int> all, int count) { return large.last(all, count); }, drafts,
                rules, ids, DraftLength::fixed(length), chance, [&](int) { return ++emitted > 0; },
                [&](const Round&) { ++passes; });
            REQUIRE(std::vector<int>(greedy.begin() + static_cast<std::ptrdiff_t>(ids.size()),
                                     greedy.end()) == written);
            CHECK(emitted == 60);
            CHECK(passes < 60);  // something was accepted
        }
    }
}

TEST_CASE(
    "the shipped models' first two tokens have the target's distribution: chi-square, a false "
    "alarm once in "
    "a million "
    "seeds") {
    Model target = load_model(shipped_model("storyteller"), {1}),
          draft = load_model(shipped_model("sketch"), {1});
    const std::vector<int> ids = encode_prompt(target, "The weather today");
    CachedModel plain(target.transformer), large(target.transformer), small(draft.transformer);
    const SpeculativeRules rules = rules_of(chain_of(1.2, 4, 1, 1), 2, 512);
    const auto expected = [&] {
        std::map<std::vector<int>, double> distribution;
        AllOutcomes chance;
        do {
            std::vector<int> text = ids;
            Candidates c;
            for (int i = 0; i < 2; ++i) {
                c.reset(plain(text));
                rules.chain.apply(c, {text, ids.size()});
                text.push_back(chance.draw(c));
            }
            distribution[{text[ids.size()], text[ids.size() + 1]}] += chance.probability();
        } while (chance.next());
        return distribution;
    }();
    constexpr int runs = 1500;
    std::map<std::vector<int>, int> count;
    RandomChance chance(Rng(2024, 12));
    ModelDraft drafts(std::ref(small), 512);
    const LastLogits last = [&](std::span<const int> all, int n) { return large.last(all, n); };
    for (int run = 0; run < runs; ++run)
        ++count[speculate(
            last, drafts, rules, ids, DraftLength::fixed(1), chance, [](int) { return true; },
            [](const Round&) {})];
    double chi2 = 0, rare = 0;
    int cells = 0, rare_count = 0;
    for (const auto& [text, p] : expected) {
        if (p * runs < 8) {  // too few for the approximation: together
            rare += p * runs, rare_count += count[text];
            continue;
        }
        chi2 += (count[text] - p * runs) * (count[text] - p * runs) / (p * runs);
        ++cells;
    }
    if (rare > 0) chi2 += (rare_count - rare) * (rare_count - rare) / std::max(rare, 8.0);
    // Wilson and Hilferty's 1 − 1e-6 quantile: k·(1 − 2/(9k) + 4.7534·√(2/(9k)))³
    const double k = cells, root = 1 - 2 / (9 * k) + 4.7534 * std::sqrt(2 / (9 * k));
    INFO(cells << " cells, chi-square " << chi2);
    REQUIRE(cells >= 5);
    REQUIRE(chi2 <= k * root * root * root);
}
