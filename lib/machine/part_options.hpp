// Options that only some parts of a chapter's program look at.
#pragma once

#include <utility>
#include <vector>

#include "lib/machine/command_line.hpp"

namespace tbt {

// An option given beside a --part that would ignore it is refused by check().
class PartOptions {
public:
    explicit PartOptions(const int& part) : part_(&part) {}  // 0: all parts
    void add(std::vector<int> parts, const DeclaredOption& option) {
        used_.emplace_back(std::move(parts), option);
    }
    void check() const;
    // Whether a part is wanted; between two parts that both are, prints an empty line.
    bool begin(int part) const;

private:
    const int* part_;
    std::vector<std::pair<std::vector<int>, DeclaredOption>> used_;
};

}  // namespace tbt
