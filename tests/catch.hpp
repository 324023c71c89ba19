// Catch2 version 3 or version 2, whichever is installed. Precompiled once by the Makefile.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
