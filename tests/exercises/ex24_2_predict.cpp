// Exercise 24_2: the answers, computed by the chapter's own measures.
#include "24_2_predict.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

// An infinite one is answered by -1.
long whole(double measured) { return std::isinf(measured) ? -1 : std::lround(measured); }

using Distribution = std::vector<double>;
const Distribution truth(8, 1.0 / 8);
const Distribution greedy = {1, 0, 0, 0, 0, 0, 0, 0};
const Distribution half = {.25, .25, .25, .25, 0, 0, 0, 0};

}  // namespace

TEST_CASE("from greedy decoding to the truth", "[ex24_2]") {
    check_predicted(ex24_2::greedy_to_truth(), whole(plain_kl(greedy, truth)),
                    "one term: log2(1 / (1/8))");
}

TEST_CASE("from the truth to greedy decoding", "[ex24_2]") {
    check_predicted(ex24_2::truth_to_greedy(), whole(plain_kl(truth, greedy)),
                    "what does greedy give the other seven?");
}

TEST_CASE("half of the texts", "[ex24_2]") {
    check_predicted(ex24_2::half_to_truth(), whole(plain_kl(half, truth)), "four equal terms");
}

TEST_CASE("lost by half", "[ex24_2]") {
    check_predicted(ex24_2::lost_by_half(), 50, "count the texts that it never writes");
}

TEST_CASE("twenty tokens", "[ex24_2]") {
    check_predicted(ex24_2::kept_of_twenty(), whole(100 * std::pow(.99, 20)),
                    "each token is a chance");
}

TEST_CASE("roses", "[ex24_2]") {
    const std::vector<std::string> words = {"a", "rose", "is", "a", "rose", "is", "a", "rose"};
    check_predicted(ex24_2::distinct_of_roses(), whole(100 * plain_distinct({words}, 2)),
                    "how many pairs of neighbours are there?");
}
