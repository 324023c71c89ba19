#include "lib/machine/cores.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>
#include <utility>

#ifdef __linux__
#include <sched.h>
#endif
#ifdef __APPLE__
#include <sys/sysctl.h>
#endif

#include "lib/core/index.hpp"
#include "lib/machine/cgroup.hpp"

namespace tbt {

namespace {

// The number of cores if there is no affinity mask: physical cores on macOS, processors elsewhere.
int all_cores() {
#ifdef __APPLE__
    int cores = 0;
    std::size_t size = sizeof cores;
    if (sysctlbyname("hw.physicalcpu", &cores, &size, nullptr, 0) == 0 && cores > 0) return cores;
#endif
    return to_int(std::thread::hardware_concurrency());
}

int physical_cores(const std::vector<int>& processors, const std::string& root) {
    std::set<std::pair<int, int>> cores;  // (package, core)
    for (const int processor : processors) {
        const std::string topology =
            root + "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
        int package = 0, core = 0;
        const bool known = std::ifstream(topology + "physical_package_id") >> package &&
                           std::ifstream(topology + "core_id") >> core;
        cores.insert(known ? std::pair{package, core}
                           : std::pair{-2, processor});  // unknown: a core of its own
    }
    return count(cores);
}

}  // namespace

std::vector<int> allowed_processors() {
    std::vector<int> processors;
#ifdef __linux__
    cpu_set_t mask;
    if (sched_getaffinity(0, sizeof mask, &mask) == 0) {
        for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
            if (CPU_ISSET(index(processor), &mask)) processors.push_back(processor);
        }
    }
#endif
    return processors;
}

int usable_cores(const std::vector<int>& processors, const std::string& root) {
    int cores = processors.empty() ? all_cores() : physical_cores(processors, root);
    if (const double quota = cgroup_cores(root); quota > 0)
        cores = std::min(cores, to_int(std::lround(quota)));
    return std::max(1, cores);
}

}  // namespace tbt
