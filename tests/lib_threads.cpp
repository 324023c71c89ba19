#include "catch.hpp"

#include <atomic>
#include <set>
#include <vector>

#include "threads.hpp"

using namespace tbt;

TEST_CASE("the shares of a team cover everything once, in whole grains", "[threads]") {
    for (const std::int64_t n : {0, 1, 5, 64, 97}) {
        for (const int size : {1, 2, 3, 7}) {
            for (const std::int64_t grain : {1, 8, 48}) {
                std::int64_t next = 0;
                for (int rank = 0; rank < size; ++rank) {
                    const Range part = Worker{rank, size, nullptr}.share(n, grain);
                    REQUIRE(part.begin == next);
                    REQUIRE(part.end >= part.begin);
                    if (part.end < n) REQUIRE(part.end % grain == 0);
                    next = part.end;
                }
                REQUIRE(next == n);
            }
        }
    }
}

TEST_CASE("at a barrier everybody sees what everybody wrote before it", "[threads]") {
    for (const int threads : {1, 2, 5}) {
        std::vector<int> values(static_cast<std::size_t>(threads), 0);
        std::atomic<int> wrong{0};
        run_team(threads, [&](const Worker& worker) {
            for (int round = 1; round <= 200; ++round) {
                values[static_cast<std::size_t>(worker.rank)] = round;
                worker.sync();
                for (int i = 0; i < worker.size; ++i) wrong += values[static_cast<std::size_t>(i)] != round;
                worker.sync();
            }
        });
        CHECK(wrong == 0);
    }
}

TEST_CASE("a team shrinks while most of its time is waiting, and grows again, less often each time in vain", "[threads]") {
    ElasticTeam team(4);
    const auto good = [&](int passes) {
        for (int i = 0; i < passes; ++i) team.learn(1e-3, 0.4e-3);
    };
    const auto bad = [&] { team.learn(1e-3, 0.6e-3); };
    good(100);
    CHECK(team.size() == 4);
    bad();
    CHECK(team.size() == 2);
    bad();
    CHECK(team.size() == 1);
    good(7);
    CHECK(team.size() == 1);
    good(1);
    CHECK(team.size() == 2);
    bad();  // in vain
    CHECK(team.size() == 1);
    good(15);
    CHECK(team.size() == 1);
    good(1);
    CHECK(team.size() == 2);
    good(16);
    CHECK(team.size() == 4);
    good(1000);
    CHECK(team.size() == 4);
    CHECK(team.threads() == 4);
    bad();  // long after: patience as at first
    good(8);
    CHECK(team.size() == 4);
}

TEST_CASE("a team of one has nobody to wait for", "[threads]") {
    ElasticTeam team(1);
    team.learn(1, 1);
    CHECK(team.size() == 1);
    int sum = 0;
    team.run([&](const Worker& worker) { sum += worker.size; });
    CHECK(sum == 1);
}
