// Exercise 26_2: the answers, checked by the scheduler.
#include "26_2_predict.hpp"
#include "chapters/26_serving/timeline.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

int passes(const std::vector<Job>& jobs, bool in_batches) {
    return static_cast<int>(simulate(jobs, PlainScheduler(2, 0, in_batches), 2).passes.size());
}

const std::vector<Job> equal(5, Job{1, 4}), mixed = {{1, 1}, {1, 8}, {1, 1}, {1, 8}};

// The passes from the arrival of a prompt of 100 tokens to its first token.
int chunks(int budget) {
    const std::vector<Job> jobs = {{1, 300}, {1, 300}, {1, 300}, {100, 1, 1}};
    return simulate(jobs, PlainScheduler(4, budget), 4).first_token(3);
}

}  // namespace

TEST_CASE("equal lengths in whole batches", "[ex26_2]") {
    check_predicted(ex26_2::equal_in_batches(), passes(equal, true), "three batches");
}

TEST_CASE("equal lengths continuously", "[ex26_2]") {
    check_predicted(ex26_2::equal_continuously(), passes(equal, false),
                    "when does a slot become free?");
}

TEST_CASE("mixed lengths in whole batches", "[ex26_2]") {
    check_predicted(ex26_2::mixed_in_batches(), passes(mixed, true),
                    "the longest of a batch decides");
}

TEST_CASE("mixed lengths continuously", "[ex26_2]") {
    check_predicted(ex26_2::mixed_continuously(), passes(mixed, false),
                    "draw the slots: who begins when the first one ends?");
}

TEST_CASE("a prompt with room for twenty", "[ex26_2]") {
    check_predicted(ex26_2::with_room_for_twenty(), chunks(23), "three tokens are taken already");
}

TEST_CASE("a prompt with room for one", "[ex26_2]") {
    check_predicted(ex26_2::with_room_for_one(), chunks(4), "how many tokens are left?");
}
