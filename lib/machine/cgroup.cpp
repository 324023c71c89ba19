#include "lib/machine/cgroup.hpp"

#include <algorithm>
#include <fstream>
#include <functional>
#include <optional>

namespace tbt {

namespace {

// Calls visit(folder) for the process's group and all groups above it, in the hierarchy of version
// 2 if `controller` is empty, otherwise in the hierarchy of that controller. If a container hides
// the upper levels, the root folder has the container's own limits.
void for_each_level(const std::string& root, const std::string& controller,
                    const std::function<void(const std::string&)>& visit) {
    std::ifstream groups(
        root +
        "/proc/self/cgroup");  // lines "4:cpu,cpuacct:/some/group"; version 2: "0::/some/group"
    for (std::string line; std::getline(groups, line);) {
        const std::size_t first = line.find(':'), second = line.find(':', first + 1);
        if (second == std::string::npos) continue;
        std::string controllers = line.substr(first, second - first + 1);
        controllers.front() = controllers.back() = ',';
        if (controller.empty() ? controllers != ",,"
                               : controllers.find("," + controller + ",") == std::string::npos) {
            continue;
        }
        std::string group = line.substr(second + 1);
        if (!group.starts_with('/')) continue;
        const std::string mount =
            root + "/sys/fs/cgroup" + (controller.empty() ? "" : "/" + controller);
        for (; group.size() > 1; group.erase(group.find_last_of('/'))) visit(mount + group);
        visit(mount);
    }
}

// The number in a file; none if it has another text, such as "max".
std::optional<double> number_in(const std::string& file) {
    double number = 0;
    return std::ifstream(file) >> number ? std::optional(number) : std::nullopt;
}

// The number after this word at the beginning of a line; 0 if there is no such line.
double number_after(const std::string& file, const std::string& word) {
    std::ifstream lines(file);
    double number = 0;
    for (std::string key; lines >> key >> number;) {
        if (key == word) return number;
    }
    return 0;
}

}  // namespace

double cgroup_cores(const std::string& root) {
    double cores = 0;
    const auto limit = [&](double quota, double period) {
        if (quota > 0 && period > 0)
            cores = cores > 0 ? std::min(cores, quota / period) : quota / period;
    };
    for_each_level(root, "", [&](const std::string& folder) {
        double quota = 0, period = 0;  // in microseconds: "150000 100000", or "max 100000"
        if (std::ifstream file(folder + "/cpu.max"); file >> quota >> period) limit(quota, period);
    });
    for_each_level(root, "cpu", [&](const std::string& folder) {
        limit(number_in(folder + "/cpu.cfs_quota_us").value_or(0),
              number_in(folder + "/cpu.cfs_period_us").value_or(0));
    });
    return cores;
}

std::int64_t cgroup_memory_left(const std::string& root) {
    double left = -1;
    const auto limit = [&](const std::string& folder, const char* most, const char* used,
                           const std::string& prefix) {
        const auto bytes = number_in(folder + most), now = number_in(folder + used);
        if (!bytes || !now || *bytes > 0x1p60)
            return;  // version 1 writes "no limit" as a huge number
        const double cached = number_after(folder + "/memory.stat", prefix + "inactive_file") +
                              number_after(folder + "/memory.stat", prefix + "active_file");
        const double rest = std::max(*bytes - *now + cached, 1.0);
        left = left < 0 ? rest : std::min(left, rest);
    };
    for_each_level(root, "", [&](const std::string& folder) {
        limit(folder, "/memory.max", "/memory.current", "");
    });
    for_each_level(root, "memory", [&](const std::string& folder) {
        limit(folder, "/memory.limit_in_bytes", "/memory.usage_in_bytes", "total_");
    });
    return static_cast<std::int64_t>(left);
}

}  // namespace tbt
