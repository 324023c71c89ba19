// What a sliding context reads, and what that costs.
#include "tests/catch.hpp"

#include "chapters/09_stopping/stopping.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

TEST_CASE("a window reads everything up to the context, then its last tokens") {
    std::vector<int> ids;
    Window window(8, 5);
    std::vector<std::size_t> read;
    for (int i = 0; i < 14; ++i) {
        ids.push_back(i);
        const std::span<const int> view = window.view(ids);
        REQUIRE(view.back() == i);
        REQUIRE(view.front() == static_cast<int>(window.first()));
        read.push_back(view.size());
    }
    REQUIRE(read == std::vector<std::size_t>{1, 2, 3, 4, 5, 6, 7, 8, 5, 6, 7, 8, 5, 6});
    REQUIRE(window.slides() == 2);
    REQUIRE_THROWS_AS(Window(8, 9), Error);
    REQUIRE_THROWS_AS(Window(8, 0), Error);
}

TEST_CASE("a prompt longer than the context is read from its last tokens on") {
    const std::vector<int> ids = {1, 2, 3, 4, 5, 6};
    Window window(4, 2);
    const std::span<const int> view = window.view(ids);
    REQUIRE((view.size() == 2 && view[0] == 5));
}

TEST_CASE("sliding costs context / (context − keep + 1) positions a token") {
    const int context = 64;
    for (const int keep : {1, 16, 32, 48, 63, 64}) {
        Window window(context, keep);
        std::vector<int> ids(index(context), 0);
        window.view(ids);
        // Whole rounds, so that the average is exact.
        const int round = context - keep + 1;
        long computed = 0;
        for (int i = 0; i < 5 * round; ++i) {
            ids.push_back(0);
            const int slides = window.slides();
            const std::size_t length = window.view(ids).size();
            computed += window.slides() > slides ? static_cast<long>(length)
                                                 : 1;  // a slide invalidates every cached key
        }
        REQUIRE(computed == 5L * context);
    }
}
