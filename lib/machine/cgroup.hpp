// Reads the limits of processor time and memory that a container or a service manager sets: Linux
// control groups (cgroups), versions 1 and 2.
//
// A limit may be set at any level from the process's own group up to the root of the hierarchy; the
// smallest one counts. `root` is put before /proc and /sys, so that tests can use their own folder.
#pragma once

#include <cstdint>
#include <string>

namespace tbt {

// The limit of processor time, in cores (1.5 is one and a half). 0: no limit.
double cgroup_cores(const std::string& root = "");

// The bytes that may still be allocated: the limit minus the memory in use, where cached files do
// not count as in use. −1: no limit.
std::int64_t cgroup_memory_left(const std::string& root = "");

}  // namespace tbt
