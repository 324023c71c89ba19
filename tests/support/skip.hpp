// A test that cannot run here says why, and is not counted as passed: it lacks a file, a program or
// a library. tests/main.cpp prints the reason, and tests/total.sh counts what was skipped.
#pragma once

#include <string>

namespace tbt::test {

inline std::string skipped_because;
inline void skip(const std::string& why) { skipped_because = why; }

}  // namespace tbt::test
