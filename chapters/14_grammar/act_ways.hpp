// Ways through a notebook (notebook.hpp), each a list of acts: ways that end alike share that end.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/13_json_grammar/flat_map.hpp"
#include "lib/index.hpp"

namespace tbt {

class ActWays {
public:
    // An act, and the way that is left behind it, from whatever place.
    struct Way {
        int act, rest;
    };

    // 0: no acts.
    int of(const std::vector<int>& acts) {
        int way = 0;
        for (std::size_t i = acts.size(); i-- > 0;) {
            const auto key =
                static_cast<std::uint64_t>(acts[i] + 1) << 32 | static_cast<std::uint32_t>(way);
            const int found = index_.find_or_add(key, count(ways_));
            if (found == count(ways_)) ways_.push_back({acts[i], way});
            way = found;
        }
        return way;
    }
    const Way& operator[](int way) const { return ways_[index(way)]; }
    std::size_t memory() const { return ways_.capacity() * sizeof(Way) + index_.memory(); }

private:
    std::vector<Way> ways_{{0, 0}};
    WordMap index_;
};

}  // namespace tbt
