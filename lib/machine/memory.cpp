#include "lib/machine/memory.hpp"

#include <algorithm>
#include <fstream>
#include <string>

#include <sys/resource.h>
#include <unistd.h>

#include "lib/machine/cgroup.hpp"

namespace tbt {

std::int64_t available_memory() {
    std::int64_t available = 0;
    std::ifstream info("/proc/meminfo");
    for (std::string key; info >> key;) {
        if (key == "MemAvailable:") {
            info >> available;
            available *= 1024;
            break;
        }
        info.ignore(256, '\n');
    }
#ifdef _SC_PHYS_PAGES
    if (available == 0)
        available = static_cast<std::int64_t>(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
#endif
    if (const std::int64_t left = cgroup_memory_left(); left >= 0)
        available = std::min(available, left);
    return available;
}

std::int64_t peak_resident_memory() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
    return usage.ru_maxrss;
#else
    return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;
#endif
}

}  // namespace tbt
