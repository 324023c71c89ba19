// How much memory there is, and how much this process uses.
#pragma once

#include <cstdint>

namespace tbt {

// Bytes that could be allocated without swapping: free and reclaimable memory, cut down by a cgroup's limit. 0: unknown.
std::int64_t available_memory();

// The largest resident size of this process so far, in bytes. 0: unknown.
std::int64_t peak_resident_memory();

}  // namespace tbt
