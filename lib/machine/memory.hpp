// How much memory the machine has left, and how much this process uses. All numbers are bytes.
#pragma once

#include <cstdint>

namespace tbt {

// The bytes that could be allocated without swapping: free and reclaimable memory, limited by the
// cgroup. 0: unknown.
std::int64_t available_memory();

// The bytes of all tensors and buffers at this moment, and their maximum so far. Both count every
// allocation of allocate_floats(). reset_peak_tensor_bytes() starts the maximum again.
std::int64_t tensor_bytes();
std::int64_t peak_tensor_bytes();
void reset_peak_tensor_bytes();

// The maximum resident size of this process so far. 0: unknown.
std::int64_t peak_resident_memory();

}  // namespace tbt
