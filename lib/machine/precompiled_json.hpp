// The precompiled header for files that read or write JSON: lib/precompiled.hpp with
// nlohmann/json.hpp, which takes longer to compile than all the others.
#ifndef TBT_LIB_MACHINE_PRECOMPILED_JSON_HPP
#define TBT_LIB_MACHINE_PRECOMPILED_JSON_HPP

#include <nlohmann/json.hpp>

#include "lib/precompiled.hpp"

#endif
