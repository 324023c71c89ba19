// A limit for the work of building automata. A few characters of an expression can ask for more
// than an hour of work; after some seconds building stops with a clear message.
#pragma once

#include <cstddef>
#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

class WorkLimit {
public:
    // who: what is built, for the message. The pointer must stay valid.
    explicit WorkLimit(const char* who) : who_(who) {}
    // Counts the parts of states that were just processed. Throws TooLarge above the limit.
    void spend(std::size_t parts);

    // While an object of this class lives, all automata built by its thread share one more limit.
    class Together {
    public:
        Together();
        ~Together();
        Together(const Together&) = delete;

    private:
        friend class WorkLimit;
        std::size_t spent_ = 0;
        Together* outer_;
    };

private:
    const char* who_;
    std::size_t spent_ = 0;
};

}  // namespace tbt
