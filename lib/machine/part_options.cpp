#include "lib/machine/part_options.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "lib/core/error.hpp"

namespace tbt {

void PartOptions::check() const {
    for (const auto& [parts, option] : used_) {
        if (*part_ == 0 || !option.given() ||
            std::find(parts.begin(), parts.end(), *part_) != parts.end())
            continue;
        std::string list;
        for (const int p : parts)
            list += (list.empty() ? "" : p == parts.back() ? " and " : ", ") + std::to_string(p);
        throw UsageError("--part " + std::to_string(*part_) + " and " + option.name() +
                         ": only part " + list + " would use it; leave out one of the two");
    }
}

bool PartOptions::begin(int part) const {
    if (*part_ == 0 && part > 1) std::printf("\n");
    return *part_ == 0 || *part_ == part;
}

}  // namespace tbt
