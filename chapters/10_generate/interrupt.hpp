// Ctrl-C as a request, not an end: the loop that writes looks here between two tokens.
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
            if (count_ > 2) std::signal(SIGINT, SIG_DFL);  // somebody means it
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
