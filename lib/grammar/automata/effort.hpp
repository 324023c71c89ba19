// What automata may cost to make: some seconds of work, and then a clear line. A few characters of
// an expression can ask for more than an hour.
#pragma once

#include <cstddef>
#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

class Effort {
public:
    explicit Effort(const char* who) : who_(who) {}
    // So many parts of states were looked at. Throws TooLarge when it is enough.
    void spend(std::size_t parts);

    // As long as one of these lives, everything that its thread makes counts together.
    class Together {
    public:
        Together();
        ~Together();
        Together(const Together&) = delete;

    private:
        friend class Effort;
        std::size_t spent_ = 0;
        Together* outer_;
    };

private:
    const char* who_;
    std::size_t spent_ = 0;
};

}  // namespace tbt
