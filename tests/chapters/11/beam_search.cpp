#include "tests/catch.hpp"

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "tests/support/beams.hpp"

using namespace tbt;
using namespace tbt::test;
using Catch::Contains;

namespace {

constexpr double tree_tolerance = 1e-6;  // distributions go through float logits: 6e-8 a token

}  // namespace

TEST_CASE("two beams lose to greedy on one tree and win on another") {
    const std::vector<int> prompt{0};
    for (const int B : {1, 2, 3, 4}) {
        INFO(B << " beams");
        const double expected = B == 2 ? .0595 : .136, winning = B == 1 ? .24 : .36;
        REQUIRE(std::abs(std::exp(search(tree_where_two_beams_lose(), beams(B, 3))[0].sum) -
                         expected) <= tree_tolerance);
        REQUIRE(
            std::abs(
                std::exp(plain_beam_search(tree_where_two_beams_lose(), prompt, B, 3, -1)[0].sum) -
                expected) <= tree_tolerance);
        REQUIRE(std::abs(std::exp(search(tree_where_two_beams_win(), beams(B, 2))[0].sum) -
                         winning) <= tree_tolerance);
        REQUIRE(
            std::abs(
                std::exp(plain_beam_search(tree_where_two_beams_win(), prompt, B, 2, -1)[0].sum) -
                winning) <= tree_tolerance);
    }
}

TEST_CASE("the plain search leaves texts of the same score in the order of their ids") {
    const std::vector<float> flat(3, 0.0f);
    const auto model = [&](std::span<const int>) { return std::span<const float>(flat); };
    const std::vector<PlainBeam> found = plain_beam_search(model, {0}, 3, 1, -1);
    REQUIRE(found.size() == 3);
    for (int i = 0; i < 3; ++i) CHECK(found[index(i)].ids == std::vector<int>{0, i});
}

TEST_CASE("one beam is greedy decoding, token for token") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        RandomModel model(seed, 50);
        std::vector<int> ids = generate(
            std::ref(model), {3, 7}, 12, [](auto logits, auto&) { return argmax(logits); },
            [](int id) { return id != 5; });
        ids.erase(ids.begin(), ids.begin() + 2);
        // The one beam must not outlive its end: 2·B candidates would let it go on,
        // early stopping ends the search.
        BeamRequest request = beams(1, 12, {5});
        request.beams.early_stopping = EarlyStopping::yes;
        REQUIRE(search(model, request, {3, 7})[0].ids == ids);
    }
}

TEST_CASE("logits that differ in the last bit are told apart, however long the text") {
    // The greater one has the higher id: where sums are rounded to equal numbers,
    // the lower id would win.
    std::vector<float> logits(4000, 0.5f);
    logits[7] = 1.0f, logits[9] = std::nextafter(1.0f, 2.0f);
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    REQUIRE(search(model, beams(1, 40))[0].ids == std::vector<int>(40, 9));
}

TEST_CASE("with as many beams as there are texts, beam search is exhaustive") {
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
            const std::vector<BeamText> found =
                search(model, beams(B, depth, {eos}, alpha, B), {1, 3});
            REQUIRE(found.size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i) {
                INFO("alpha " << alpha << ", seed " << seed << ", text " << i);
                REQUIRE(found[i].ids == all[i].ids);
                // Weights in units of 2^-44, V of them, a few steps.
                REQUIRE(std::abs(found[i].sum - all[i].sum) <= 1e-11);
            }
        }
    }
}

TEST_CASE("the plain and the complete search agree where nothing ends early") {
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        for (const int B : {1, 2, 5}) {
            const std::vector<PlainBeam> plain =
                plain_beam_search(RandomModel(seed, 30), {4}, B, 6, -1);
            const std::vector<BeamText> found =
                search(RandomModel(seed, 30), beams(B, 6, {}, 1, B), {4});
            REQUIRE(plain.size() == found.size());
            for (std::size_t i = 0; i < found.size(); ++i)
                REQUIRE(std::vector<int>(plain[i].ids.begin() + 1, plain[i].ids.end()) ==
                        found[i].ids);
        }
    }
}

TEST_CASE("the plain search with as many beams as there are texts is exhaustive too") {
    constexpr int V = 3, depth = 4, eos = 2, B = 81;
    for (const double alpha : {0.0, 1.0, 2.0}) {
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
            const std::vector<BeamText> all =
                search(RandomModel(seed, V), beams(B, depth, {eos}, alpha, B), {1, 0, 1, 1});
            const std::vector<PlainBeam> plain =
                plain_beam_search(RandomModel(seed, V), {1, 0, 1, 1}, B, depth, eos, alpha);
            REQUIRE(plain.size() == all.size());
            for (std::size_t i = 0; i < all.size(); ++i)
                REQUIRE(std::vector<int>(plain[i].ids.begin() + 4, plain[i].ids.end()) ==
                        all[i].ids);
        }
    }
}

TEST_CASE("the prompt's length changes no score") {
    // A distribution without memory: whatever the prompt, the same texts.
    const std::vector<float> logits{0.3f, 0.1f, -1.0f, 0.7f};
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    const std::vector<BeamText> one = search(model, beams(3, 5, {2}, 0.7, 3), {0});
    const std::vector<BeamText> many =
        search(model, beams(3, 5, {2}, 0.7, 3), {0, 1, 3, 3, 1, 0, 0, 1});
    REQUIRE(ids_of(one) == ids_of(many));
    for (std::size_t i = 0; i < one.size(); ++i) REQUIRE(one[i].score == many[i].score);
    REQUIRE(one[0].score == length_normalised(one[0].sum, one[0].ids.size(), 0.7));
}

