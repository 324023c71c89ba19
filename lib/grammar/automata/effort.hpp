// What an automaton may cost to make: some seconds of work, and then a clear line. A few characters
// of an expression can ask for more than an hour.
#pragma once

#include <cstddef>
#include <string>

#include "lib/grammar/recognizer/grammar.hpp"

namespace tbt {

class Effort {
public:
    explicit Effort(const char* who) : who_(who) {}
    // So many parts of states were looked at. Throws TooLarge when it is enough.
    void spend(std::size_t parts) {
        spent_ += parts;
        if (spent_ > most)
            throw TooLarge(std::string(who_) + ": its automaton takes more than " +
                           std::to_string(most) +
                           " steps to make; use smaller repetitions or fewer alternatives");
    }

private:
    static constexpr std::size_t most = 20'000'000;
    const char* who_;
    std::size_t spent_ = 0;
};

}  // namespace tbt
