#include "catch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "tests/beams.hpp"

using namespace tbt;
using namespace tbt::test;
using Catch::Contains;

namespace {

const std::string folder = "tests/data/tiny-gpt2/";
constexpr double tree_tolerance = 1e-6;  // laws go through float logits: 6e-8 a token

std::vector<std::vector<int>> ids_of(const std::vector<BeamText>& texts) {
    std::vector<std::vector<int>> ids;
    for (const BeamText& t : texts) ids.push_back(t.ids);
    return ids;
}

}  // namespace

TEST_CASE("two beams lose to greedy on one tree and win on another", "[beam]") {
    const std::vector<int> prompt{0};
    for (const int B : {1, 2, 3, 4}) {
        INFO(B << " beams");
        const double expected = B == 2 ? .0595 : .136, winning = B == 1 ? .24 : .36;
        REQUIRE(std::abs(std::exp(search(tree_where_two_beams_lose(), beams(B, 3))[0].sum) - expected) <=
                tree_tolerance);
        REQUIRE(std::abs(std::exp(plain_beam_search(tree_where_two_beams_lose(), prompt, B, 3, -1)[0].sum) -
                         expected) <= tree_tolerance);
        REQUIRE(std::abs(std::exp(search(tree_where_two_beams_win(), beams(B, 2))[0].sum) - winning) <=
                tree_tolerance);
        REQUIRE(std::abs(std::exp(plain_beam_search(tree_where_two_beams_win(), prompt, B, 2, -1)[0].sum) -
                         winning) <= tree_tolerance);
    }
}

TEST_CASE("one beam is greedy decoding, token for token", "[beam]") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomModel model(seed, 50);
        std::vector<int> ids = generate(
            std::ref(model), {3, 7}, 12, [](auto logits, auto&) { return argmax(logits); },
            [](int id) { return id != 5; });
        ids.erase(ids.begin(), ids.begin() + 2);
        // The one beam must not outlive its end: 2·B candidates would let it go on, early stopping ends the
        // search.
        BeamRequest request = beams(1, 12, {5});
        request.beams.early_stopping = EarlyStopping::yes;
        REQUIRE(search(model, request, {3, 7})[0].ids == ids);
    }
}

TEST_CASE("logits that differ in the last bit are told apart, however long the text", "[beam]") {
    // The greater one has the higher id: where sums are rounded to equal numbers, the lower id would win.
    std::vector<float> logits(4000, 0.5f);
    logits[7] = 1.0f, logits[9] = std::nextafter(1.0f, 2.0f);
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    REQUIRE(search(model, beams(1, 40))[0].ids == std::vector<int>(40, 9));
}

TEST_CASE("with as many beams as there are texts, beam search is exhaustive", "[beam]") {
    constexpr int V = 4, depth = 4, eos = 2;
    for (const double alpha : {0.0, 0.6, 1.0, 2.0, -1.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            RandomModel model(seed, V);
            std::vector<Text> all;
            std::vector<int> ids{1, 3};
            all_texts(model, ids, 2, depth, eos, 0, all);
            std::sort(all.begin(), all.end(), [&](const Text& a, const Text& b) {
                return length_normalised(a.sum, a.ids.size(), alpha) >
                       length_normalised(b.sum, b.ids.size(), alpha);
            });
            const int B = 256;  // V^depth
            const std::vector<BeamText> found = search(model, beams(B, depth, {eos}, alpha, B), {1, 3});
            REQUIRE(found.size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                INFO("alpha " << alpha << ", seed " << seed << ", text " << i);
                REQUIRE(found[i].ids == all[i].ids);
                // Weights in quanta of 2^-44, V of them, a few steps.
                REQUIRE(std::abs(found[i].sum - all[i].sum) <= 1e-11);
            }
        }
    }
}

