// How much memory the machine has left, and how much this process uses. All numbers are bytes.
#pragma once

#include <cstdint>

#include "lib/core/tensor.hpp"  // tensor_bytes()

namespace tbt {

// The bytes that could be allocated without swapping: free and reclaimable memory, limited by the
// cgroup. 0: unknown.
std::int64_t available_memory();

// The maximum resident size of this process so far. 0: unknown.
std::int64_t peak_resident_memory();

}  // namespace tbt
