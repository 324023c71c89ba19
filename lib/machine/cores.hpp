// Finds how many processor cores this process may use.
#pragma once

#include <string>
#include <vector>

namespace tbt {

// The numbers of the processors in this process's affinity mask (taskset, cpusets). Empty if the
// system does not say.
std::vector<int> allowed_processors();

// The number of physical cores of these processors (two processors of one core count once), limited
// by the cgroup's quota of processor time. At least 1. `root` is put before /proc and /sys, for
// tests.
int usable_cores(const std::vector<int>& processors, const std::string& root = "");

}  // namespace tbt
