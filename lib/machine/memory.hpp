// How much memory there is, and how much this process uses.
#pragma once

#include <cstdint>

namespace tbt {

// Bytes that could be allocated without swapping: free and reclaimable memory,
// cut down by a cgroup's limit. 0: unknown.
std::int64_t available_memory();

// Bytes that tensors and buffers hold at this moment, and the most they ever held:
// every allocation of allocate_floats, counted. reset_most_tensor_bytes()
// starts the second count again.
std::int64_t tensor_bytes();
std::int64_t most_tensor_bytes();
void reset_most_tensor_bytes();

// The largest resident size of this process so far, in bytes. 0: unknown.
std::int64_t peak_resident_memory();

}  // namespace tbt
