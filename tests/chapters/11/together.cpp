// Beam search with a real model and with everything around it: caches, processors,
// stop strings, refusals.
#include "tests/catch.hpp"

#include <filesystem>

#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "tests/support/beams.hpp"

using namespace tbt;
using namespace tbt::test;
using Catch::Contains;

namespace {

const std::string folder = "tests/data/tiny-gpt2/";

}  // namespace

TEST_CASE(
    "all beams in one pass over forked caches: the same bits as each text alone and uncached") {
    Transformer gpt = load_transformer(folder), alone = load_transformer(folder);
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
    for (std::size_t i = 0; i < together.size(); ++i)
        REQUIRE(together[i].score == one_by_one[i].score);
    // The prompt once, then at most one position a beam and step.
    REQUIRE(batch.computed() <= 60 + 5 * 15);
}

TEST_CASE("a text's score can be computed again from the text") {
    Transformer gpt = load_transformer(folder);
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

TEST_CASE("beams, stop strings and the n-gram ban work together") {
    // Tokens 0 … 4 are "a", "b", "c", "ab", "bc"; 5 is the end.
    const std::vector<std::string> bytes{"a", "b", "c", "ab", "bc", ""};
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        BeamRequest request = beams(4, 10, {5}, 1, 4);
        request.bytes = [&](int id) -> std::string_view { return bytes[index(id)]; };
        request.stop.strings = StopStrings({"abc"});
        SamplingOptions o;
        o.no_repeat_ngram_size = 2;
        request.processor = processor_of(full_chain(o, Dialect::ours), 1);
        for (const BeamText& t : search(RandomModel(seed, 6, 1), request)) {
            INFO("seed " << seed << ": " << t.text);
            std::string all;
            for (const int id : t.ids) all += bytes[index(id)];
            const std::size_t stop = all.find("abc");
            // Complete for the first time with the last token, and cut off.
            REQUIRE((t.reason == FinishReason::stop_string) == (stop != std::string::npos));
            REQUIRE(t.text == all.substr(0, stop));
            if (stop != std::string::npos) {
                REQUIRE(t.stop_string == 0);
                REQUIRE(all.substr(0, all.size() - bytes[index(t.ids.back())].size()).find("abc") ==
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

TEST_CASE("a processor sees log-probabilities and each beam's own ids") {
    int calls = 0;
    BeamRequest request = beams(3, 4, {}, 1, 3);
    request.processor = [&](std::span<float> row, std::span<const int> ids) {
        ++calls;
        double mass = 0;
        for (const float x : row) mass += std::exp(static_cast<double>(x));
        REQUIRE(std::abs(mass - 1) <= 1e-5);  // 7 floats of log-probability
        REQUIRE(ids[0] == 2);
        // A mask that depends on the text: never the token of the step before.
        row[index(ids.back())] = -std::numeric_limits<float>::infinity();
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

TEST_CASE("a beam without a legal continuation is dropped; when all are, the search says so") {
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
    request.processor = [&](std::span<float> row, std::span<const int>) {
        std::fill(row.begin(), row.end(), no);
    };
    REQUIRE_THROWS_WITH(search(RandomModel(1, 3), request, {2}),
                        Contains("every continuation is banned"));
}

TEST_CASE("the end of the context ends a text like the budget") {
    BeamRequest request = beams(2, 100, {}, 1, 2);
    request.stop.context = 7;
    for (const BeamText& t : search(RandomModel(5, 9), request, {1, 2, 3})) {
        REQUIRE(t.ids.size() == 4);
        REQUIRE(t.reason == FinishReason::context);
    }
    REQUIRE_THROWS_WITH(search(RandomModel(5, 9), request, {1, 2, 3, 4, 5, 6, 7}),
                        Contains("no room"));
}

TEST_CASE("a search that is interrupted gives what it has") {
    int passes = 0;
    const BeamRequest request = beams(3, 50, {}, 1, 2);
    const auto found =
        run_beam_search(one_at_a_time(RandomModel(5, 9)), request, std::vector<int>{1}, [&] {
            return ++passes <= 4;
        }).results();
    REQUIRE(found.size() == 2);
    REQUIRE(found[0].ids.size() == 4);
    REQUIRE(found[0].reason == FinishReason::interrupted);
}

TEST_CASE("requests that make no sense are refused") {
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
    refused(beams(2, 5, {}, -50.5), "length-penalty: got -50.5, expected -50 to 50");
    refused(beams(2, 5, {}, 1000), "length-penalty");
    REQUIRE(std::isfinite(search(RandomModel(0, 4), beams(2, 5, {}, -50))[0].score));
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

TEST_CASE("reading ahead where no beam has a choice changes neither texts nor scores") {
    // Every third token is free; between them one token may come, and what it costs differs from
    // beam to beam, so that in the middle of a run the beams change places.
    constexpr int V = 6;
    const auto only = [](std::size_t n, int first) {
        return n % 3 == 0 ? -1 : (first + static_cast<int>(n)) % V;
    };
    int saved = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        CAPTURE(seed);
        BeamRequest request = beams(4, 9, {}, 1, 4);
        request.stop.context = 100;
        request.processor = [&](std::span<float> row, std::span<const int> ids) {
            const int id = only(ids.size() - 1, ids.size() > 1 ? ids[1] : 0);
            for (int v = 0; v < V && id >= 0; ++v)
                if (v != id) row[index(v)] = masked;
        };
        std::vector<std::vector<BeamText>> found;
        std::vector<int> passes;
        for (const bool ahead : {false, true}) {
            if (ahead)
                request.forced = [&](const TextSoFar& text) {
                    const std::span<const int> written = text.generated();
                    return only(written.size(), written.empty() ? 0 : written[0]);
                };
            int count = 0;
            const BatchLogits model = one_at_a_time(RandomModel(seed, V));
            const auto counted = [&](std::span<const BatchText> texts) {
                return ++count, model(texts);
            };
            found.push_back(beam_search(counted, request, std::vector<int>{0}));
            passes.push_back(count);
        }
        REQUIRE(ids_of(found[1]) == ids_of(found[0]));
        for (std::size_t i = 0; i < found[0].size(); ++i)
            REQUIRE(found[1][i].sum == found[0][i].sum);
        saved += passes[0] - passes[1];
    }
    REQUIRE(saved == 20 * 5);
}
