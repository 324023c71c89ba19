// Makes Ctrl-C a request to stop instead of an immediate end: the generating loop checks it between
// two tokens.
#pragma once

#include <csignal>

namespace tbt {

class Interrupt {
public:
    // System calls are not restarted, so that a read from the terminal returns too.
    Interrupt() {
        struct sigaction action {};
        action.sa_handler = [](int) {
            count_ = count_ + 1;
            if (count_ > 2) std::signal(SIGINT, SIG_DFL);  // the next one kills
        };
        sigaction(SIGINT, &action, &before_);
    }
    ~Interrupt() { sigaction(SIGINT, &before_, nullptr); }
    Interrupt(const Interrupt&) = delete;
    Interrupt& operator=(const Interrupt&) = delete;

    static int count() { return count_; }
    static void clear() { count_ = 0; }

private:
    inline static volatile std::sig_atomic_t count_ = 0;
    struct sigaction before_ {};
};

}  // namespace tbt
