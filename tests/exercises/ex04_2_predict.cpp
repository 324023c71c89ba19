// Exercise 04_2: the answers, computed by the chapter's own top-k; none is written here.
#include "04_2_predict.hpp"
#include "chapters/03_temperature/plain_temperature.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex04_2;

namespace {

using Row = std::vector<float>;
constexpr float gone = -INFINITY;

void check_prediction(const std::vector<int>& predicted, const std::vector<double>& distribution,
                      const char* think) {
    {
        INFO("ids lie in 0 to " << distribution.size() - 1 << ", ascending, each once");
        THINK("a list of ids");
        EXPECT(std::is_sorted(predicted.begin(), predicted.end()), "ids that ascend", predicted);
        EXPECT(std::adjacent_find(predicted.begin(), predicted.end()) == predicted.end(),
               "each id once", predicted);
        for (const int id : predicted)
            EXPECT(id >= 0 && static_cast<std::size_t>(id) < distribution.size(),
                   "ids of tokens that there are", predicted);
    }
    INPUT(predicted);
    for (std::size_t id = 0; id < distribution.size(); ++id) {
        const bool said = std::count(predicted.begin(), predicted.end(), static_cast<int>(id)) > 0;
        THINK(think);
        EXPECT(said == (distribution[id] > 0), "not told: this is a prediction",
               "about token " + std::to_string(id) +
                   (said ? ", which you name" : ", which you leave out"));
    }
}

std::vector<double> cut(const Row& s, int k, Ties ties = Ties::exact, double T = 1) {
    return softmax_at(top_k(s, k, ties), T);
}

}  // namespace

TEST_CASE("equal logits: exactly k stay", "[ex04_2]") {
    check_prediction(equal_logits(), cut({2, 1, 2, 0, 2}, 2), "of equal logits, who comes first?");
}

TEST_CASE("a threshold keeps the ties", "[ex04_2]") {
    check_prediction(by_threshold(), cut({2, 1, 2, 0, 2}, 2, Ties::keep_all),
                     "what is the 2nd largest value, and who reaches it?");
}

TEST_CASE("fewer than k are left", "[ex04_2]") {
    check_prediction(few_left(), cut({gone, 3, gone, 1, 5}, 4),
                     "can a banned token be among the most probable?");
}

TEST_CASE("temperature 0 before the cut", "[ex04_2]") {
    check_prediction(frozen(), cut({1, 7, 2, 7, 3}, 3, Ties::exact, 0),
                     "how many tokens does temperature 0 leave?");
}

TEST_CASE("k = 0", "[ex04_2]") {
    check_prediction(switched_off(), cut({4, gone, -1, 2}, 0),
                     "0 turns the cut off; nothing else changes");
}

TEST_CASE("zeroed instead of masked", "[ex04_2]") {
    Row s{-3, -1, -2, -4};
    const std::vector<double> kept = cut(s, 2);
    for (std::size_t i = 0; i < s.size(); ++i) s[i] = kept[i] > 0 ? s[i] : 0;
    std::vector<double> distribution = softmax_at(s, 1);
    const double first = distribution[1];
    for (double& p : distribution) p = p > first ? p : 0;
    check_prediction(zeroed(), distribution, "is 0 a small logit?");
}
