// Runs the tests and ends with a plain line: how many test cases passed and failed. A test that
// could not run here (tests/support/skip.hpp) has a line "skipped: TEST: WHY" and is neither.
#ifndef CATCH_CONFIG_RUNNER
#define CATCH_CONFIG_RUNNER
#endif
#include "tests/catch.hpp"

#include <cstdio>

#include "tests/support/skip.hpp"

namespace {

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
#else
using Listener = Catch::TestEventListenerBase;
#endif

struct PlainSummary : Listener {
    using Listener::Listener;
    void testCaseStarting(const Catch::TestCaseInfo& test) override { name_ = test.name; }
    void testCaseEnded(const Catch::TestCaseStats& stats) override {
        std::string& why = tbt::test::skipped_because;
        if (why.empty()) return;
        std::printf("skipped: %s: %s\n", name_.c_str(), why.c_str());
        if (stats.totals.testCases.passed) ++skipped_;
        why.clear();
    }
    void testRunEnded(const Catch::TestRunStats& stats) override {
        std::fflush(stdout);
        std::printf("%zu passed, %zu failed\n",
                    static_cast<std::size_t>(stats.totals.testCases.passed) - skipped_,
                    static_cast<std::size_t>(stats.totals.testCases.failed));
    }

private:
    std::string name_;
    std::size_t skipped_ = 0;
};
CATCH_REGISTER_LISTENER(PlainSummary)

}  // namespace

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
