// What most files need of the standard library, precompiled once by the Makefile and read before
// each .cpp of lib and the chapters. Each file still includes what it needs.
#ifndef TBT_STD_HPP  // a header compiled on its own may not say #pragma once
#define TBT_STD_HPP

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#endif
