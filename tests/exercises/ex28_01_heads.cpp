// Exercise 28_01: the heads of a process.
#include "28_01_heads.hpp"
#include "lib/model/processes.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;

namespace {

// First and end of these heads of process 0, then of process 1, …
std::vector<int> heads(int n, int H, int K, ex28_01::Heads ex28_01::Part::*kind) {
    std::vector<int> all;
    for (int i = 0; i < n; ++i) {
        const ex28_01::Heads own = ex28_01::part(i, n, H, K).*kind;
        all.insert(all.end(), {own.first, own.end});
    }
    return all;
}
std::vector<int> of_queries(int n, int H, int K) { return heads(n, H, K, &ex28_01::Part::queries); }
std::vector<int> of_keys(int n, int H, int K) { return heads(n, H, K, &ex28_01::Part::keys); }

}  // namespace

TEST_CASE("six query heads and two key heads on four processes", "[ex28_01]") {
    THINK("two processes share the three query heads of a group: one and two of them");
    CHECK(of_keys(4, 6, 2) == std::vector<int>({0, 1, 0, 1, 1, 2, 1, 2}));
    CHECK(of_queries(4, 6, 2) == std::vector<int>({0, 1, 1, 3, 3, 4, 4, 6}));
}

TEST_CASE("eight query heads and four key heads on two processes", "[ex28_01]") {
    THINK("two key heads each, and all query heads that read them");
    CHECK(of_keys(2, 8, 4) == std::vector<int>({0, 2, 2, 4}));
    CHECK(of_queries(2, 8, 4) == std::vector<int>({0, 4, 4, 8}));
}

TEST_CASE("any number of processes, as the library shares a model", "[ex28_01]") {
    for (const int K : {1, 2, 3, 5})
        for (const int group : {1, 2, 3, 4})
            for (int n = 1; n <= K * group; ++n) {
                const int H = K * group;
                const auto parts = model_parts(llama_config(1, H, K, 2 * H, 64, 64, 97), 97, n);
                std::vector<int> queries, keys;
                for (const ModelPart& p : parts) {
                    for (const auto at : {p.heads.begin, p.heads.end})
                        queries.push_back(static_cast<int>(at));
                    for (const auto at : {p.kv_heads.begin, p.kv_heads.end})
                        keys.push_back(static_cast<int>(at));
                }
                INPUT(n, H, K);
                THINK("first and end of process 0, then of process 1, …");
                CHECK(of_keys(n, H, K) == keys);
                CHECK(of_queries(n, H, K) == queries);
            }
}
