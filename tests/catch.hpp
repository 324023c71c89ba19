// Catch2 version 3 or version 2, whichever is installed, and JSON, which many tests read.
// Precompiled once by the
// Makefile.
#ifndef TBT_TESTS_CATCH_HPP  // a header compiled on its own may not say #pragma once
#define TBT_TESTS_CATCH_HPP

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
// Version 3 has another name for it.
namespace Catch {
inline auto Contains(const std::string& part) { return Matchers::ContainsSubstring(part); }
}  // namespace Catch
#else
#include <catch2/catch.hpp>
#endif

#include <nlohmann/json.hpp>

#include "lib/build/std.hpp"
#endif
