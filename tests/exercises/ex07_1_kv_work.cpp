// Exercise 07_1: the same text, counted work.
#include "07_1_kv_work.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "lib/files/model.hpp"
#include "lib/model/transformer.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex07_1;

namespace {

// A model whose next token depends on all that was read, in order;
// it remembers what it read as a cache does.
class Stub {
public:
    std::span<const float> operator()(std::span<const int> fresh, int past) {
        EXPECT(past >= 0, "a past of 0 or more", past);
        INFO("a read after " << past << " tokens, when only " << seen_.size() << " have been read");
        THINK("a cache has what was read before, and nothing else");
        EXPECT(static_cast<std::size_t>(past) <= seen_.size(), "a past that has been read", past);
        EXPECT(!fresh.empty(), "at least one token to read", fresh);
        seen_.resize(static_cast<std::size_t>(past));
        seen_.insert(seen_.end(), fresh.begin(), fresh.end());
        reads.emplace_back(static_cast<int>(fresh.size()), past);
        logits_.assign(50, 0.0f);
        logits_[seed_of(seen_, 1) % 50] = 1;
        return logits_;
    }
    std::vector<std::pair<int, int>> reads;  // fresh, past

private:
    std::vector<int> seen_;
    std::vector<float> logits_;
};

Run run_stub(Stub& stub, const std::vector<int>& prompt, int G, bool cached) {
    return generate(std::ref(stub), prompt, G, cached);
}

struct Row {
    int P;
    std::int64_t without, with;
};

std::vector<int> prompt_of(int P) {
    std::vector<int> ids;
    for (int i = 0; i < P; ++i) ids.push_back((i * 7 + 3) % 50);
    return ids;
}

}  // namespace

TEST_CASE("three tokens after a prompt of four: what is read", "[ex07_1]") {
    THINK("with a cache: the prompt once, then only the newest token; without: all, from 0");
    Stub with, without;
    INFO("the reads (tokens, past) for the prompt 1 2 3 4, G = 3");
    run_stub(with, {1, 2, 3, 4}, 3, true);
    run_stub(without, {1, 2, 3, 4}, 3, false);
    CHECK(with.reads == std::vector<std::pair<int, int>>{{4, 0}, {1, 4}, {1, 5}});
    CHECK(without.reads == std::vector<std::pair<int, int>>{{4, 0}, {5, 0}, {6, 0}});
}

TEST_CASE("both ways write the same text", "[ex07_1]") {
    THINK("the same argmax over the same row, however it was computed");
    for (const int P : {1, 2, 5, 17}) {
        Stub with, without;
        const Run a = run_stub(with, prompt_of(P), 30, true),
                  b = run_stub(without, prompt_of(P), 30, false);
        INFO("P = " << P);
        REQUIRE(a.ids.size() == static_cast<std::size_t>(P + 30));
        CHECK(a.ids == b.ids);
        CHECK(std::vector<int>(a.ids.begin(), a.ids.begin() + P) == prompt_of(P));
        std::vector<int> greedy = prompt_of(P);
        while (greedy.size() < a.ids.size())  // where the one logit above 0 is
            greedy.push_back(static_cast<int>(seed_of(greedy, 1) % 50));
        CHECK(a.ids == greedy);
    }
}

TEST_CASE("a hundred new tokens: positions projected", "[ex07_1]") {
    const Row rows[] = {{2, 5150, 101},    {12, 6150, 111},   {50, 9950, 149},
                        {100, 14950, 199}, {200, 24950, 299}, {400, 44950, 499}};
    for (const Row& row : rows) {
        Stub with, without;
        INFO("P = " << row.P << "; think about: is the last token ever read?");
        CHECK(run_stub(without, prompt_of(row.P), 100, false).positions == row.without);
        CHECK(run_stub(with, prompt_of(row.P), 100, true).positions == row.with);
    }
}

TEST_CASE("a hundred new tokens: causal dot products", "[ex07_1]") {
    for (const Row& row : {Row{50, 541650, 11175}, {200, 3166650, 44850}}) {
        Stub with, without;
        INFO("P = " << row.P
                    << "; think about: the first fresh token meets past + 1 keys, the last one "
                       "meets them all");
        CHECK(run_stub(without, prompt_of(row.P), 100, false).dot_products == row.without);
        CHECK(run_stub(with, prompt_of(row.P), 100, true).dot_products == row.with);
    }
}

TEST_CASE("any P and G agree with the chapter's formula", "[ex07_1]") {
    THINK("the last token written is never read");
    for (int P = 1; P < 12; ++P) {
        for (int G = 0; G < 12; ++G) {
            for (const bool cached : {false, true}) {
                INFO("P = " << P << ", G = " << G << (cached ? ", with" : ", without")
                            << " a cache");
                Stub stub;
                const Run run = run_stub(stub, prompt_of(P), G, cached);
                const Work work = cached ? cached_work(P, G) : uncached_work(P, G);
                CHECK(run.positions == work.positions);
                CHECK(run.dot_products == work.dot_products);
                CHECK(static_cast<int>(stub.reads.size()) == G);
            }
        }
    }
}

TEST_CASE("nothing to read and less than nothing to write are refused", "[ex07_1]") {
    THINK("an empty prompt; a number of tokens below 0");
    Stub stub;
    CHECK_THROWS_AS(run_stub(stub, {}, 3, true), Error);
    CHECK_THROWS_AS(run_stub(stub, {}, 3, false), Error);
    CHECK_THROWS_AS(run_stub(stub, {1}, -1, true), Error);
    CHECK_THROWS_AS(run_stub(stub, {1}, -1, false), Error);
    CHECK_THROWS_AS(run_stub(stub, {}, 0, true), Error);
    CHECK(stub.reads.empty());
}

TEST_CASE("a real network gives the same text and the same bits", "[ex07_1]") {
    THINK("which position does the row of logits belong to?");
    Transformer gpt = load_transformer("tests/data/tiny-gpt2");
    KvCache cache(gpt.config());
    std::vector<std::vector<float>> rows[2];
    Run runs[2];
    for (const int cached : {0, 1}) {
        cache.clear();
        const Read read = [&](std::span<const int> fresh, int past) {
            cache.truncate(past);
            const std::span<const float> logits = gpt.forward(cache, fresh);
            rows[cached].emplace_back(logits.begin(), logits.end());
            return logits;
        };
        runs[cached] = generate(read, {5, 1, 9, 9, 2}, 12, cached == 1);
    }
    INFO("a tiny GPT-2, the prompt 5 1 9 9 2, 12 tokens: without a cache and with one");
    CHECK(runs[0].ids == runs[1].ids);
    CHECK(rows[0] == rows[1]);
}