TEST_CASE("what has ended is never extended") {
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
        const std::vector<BeamText> found = search(RandomModel(seed, 6), beams(4, 8, {1, 4}, 1, 4));
        for (const BeamText& t : found) {
            const auto end =
                std::find_if(t.ids.begin(), t.ids.end(), [](int id) { return id == 1 || id == 4; });
            REQUIRE((end == t.ids.end() || end + 1 == t.ids.end()));
            REQUIRE((t.reason == FinishReason::eos) == (end != t.ids.end()));
            REQUIRE((t.reason == FinishReason::eos || t.ids.size() == 8));
        }
    }
}

TEST_CASE(
    "an end that is not among the first B is not finished, and does not take a beam's place") {
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

TEST_CASE("with several ends, enough candidates are taken that every beam can go on") {
    // One beam, three ends, all better than the one token that goes on.
    const std::vector<float> logits{3.0f, 2.5f, 2.0f, 1.0f};
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    BeamRequest request = beams(1, 2, {0, 1, 2});
    request.keep_lattice = true;
    const BeamSearch s = run_beam_search(one_at_a_time(model), request, std::vector<int>{0});
    REQUIRE(s.lattice().size() == 4);
    REQUIRE(s.lattice()[3].why == "unfinished when the search stopped");
}

TEST_CASE("equal scores: the better parent first, then the lower id") {
    const std::vector<float> logits(5, 0.0f);
    const auto model = [&](std::span<const int>) { return std::span<const float>(logits); };
    const std::vector<BeamText> found = search(model, beams(3, 2, {}, 1, 3));
    REQUIRE(ids_of(found) == std::vector<std::vector<int>>{{0, 0}, {0, 1}, {0, 2}});
}

TEST_CASE("early stopping: at once, while ending now would pay, while ending ever could") {
    // The end (0) is likely at first. Later token 1 is nearly certain:
    // the longer, the better the mean.
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

TEST_CASE("a live beam that is only as good as the worst finished text ends the search") {
    // The end (0) and token 1 are equally likely, then the end is certain: going on would find
    // {1, 0}, whose mean is better.
    const auto model = [](std::span<const int> ids) {
        static const std::vector<float> first{0.0f, 0.0f}, later{0.0f, -100.0f};
        return std::span<const float>(ids.size() < 2 ? first : later);
    };
    REQUIRE(ids_of(search(model, beams(1, 20, {0}))) == std::vector<std::vector<int>>{{0}});
    BeamRequest hopeful = beams(1, 20, {0});
    hopeful.beams.early_stopping = EarlyStopping::never;
    REQUIRE(ids_of(search(model, hopeful)) == std::vector<std::vector<int>>{{1, 0}});
}

TEST_CASE("never hopes for length only where length pays") {
    // With α = −1 the score is sum·n. The end (0) comes with .3, .3, .97.
    // After two steps the list has −1.2 and −1.71·2; a live sum of −.88 beats the latter now
    // (−1.76), though not at 20 tokens.
    const auto model = [](std::span<const int> ids) {
        static const std::vector<float> distributions[] = {
            {std::log(.3f), std::log(.6f), std::log(.1f)},
            {std::log(.3f), std::log(.69f), std::log(.01f)},
            {std::log(.97f), std::log(.02f), std::log(.01f)}};
        return std::span<const float>(distributions[std::min<std::size_t>(ids.size() - 1, 2)]);
    };
    BeamRequest request = beams(2, 20, {0}, -1, 2);
    request.beams.early_stopping = EarlyStopping::never;
    REQUIRE(ids_of(search(model, request)) == std::vector<std::vector<int>>{{0}, {1, 1, 0}});
}

TEST_CASE("where ends speak, the best candidate of a step decides, also one that ends") {
    // {0} has .15; {1, 0} has .4, and the live {1, 1} only .016, a mean below that of {0}; but its
    // end is certain.
    const auto model = [](std::span<const int> ids) {
        std::vector<double> p(26, ids.size() == 1 ? .05 / 24 : ids.size() == 2 ? .02 : 1e-30);
        p[0] = ids.size() == 1 ? .15 : ids.size() == 2 ? .5 : 1;
        if (ids.size() == 1) p[1] = .8;
        static std::vector<float> logits;
        logits.clear();
        for (const double x : p) logits.push_back(static_cast<float>(std::log(x)));
        return std::span<const float>(logits);
    };
    BeamRequest request = beams(2, 20, {0}, 1, 2);
    REQUIRE(ids_of(search(model, request)) == std::vector<std::vector<int>>{{1, 0}, {0}});
    request.beams.ends_speak = true;
    REQUIRE(ids_of(search(model, request)) == std::vector<std::vector<int>>{{1, 0}, {1, 1, 0}});
}

TEST_CASE("a larger length penalty finds longer texts") {
    double previous = 0;
    for (const double alpha : {-1.0, 0.0, 0.5, 1.0, 2.0}) {
        double tokens = 0;
        for (std::uint64_t seed = 0; seed < 40; ++seed) {
            const std::vector<BeamText> found =
                search(RandomModel(seed, 5, 1), beams(4, 10, {0}, alpha));
            tokens += static_cast<double>(found[0].ids.size());
        }
        REQUIRE(tokens >= previous);
        previous = tokens;
    }
    REQUIRE(previous > 300);  // of 400 at most
}
