// Exercise 01_01: the loop that writes.
#include "01_01_loop.hpp"
#include "chapters/01_next_token/next_token.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex01_01;

namespace {

using Ids = std::vector<int>;

constexpr int none = -1, V = 8;

// The logits depend on every token of the text and on their order.
std::vector<float> reader(const Ids& ids) {
    Rng rng(seed_of(ids, 7));
    return normal_row<float>(rng, V);
}
std::vector<float> wants_the_next(const Ids& ids) {
    std::vector<float> logits(20);
    logits[static_cast<std::size_t>(ids.back() + 1)] = 1;
    return logits;
}
int largest(const std::vector<float>& logits) {
    return static_cast<int>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

void check(const Model& model, const Pick& pick, const Ids& prompt, int n, int eos,
           const Ids& expected, const std::string& think) {
    same([&] { return write_on(model, pick, prompt, n, eos); }, expected,
         "prompt " + in_words(prompt) + ", n = " + std::to_string(n) +
             ", eos = " + std::to_string(eos),
         think);
}

}  // namespace

TEST_CASE("two tokens after {3} are 4 and 5", "[ex01_01]") {
    check(wants_the_next, largest, {3}, 2, none, {3, 4, 5}, "the prompt, then n new tokens");
    const Model always_4 = [](const Ids&) { return std::vector<float>{0, 0, 0, 0, 1}; };
    check(always_4, largest, {3}, 3, none, {3, 4, 4, 4}, "a token may come twice in a row");
    Ids long_text(301, 4);
    long_text[0] = 3;
    check(always_4, largest, {3}, 300, none, long_text, "n times, however large n is");
}

TEST_CASE("no new token wanted: the prompt", "[ex01_01]") {
    check(wants_the_next, largest, {3, 1}, 0, none, {3, 1}, "n = 0");
}

TEST_CASE("the end of the text is written, and nothing after it", "[ex01_01]") {
    check(wants_the_next, largest, {3}, 2, 4, {3, 4}, "eos = 4");
    check(wants_the_next, largest, {3}, 9, 6, {3, 4, 5, 6}, "eos = 6");
}

TEST_CASE("an eos in the prompt means nothing", "[ex01_01]") {
    check(wants_the_next, largest, {4}, 2, 4, {4, 5, 6}, "only a picked one ends it");
    check(wants_the_next, largest, {4, 9}, 2, 4, {4, 9, 10, 11}, "only a picked one ends it");
}

TEST_CASE("the model is asked once for each new token, about the whole text", "[ex01_01]") {
    std::vector<Ids> asked;
    const Model model = [&](const Ids& ids) {
        asked.push_back(ids);
        return wants_the_next(ids);
    };
    write_on(model, largest, {3, 7}, 3, 10);
    const std::vector<Ids> expected{{3, 7}, {3, 7, 8}, {3, 7, 8, 9}};
    INFO("write_on(…, {3, 7}, 3, 10): what the model was asked");
    THINK("what it reads each time, and when to stop");
    CHECK(asked == expected);
    asked.clear();
    write_on(model, largest, {3, 7}, 3, 9);
    INFO("write_on(…, {3, 7}, 3, 9): the text ended with its 2nd new token");
    CHECK(asked.size() == 2);
    asked.clear();
    write_on(model, largest, {3, 7}, 0, none);
    INFO("write_on(…, {3, 7}, 0, -1): no token was wanted");
    CHECK(asked.size() == 0);
}

TEST_CASE("it is pick that chooses", "[ex01_01]") {
    int times = 0;
    const Pick in_turn = [&](const std::vector<float>&) { return times++; };
    check(reader, in_turn, {5}, 3, none, {5, 0, 1, 2}, "the largest is one way of many");
}

TEST_CASE("random texts: the same as the chapter's loop", "[ex01_01]") {
    Rng rng(11);
    for (int round = 0; round < 2000; ++round) {
        const Ids prompt = random_ids(rng, 1 + rng.below(4), V);
        const int n = static_cast<int>(rng.below(7)), eos = static_cast<int>(rng.below(V + 1)) - 1;
        std::vector<float> row;
        const NextLogits model = [&](std::span<const int> ids) -> std::span<const float> {
            return row = reader({ids.begin(), ids.end()});
        };
        const Ids expected = generate(
            model, prompt, n,
            [](std::span<const float> s, const Ids&) {
                return largest({s.begin(), s.end()});
            },
            [&](int id) { return id != eos; });
        check(reader, largest, prompt, n, eos, expected, "predict, pick, append, repeat");
    }
}
