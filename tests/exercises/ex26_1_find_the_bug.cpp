// Exercise 26_1: a scheduler that starves somebody.
#include "26_1_find_the_bug.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex26_1;

namespace {

// How long each request waits until it begins, on one slot.
template <class Pick>
std::vector<int> waits(const std::vector<Request>& requests, Pick pick) {
    std::vector<int> result(requests.size(), -1);
    for (int now = 0, begun = 0; begun < static_cast<int>(requests.size());) {
        std::vector<std::size_t> places;
        std::vector<Request> waiting;
        for (std::size_t i = 0; i < requests.size(); ++i)
            if (result[i] < 0 && requests[i].arrives <= now)
                places.push_back(i), waiting.push_back(requests[i]);
        if (waiting.empty()) {
            ++now;
            continue;
        }
        const std::size_t chosen = pick(waiting, now);
        if (chosen >= waiting.size()) return {};
        const std::size_t next = places[chosen];
        result[next] = now - requests[next].arrives;
        now += requests[next].tokens, ++begun;
    }
    return result;
}

const auto short_ones = [](const std::vector<Request>& waiting, int) {
    return shortest_first(waiting);
};
const auto first_come = [](const std::vector<Request>&, int) { return std::size_t{0}; };

std::vector<Request> random_requests(Rng& rng) {
    std::vector<Request> requests;
    for (int i = 0, at = 0; i < 20; ++i, at += static_cast<int>(rng.below(4)))
        requests.push_back({at, 1 + static_cast<int>(rng.below(10))});
    return requests;
}

}  // namespace

TEST_CASE("the witness shows who is starved", "[ex26_1]") {
    THINK("whenever a short request ends, the next one must be there");
    const std::vector<Request> requests = witness();
    EXPECT(!requests.empty() && requests.size() <= 20, "1 to 20 requests", requests.size());
    std::vector<int> arrives, tokens;
    for (const Request& r : requests) arrives.push_back(r.arrives), tokens.push_back(r.tokens);
    INPUT(arrives, tokens);
    int before = 0;
    for (const Request& r : requests) {
        EXPECT(r.tokens >= 1 && r.tokens <= 10, "1 to 10 tokens", r.tokens);
        EXPECT(r.arrives >= before, "in the order of arrival", r.arrives);
        before = r.arrives;
    }
    EXPECT(requests[0].arrives == 0, "request 0 arrives at pass 0", requests[0].arrives);
    const int waited = waits(requests, short_ones)[0];
    EXPECT(waited > 20, "request 0 waits more than 20 passes", waited);
    CHECK(waits(requests, first_come)[0] == 0);
}

TEST_CASE("the shortest first, while nobody has waited long", "[ex26_1]") {
    THINK("patience counts from the arrival");
    const std::vector<Request> waiting = {{5, 9}, {6, 3}, {7, 3}, {8, 4}};
    CHECK(fair(waiting, 8) == 1u);
    CHECK(fair(waiting, 14) == 1u);
    CHECK(fair(waiting, 15) == 0u);
    CHECK(fair(waiting, 40) == 0u);
}

TEST_CASE("nobody waits without end", "[ex26_1]") {
    THINK("who of all has waited longest?");
    Rng rng(3);
    for (int round = 0; round < 200; ++round) {
        const std::vector<Request> requests = random_requests(rng);
        const auto meant = [](const std::vector<Request>& waiting, int now) {
            return now - waiting[0].arrives >= 10 ? std::size_t{0} : shortest_first(waiting);
        };
        const std::vector<int> right = waits(requests, meant), got = waits(requests, fair);
        CHECK(got == right);
    }
    std::vector<Request> stream = {{0, 10}};
    for (int i = 0; i < 200; ++i) stream.push_back({2 * i, 2});
    const int waited = waits(stream, fair).at(0);
    EXPECT(waited == 10, "request 0 of a long stream begins at pass 10", waited);
}
