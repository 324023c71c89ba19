// What a learner reads when a check fails, throws or crashes. Used when the environment has
// EXERCISE_LIMITS; exercises/exercise.sh then discards Catch's own report.
#ifndef CATCH_CONFIG_EXTERNAL_INTERFACES  // version 2 shows a listener's types only then
#define CATCH_CONFIG_EXTERNAL_INTERFACES
#endif
#include <cxxabi.h>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "tests/exercises/exercise_check.hpp"
#include "tests/exercises/trace.hpp"

namespace {

using namespace tbt::exercise_check;

// "std::out_of_range: vector::_M_range_check …" of the exception that is in flight.
std::string in_flight() {
    std::string type = "an exception";
    if (const std::type_info* info = abi::__cxa_current_exception_type()) {
        int status = 0;
        if (char* name = abi::__cxa_demangle(info->name(), nullptr, nullptr, &status)) {
            type = name;
            std::free(name);
        }
    }
    try {
        if (std::current_exception()) throw;
    } catch (const std::exception& e) {
        return "the exception " + type + ": " + e.what();
    } catch (...) {
    }
    return "an exception of type " + type;
}

#if __has_include(<catch2/catch_all.hpp>)
using Listener = Catch::EventListenerBase;
using Ended = void;
#else
using Listener = Catch::TestEventListenerBase;
using Ended = bool;
#endif

// What the check would have compared with, where its text says that: a number, a list, a text.
std::string expected_of(const State& s) {
    const std::string& text = s.expected.back();
    const bool says = !text.empty() && !std::isalpha(static_cast<unsigned char>(text[0]));
    return says || text.find("thrown") != std::string::npos ? text : "no exception";
}

// An exit in the learner's code leaves by here too.
bool finished = false;
void leaving() {
    if (finished) return;
    std::fflush(stdout);
    print_trace();
    std::printf("limit: exit\n");
}

struct LearnerReport : Listener {
    using Listener::Listener;
    const bool on = std::getenv("EXERCISE_LIMITS") != nullptr;

    void testRunStarting(const Catch::TestRunInfo& info) override {
        Listener::testRunStarting(info);
        if (on) std::atexit(leaving);
    }
    void testRunEnded(const Catch::TestRunStats& stats) override {
        Listener::testRunEnded(stats);
        finished = true;
    }
    void testCaseStarting(const Catch::TestCaseInfo& info) override {
        Listener::testCaseStarting(info);
        state() = State{};
        state().test = std::string(info.name);
    }
    Ended assertionEnded(const Catch::AssertionStats& stats) override {
        if (on && !stats.assertionResult.isOk()) tell(stats.assertionResult);
        return Ended(true);
    }

private:
    void tell(const Catch::AssertionResult& result) {
        std::fflush(stdout);
        std::printf("\ntest: %s\n", state().test.c_str());
        const State& s = state();
        if (result.getResultType() == Catch::ResultWas::ThrewException) {
            std::printf("%s", message(expected_of(s), in_flight(), "").c_str());
            std::fflush(stdout);
            print_throw_trace();
        } else if (result.getResultType() == Catch::ResultWas::FatalErrorCondition) {
            std::printf("%s",
                        message(expected_of(s), "a crash: " + std::string(result.getMessage()), "")
                            .c_str());
            std::fflush(stdout);
            print_trace();
        } else {
            std::printf("%s", s.failure.c_str());
        }
        std::printf("end of report\n");
        std::fflush(stdout);
    }
};
CATCH_REGISTER_LISTENER(LearnerReport)

}  // namespace
