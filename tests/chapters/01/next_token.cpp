// The generation loop, on models small enough to think through.
#include "tests/catch.hpp"

#include "chapters/01_next_token/next_token.hpp"
#include "tests/support/tiny_gpt.hpp"

using namespace tbt;

TEST_CASE("the loop appends what pick chooses and hands the whole text to the model each time") {
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

TEST_CASE("the loop ends when emit says so, and runs no forward pass for a text of no tokens") {
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

TEST_CASE("candidates come by value, then by id, with probabilities over the whole vocabulary") {
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

TEST_CASE(
    "a model that reads the whole text gives a row at each position, the last one its answer") {
    Transformer gpt = tiny_gpt();
    Transformer other = tiny_gpt();
    WholeTextModel model(gpt);
    const std::vector<int> ids = {5, 6, 7, 8, 9};
    const auto copy = [](std::span<const float> row) {
        return std::vector<float>(row.begin(), row.end());
    };
    for (int twice = 0; twice < 2; ++twice)  // nothing is left of the time before
        REQUIRE(copy(model(ids)) == fresh_logits(other, ids));
    const Logits all = model.at_every(ids);
    REQUIRE(all.rows == 5);
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const std::vector<int> read(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(i + 1));
        REQUIRE(copy(all.row(static_cast<std::int64_t>(i))) == fresh_logits(other, read));
    }
}
