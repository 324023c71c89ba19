// The generation loop and the cached model, on models small enough to think through.
#include "tests/catch.hpp"

#include <cmath>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/model/gpt.hpp"

using namespace tbt;

namespace {

GptConfig tiny_config() {
    GptConfig config;
    config.vocab_size = 50;
    config.n_positions = 40;
    config.n_embd = 16;
    config.n_layer = 2;
    config.n_head = 2;
    config.n_inner = 64;
    return config;
}

Gpt tiny_gpt() {
    return Gpt(tiny_config(), [](const std::string& name, const Shape& shape) {
        Rng rng(name.size(), static_cast<std::uint64_t>(name[name.size() / 2]));
        Tensor t(shape);
        for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.4);
        return t;
    });
}

std::vector<float> fresh_logits(Gpt& gpt, const std::vector<int>& ids) {
    KvCache cache(gpt.config());
    const auto logits = gpt.forward(cache, ids);
    return {logits.begin(), logits.end()};
}

}  // namespace

TEST_CASE("the loop appends what pick chooses and hands the whole text to the model each time",
          "[ch01]") {
    std::vector<std::vector<int>> seen;
    const std::vector<float> row(4, 0.0f);
    const NextLogits model = [&](std::span<const int> ids) {
        seen.emplace_back(ids.begin(), ids.end());
        return std::span<const float>(row);
    };
    int next = 10;
    std::vector<int> emitted;
    const std::vector<int> ids = generate(
        model, {1, 2}, 3, [&](auto, const auto&) { return next++; },
        [&](int id) {
            emitted.push_back(id);
            return true;
        });
    REQUIRE(ids == std::vector<int>{1, 2, 10, 11, 12});
    REQUIRE(emitted == std::vector<int>{10, 11, 12});
    REQUIRE(seen == std::vector<std::vector<int>>{{1, 2}, {1, 2, 10}, {1, 2, 10, 11}});
}

TEST_CASE("the loop ends when emit says so, and runs no forward pass for a text of no tokens",
          "[ch01]") {
    int calls = 0;
    const std::vector<float> row(4, 0.0f);
    const NextLogits model = [&](std::span<const int>) {
        ++calls;
        return std::span<const float>(row);
    };
    const auto pick = [](auto, const auto&) { return 3; };
    REQUIRE(generate(model, {1}, 9, pick, [](int) { return false; }) == std::vector<int>{1, 3});
    REQUIRE(calls == 1);
    REQUIRE(generate(model, {1}, 0, pick, [](int) { return true; }) == std::vector<int>{1});
    REQUIRE(calls == 1);
}

TEST_CASE("candidates come by value, then by id, with probabilities over the whole vocabulary",
          "[ch01]") {
    const std::vector<float> logits = {1.0f, 3.0f, 2.0f, 3.0f, -INFINITY, 2.0f};
    const std::vector<Candidate> top = top_candidates(logits, 5);
    std::vector<int> ids;
    for (const Candidate& c : top) ids.push_back(c.id);
    REQUIRE(ids == std::vector<int>{1, 3, 2, 5, 0});
    double total = 0;
    for (const Candidate& c : top) total += static_cast<double>(c.probability);
    REQUIRE(std::abs(total - 1.0) <= 1e-6);  // the sixth has probability 0
    REQUIRE(top_candidates(logits, 100).size() == 6);
    REQUIRE(top_candidates(logits, 0).empty());
}

TEST_CASE("a cached model gives the bits of a fresh one: growing, rolled back, replaced, repeated",
          "[ch01]") {
    Gpt gpt = tiny_gpt();
    Gpt other = tiny_gpt();
    CachedModel cached(gpt);
    const std::vector<std::vector<int>> texts = {
        {1, 2, 3}, {1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4, 5, 6}, {1, 2}, {1, 2, 9, 9},
        {7},       {7, 8}};
    for (const std::vector<int>& ids : texts) {
        const auto logits = cached(ids);
        REQUIRE(std::vector<float>(logits.begin(), logits.end()) == fresh_logits(other, ids));
        REQUIRE(cached.cache().length() == static_cast<int>(ids.size()));
    }
}

TEST_CASE("the last rows of a cached model are the predictions behind each of the last tokens",
          "[ch01]") {
    Gpt gpt = tiny_gpt();
    Gpt other = tiny_gpt();
    CachedModel cached(gpt);
    const std::vector<int> ids = {5, 6, 7, 8, 9};
    cached(std::vector<int>{5, 6, 7});
    for (const int count : {1, 2, 3, 5}) {
        const Logits rows = cached.last(ids, count);
        REQUIRE(rows.rows == count);
        for (int r = 0; r < count; ++r) {
            const std::vector<int> prefix(ids.begin(), ids.end() - (count - 1 - r));
            const auto row = rows.row(r);
            REQUIRE(std::vector<float>(row.begin(), row.end()) == fresh_logits(other, prefix));
        }
    }
}