TEST_CASE("the plain and the complete search agree where nothing ends early", "[beam]") {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        for (const int B : {1, 2, 5}) {
            const std::vector<PlainBeam> plain = plain_beam_search(RandomModel(seed, 30), {4}, B, 6, -1);
            const std::vector<BeamText> found = search(RandomModel(seed, 30), beams(B, 6, {}, 1, B), {4});
            REQUIRE(plain.size() == found.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                REQUIRE(std::vector<int>(plain[i].ids.begin() + 1, plain[i].ids.end()) == found[i].ids);
        }
    }
}

TEST_CASE("the plain search with as many beams as there are texts is exhaustive too", "[beam]") {
    constexpr int V = 3, depth = 4, eos = 2, B = 81;
    for (const double alpha : {0.0, 1.0, 2.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const std::vector<BeamText> all =
                search(RandomModel(seed, V), beams(B, depth, {eos}, alpha, B), {1, 0, 1, 1});
            const std::vector<PlainBeam> plain =
                plain_beam_search(RandomModel(seed, V), {1, 0, 1, 1}, B, depth, eos, alpha);
            REQUIRE(plain.size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i)
                REQUIRE(std::vector<int>(plain[i].ids.begin() + 4, plain[i].ids.end()) == all[i].ids);
        }
    }
}

TEST_CASE("the prompt's length changes no score", "[beam]") {
    // A law without memory: whatever the prompt, the same texts.
    const std::vector<float> logits{0.3f, 0.1f, -1.0f, 0.7f};
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    const std::vector<BeamText> one = search(model, beams(3, 5, {2}, 0.7, 3), {0});
    const std::vector<BeamText> many = search(model, beams(3, 5, {2}, 0.7, 3), {0, 1, 3, 3, 1, 0, 0, 1});
    REQUIRE(ids_of(one) == ids_of(many));
    for (std::size_t i = 0; i < one.size(); ++i) REQUIRE(one[i].score == many[i].score);
    REQUIRE(one[0].score == length_normalised(one[0].sum, one[0].ids.size(), 0.7));
}

TEST_CASE("what has ended is never extended", "[beam]") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const std::vector<BeamText> found = search(RandomModel(seed, 6), beams(4, 8, {1, 4}, 1, 4));
        for (const BeamText& t : found) {
            const auto end = std::find_if(t.ids.begin(), t.ids.end(), [](int id) { return id == 1 || id == 4; });
            REQUIRE((end == t.ids.end() || end + 1 == t.ids.end()));
            REQUIRE((t.reason == FinishReason::eos) == (end != t.ids.end()));
            REQUIRE((t.reason == FinishReason::eos || t.ids.size() == 8));
        }
    }
}

TEST_CASE("an end that is not among the first B is not finished, and does not take a beam's place", "[beam]") {
    // Two beams, four candidates: tokens 0, 1, the end (3), 2.
    const std::vector<float> logits{3.0f, 2.5f, 1.0f, 2.0f};
    BeamRequest request = beams(2, 2, {3});
    request.keep_lattice = true;
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    const BeamSearch s = run_beam_search(one_at_a_time(model), request, std::vector<int>{0});
    const std::vector<LatticeNode>& nodes = s.lattice();
    REQUIRE(nodes[0].fate == Fate::live);
    REQUIRE(nodes[1].fate == Fate::live);
    REQUIRE(nodes[2].token == 3);
    REQUIRE(nodes[2].fate == Fate::pruned);
    REQUIRE(nodes[2].why == "ended, but beyond the best 2");
    REQUIRE(nodes[3].why == "beyond the best 2");
}

TEST_CASE("with several ends, enough candidates are taken that every beam can go on", "[beam]") {
    // One beam, three ends, all better than the one token that goes on.
    const std::vector<float> logits{3.0f, 2.5f, 2.0f, 1.0f};
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    BeamRequest request = beams(1, 2, {0, 1, 2});
    request.keep_lattice = true;
    const BeamSearch s = run_beam_search(one_at_a_time(model), request, std::vector<int>{0});
    REQUIRE(s.lattice().size() == 4);
    REQUIRE(s.lattice()[3].why == "left when the search stopped");
}

