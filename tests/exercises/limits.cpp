// Limits for a learner's code: 10 s of computing (60 s by the clock), 2 GB, 16 MB of output. Set by
// the program itself, since `timeout` and `ulimit -v` are not on every system. They apply when the
// environment has EXERCISE_LIMITS; the last line of output says which one was reached.
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tests/exercises/notes.hpp"
#include "tests/exercises/trace.hpp"

namespace {

constexpr int ticks_a_second = 20;
constexpr long max_kilobytes = 2 * 1024 * 1024;
volatile std::sig_atomic_t ticks = 0;

// Only what a signal handler may call.
[[noreturn]] void stop(const char* why) {
    tbt::exercise_check::print_trace();
    // Read, not changed: the learner's code was interrupted, not the code that sets it.
    const std::string& test = tbt::exercise_check::state().test;
    for (const std::string_view part : {std::string_view("\ntest: "), std::string_view(test)})
        if (write(STDOUT_FILENO, part.data(), part.size()) < 0) _exit(126);
    if (write(STDOUT_FILENO, why, std::strlen(why)) < 0) _exit(126);
    _exit(125);
}

void look(int) {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
#ifdef __APPLE__
    const long kilobytes = used.ru_maxrss / 1024;  // bytes there
#else
    const long kilobytes = used.ru_maxrss;
#endif
    if (kilobytes > max_kilobytes) stop("\nlimit: memory\n");
    ticks = ticks + 1;
    const long seconds =
        used.ru_utime.tv_sec + used.ru_stime.tv_sec;  // another program may be busy too
    if (seconds >= 10 || ticks >= 60 * ticks_a_second) stop("\nlimit: time\n");
}

// The file is full, so nothing more can be written: the status says it.
void too_much_output(int) { _exit(126); }

[[maybe_unused]] const bool started = [] {
    if (!std::getenv("EXERCISE_LIMITS")) return false;
    const rlimit no_core{0, 0}, output{16 << 20, 16 << 20};
    setrlimit(RLIMIT_CORE, &no_core);
    setrlimit(RLIMIT_FSIZE, &output);
    struct sigaction action {};
    action.sa_flags = SA_RESTART;
    action.sa_handler = too_much_output;
    sigaction(SIGXFSZ, &action, nullptr);
    action.sa_handler = look;
    sigaction(SIGALRM, &action, nullptr);
    const itimerval every{{0, 1000000 / ticks_a_second}, {0, 1000000 / ticks_a_second}};
    setitimer(ITIMER_REAL, &every, nullptr);
    return true;
}();

}  // namespace
