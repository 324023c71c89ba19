// The same for files that read or write JSON: that header takes longer than all the others.
#ifndef TBT_LIB_MACHINE_PRECOMPILED_JSON_HPP
#define TBT_LIB_MACHINE_PRECOMPILED_JSON_HPP

#include <nlohmann/json.hpp>

#include "lib/precompiled.hpp"

#endif
