// The same for tests that see JSON. Precompiled once by the Makefile.
#ifndef TBT_TESTS_CATCH_JSON_HPP  // a header compiled on its own may not say #pragma once
#define TBT_TESTS_CATCH_JSON_HPP

#include "lib/machine/precompiled_json.hpp"
#include "tests/catch.hpp"

#endif
