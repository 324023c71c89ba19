// The one exception type of the library: a line a person can act on (who, what,
// expected, got, what to do).
#pragma once

#include <stdexcept>
#include <string>

namespace tbt {

class Error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// A wrong command line: programs print the line and exit with status 2 instead of 1.
class UsageError : public Error {
public:
    using Error::Error;
};

}  // namespace tbt
