// What is fuzzed: everything that reads what strangers wrote. A target is given any bytes. It may
// refuse them with an Error of ours, in good time; whatever else comes out of it is a bug: another
// exception, a crash, a promise that does not hold (which throws Broken).
//
//   make fuzz [ONLY=json] [SECONDS=60]     looks for such bytes (clang's libFuzzer)
//   make test ONLY=fuzz                    replays tests/fuzz/corpus, without any fuzzer
#pragma once

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt::fuzz {

// A promise that does not hold.
class Broken : public std::logic_error {
public:
    using std::logic_error::logic_error;
};
inline void promise(bool holds, const char* what) {
    if (!holds) throw Broken(what);
}

struct Target {
    const char* name;
    void (*read)(std::string_view bytes);
};

// Refusals are fine.
inline void run(const Target& target, std::string_view bytes) {
    try {
        target.read(bytes);
    } catch (const Error&) {
    }
}

}  // namespace tbt::fuzz