TEST_CASE("equal scores: the better parent first, then the lower id", "[beam]") {
    const std::vector<float> logits(5, 0.0f);
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    const std::vector<BeamText> found = search(model, beams(3, 2, {}, 1, 3));
    REQUIRE(ids_of(found) == std::vector<std::vector<int>>{{0, 0}, {0, 1}, {0, 2}});
}

TEST_CASE("early stopping: at once, while ending now would pay, while ending ever could", "[beam]") {
    // The end (0) is likely at first. Later token 1 is nearly certain: the longer, the better the mean.
    const auto model = [](std::span<const int> ids) {
        static const std::vector<float> first{1.0f, 0.0f}, later{-6.0f, 6.0f};
        return std::span<const float>(ids.size() < 3 ? first : later);
    };
    const auto length = [&](EarlyStopping e) {
        BeamRequest r = beams(1, 20, {0});
        r.beams.early_stopping = e;
        return search(model, r)[0].ids.size();
    };
    // After one token: finished −.31; live −1.31, which over 20 tokens could be −.066.
    REQUIRE(length(EarlyStopping::yes) == 1);
    REQUIRE(length(EarlyStopping::no) == 1);
    REQUIRE(length(EarlyStopping::never) == 20);
    REQUIRE(early_stopping_named("false") == EarlyStopping::no);
    REQUIRE(early_stopping_named("true") == EarlyStopping::yes);
    REQUIRE(early_stopping_named("never") == EarlyStopping::never);
    REQUIRE_THROWS_WITH(early_stopping_named("maybe"), Contains("expected true, false or never"));
}

TEST_CASE("never hopes for length only where length pays", "[beam]") {
    // With α = −1 the score is sum·n. The end (0) comes with .3, .3, .97. After two steps the list has −1.2 and
    // −1.71·2; a live sum of −.88 beats the latter now (−1.76), though not at 20 tokens.
    const auto model = [](std::span<const int> ids) {
        static const std::vector<float> laws[] = {{std::log(.3f), std::log(.6f), std::log(.1f)},
                                                  {std::log(.3f), std::log(.69f), std::log(.01f)},
                                                  {std::log(.97f), std::log(.02f), std::log(.01f)}};
        return std::span<const float>(laws[std::min<std::size_t>(ids.size() - 1, 2)]);
    };
    BeamRequest request = beams(2, 20, {0}, -1, 2);
    request.beams.early_stopping = EarlyStopping::never;
    REQUIRE(ids_of(search(model, request)) == std::vector<std::vector<int>>{{0}, {1, 1, 0}});
}

TEST_CASE("a larger length penalty finds longer texts", "[beam]") {
    double previous = 0;
    for (const double alpha : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
        double tokens = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const std::vector<BeamText> found = search(RandomModel(seed, 5, 1), beams(4, 10, {0}, alpha));
            tokens += static_cast<double>(found[0].ids.size());
        }
        REQUIRE(tokens >= previous);
        previous = tokens;
    }
    REQUIRE(previous > 300);  // of 400 at most
}

TEST_CASE("all beams in one pass over forked caches: the same bits as each text alone and uncached", "[beam]") {
    Gpt gpt = Gpt::load(folder), alone = Gpt::load(folder);
    const auto uncached = [&](std::span<const int> ids) {
        KvCache cache(alone.config());
        return alone.forward(cache, ids);
    };
    // 60 tokens of prompt: the beams cross from the cache's first block of 64 into the second.
    std::vector<int> prompt;
    for (int i = 0; i < 60; ++i) prompt.push_back(i * 7 % 97);
    BeamRequest request = beams(5, 16, {68}, 1, 5);
    request.stop.context = gpt.config().n_positions;
    CachedBatch batch(gpt);
    const std::vector<BeamText> together = beam_search(std::ref(batch), request, prompt);
    const std::vector<BeamText> one_by_one = beam_search(one_at_a_time(uncached), request, prompt);
    REQUIRE(ids_of(together) == ids_of(one_by_one));
    for (std::size_t i = 0; i < together.size(); ++i) REQUIRE(together[i].score == one_by_one[i].score);
    // The prompt once, then at most one position a beam and step.
    REQUIRE(batch.computed() <= 60 + 5 * 15);
}

