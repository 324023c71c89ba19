// The options of a chapter's program that only some of its parts use. (With --part N, a program
// shows only part N of its output.)
#pragma once

#include <utility>
#include <vector>

#include "lib/machine/command_line.hpp"

namespace tbt {

// check() throws UsageError if an option is given together with a --part that does not use it.
class PartOptions {
public:
    explicit PartOptions(const int& part) : part_(&part) {}  // 0: all parts
    void add(std::vector<int> parts, const DeclaredOption& option) {
        used_.emplace_back(std::move(parts), option);
    }
    void check() const;
    // Is this part to be shown? Prints an empty line between two parts that are shown.
    bool begin(int part) const;

private:
    const int* part_;
    std::vector<std::pair<std::vector<int>, DeclaredOption>> used_;
};

}  // namespace tbt
