// Runs the tests and ends with a plain line: how many test cases passed and failed.
#ifndef CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_RUNNER
#endif
#include "tests/catch.hpp"

#include <cstdio>

namespace {

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

struct PlainSummary : Listener {
    using Listener::Listener;
    void testRunEnded(const Catch::TestRunStats& stats) override {
        std::fflush(stdout);
        std::printf("%zu passed, %zu failed\n",
                    static_cast<std::size_t>(stats.totals.testCases.passed),
                    static_cast<std::size_t>(stats.totals.testCases.failed));
    }
};
CATCH_REGISTER_LISTENER(PlainSummary)

}  // namespace

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