TEST_CASE("a text's score can be computed again from the text", "[beam]") {
    Gpt gpt = Gpt::load(folder);
    const std::vector<int> prompt{11, 5, 33};
    for (const int ngram : {0, 2}) {
        BeamRequest request = beams(4, 20, {68}, 0.8, 4);
        SamplingOptions o;
        o.no_repeat_ngram_size = ngram;
        request.processor = processor_of(full_chain(o, Dialect::transformers), prompt.size());
        CachedBatch batch(gpt);
        for (const BeamText& t : beam_search(std::ref(batch), request, prompt)) {
            // Another way: the whole text in one pass, without a cache that grows.
            std::vector<int> ids = prompt;
            ids.insert(ids.end(), t.ids.begin(), t.ids.end());
            KvCache cache(gpt.config());
            const Logits logits = gpt.forward_all(cache, ids);
            double sum = 0;
            for (std::size_t i = prompt.size(); i < ids.size(); ++i)
                sum += log_probability(logits.row(static_cast<std::int64_t>(i) - 1), ids[i]);
            // With a processor log-probabilities are float: 20 of them, each to 4e-7.
            REQUIRE(std::abs(t.sum - sum) <= 1e-5);
            REQUIRE(std::abs(t.score - sum / std::pow(t.ids.size(), 0.8)) <= 1e-5);
        }
    }
}

TEST_CASE("beams, stop strings and the n-gram ban work together", "[beam]") {
    // Tokens 0 … 4 are "a", "b", "c", "ab", "bc"; 5 is the end.
    const std::vector<std::string> bytes{"a", "b", "c", "ab", "bc", ""};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        BeamRequest request = beams(4, 10, {5}, 1, 4);
        request.bytes = [&](int id) -> std::string_view { return bytes[static_cast<std::size_t>(id)]; };
        request.stop.strings = StopStrings({"abc"});
        SamplingOptions o;
        o.no_repeat_ngram_size = 2;
        request.processor = processor_of(full_chain(o, Dialect::ours), 1);
        for (const BeamText& t : search(RandomModel(seed, 6, 1), request)) {
            INFO("seed " << seed << ": " << t.text);
            std::string all;
            for (const int id : t.ids) all += bytes[static_cast<std::size_t>(id)];
            const std::size_t stop = all.find("abc");
            // Complete for the first time with the last token, and cut off.
            REQUIRE((t.reason == FinishReason::stop_string) == (stop != std::string::npos));
            REQUIRE(t.text == all.substr(0, stop));
            if (stop != std::string::npos) {
                REQUIRE(t.stop_string == 0);
                REQUIRE(
                    all.substr(0, all.size() - bytes[static_cast<std::size_t>(t.ids.back())].size()).find("abc") ==
                    std::string::npos);
            }
            // The prompt's token 0 belongs to the n-grams.
            std::vector<std::pair<int, int>> pairs;
            int before = 0;
            for (const int id : t.ids) pairs.emplace_back(before, id), before = id;
            std::sort(pairs.begin(), pairs.end());
            REQUIRE(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
        }
    }
}

TEST_CASE("a processor sees log-probabilities and each beam's own ids", "[beam]") {
    int calls = 0;
    BeamRequest request = beams(3, 4, {}, 1, 3);
    request.processor = [&](std::span<float> row, std::span<const int> ids) {
        ++calls;
        double mass = 0;
        for (const float x : row) mass += std::exp(static_cast<double>(x));
        REQUIRE(std::abs(mass - 1) <= 1e-5);  // 7 floats of log-probability
        REQUIRE(ids[0] == 2);
        // A mask that depends on the text: never the token of the step before.
        row[static_cast<std::size_t>(ids.back())] = -std::numeric_limits<float>::infinity();
    };
    for (const BeamText& t : search(RandomModel(3, 7), request, {2})) {
        int before = 2;
        for (const int id : t.ids) {
            REQUIRE(id != before);
            before = id;
        }
    }
    REQUIRE(calls == 1 + 3 + 3 + 3);
}

