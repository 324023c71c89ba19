// The limits that a container or a service manager sets: control groups of Linux, versions 1 and 2.
//
// A limit may stand at any level from the process's own group up to the root of the hierarchy;
// the smallest one counts. `root` stands in front of /proc and /sys:
// tests give a folder of their own.
#pragma once

#include <cstdint>
#include <string>

namespace tbt {

// Processor time, in cores: 1.5 is one and a half. 0: no limit.
double cgroup_cores(const std::string& root = "");

// Bytes that may still be allocated: the limit less what is used, not counting cached
// files. −1: no limit.
std::int64_t cgroup_memory_left(const std::string& root = "");

}  // namespace tbt
