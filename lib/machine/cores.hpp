// The processor cores that this process may use.
#pragma once

#include <string>
#include <vector>

namespace tbt {

// The numbers of the processors in this process's affinity mask (taskset, cpusets). Empty:
// the system doesn't say.
std::vector<int> allowed_processors();

// The physical cores of these processors (two processors of one core count once),
// cut down by a cgroup's quota of processor time. At least 1. `root` stands in front of /proc
// and /sys, for tests.
int usable_cores(const std::vector<int>& processors, const std::string& root = "");

}  // namespace tbt