TEST_CASE("a beam without a legal continuation is dropped; when all are, the search says so", "[beam]") {
    BeamRequest request = beams(2, 5, {0});
    const float no = -std::numeric_limits<float>::infinity();
    // Token 1 leads into a dead end, token 2 may go on and end.
    request.processor = [&](std::span<float> row, std::span<const int> ids) {
        if (ids.back() == 1) std::fill(row.begin(), row.end(), no);
        if (ids.size() == 1) row[0] = no;
    };
    for (const BeamText& t : search(RandomModel(1, 3), request, {2}))
        REQUIRE(std::find(t.ids.begin(), t.ids.end() - 1, 1) == t.ids.end() - 1);
    // Two legal texts, four beams: two texts.
    request = beams(4, 1, {}, 1, 4);
    request.processor = [&](std::span<float> row, std::span<const int>) { row[0] = no; };
    REQUIRE(search(RandomModel(1, 3), request, {2}).size() == 2);
    request.processor = [&](std::span<float> row, std::span<const int>) { std::fill(row.begin(), row.end(), no); };
    REQUIRE_THROWS_WITH(search(RandomModel(1, 3), request, {2}), Contains("every continuation is banned"));
}

TEST_CASE("the end of the context ends a text like the budget", "[beam]") {
    BeamRequest request = beams(2, 100, {}, 1, 2);
    request.stop.context = 7;
    for (const BeamText& t : search(RandomModel(5, 9), request, {1, 2, 3})) {
        REQUIRE(t.ids.size() == 4);
        REQUIRE(t.reason == FinishReason::context);
    }
    REQUIRE_THROWS_WITH(search(RandomModel(5, 9), request, {1, 2, 3, 4, 5, 6, 7}), Contains("no room"));
}

TEST_CASE("a search that is interrupted gives what it has", "[beam]") {
    int passes = 0;
    const BeamRequest request = beams(3, 50, {}, 1, 2);
    const auto found = run_beam_search(one_at_a_time(RandomModel(5, 9)), request, std::vector<int>{1}, [&] {
                           return ++passes <= 4;
                       }).results();
    REQUIRE(found.size() == 2);
    REQUIRE(found[0].ids.size() == 4);
    REQUIRE(found[0].reason == FinishReason::interrupted);
}

TEST_CASE("requests that make no sense are refused", "[beam]") {
    const auto refused = [](BeamRequest r, const std::string& why, std::vector<int> prompt = {0}) {
        REQUIRE_THROWS_WITH(search(RandomModel(0, 4), r, prompt), Contains(why));
    };
    refused(beams(0, 5), "num-beams: got 0, expected 1 or more");
    refused(beams(-3, 5), "num-beams: got -3");
    refused(beams(2, 5, {}, 1, 3), "num-return-sequences: got 3, expected 1 to 2");
    refused(beams(2, 5, {}, 1, 0), "num-return-sequences: got 0");
    refused(beams(2, 0), "max-new-tokens: got 0");
    refused(beams(2, 5, {}, NAN), "length-penalty");
    refused(beams(2, 5, {}, INFINITY), "length-penalty");
    refused(beams(2, 5), "empty prompt", {});
    BeamRequest r = beams(2, 5);
    r.stop.strings = StopStrings({"x"});
    refused(r, "bytes");
    const auto broken = [](std::span<const int>) {
        static const std::vector<float> s{1, NAN};
        return std::span<const float>(s);
    };
    REQUIRE_THROWS_WITH(search(broken, beams(2, 5)), Contains("NaN"));
    // More beams than there are texts: all there are.
    REQUIRE(search(RandomModel(0, 3), beams(100, 2, {}, 1, 100)).size() == 9);
}
