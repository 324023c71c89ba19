// What every exercise includes.
#pragma once

#include <exception>

namespace tbt {

// Thrown where the learner is to write. The check recognises it and says so kindly.
struct NotWritten : std::exception {
    const char* what() const noexcept override { return "you have not written this yet"; }
};

}  // namespace tbt
