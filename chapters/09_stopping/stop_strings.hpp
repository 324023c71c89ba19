// Finding stop strings in a stream of bytes: an automaton after Aho and Corasick [1975].
//
// Its state is the longest end of the text that is the beginning of some stop string.
// That one number answers both questions a streaming decoder has: is a stop string complete now,
// and how many bytes may not be shown yet because they could become one.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

class StopStrings {
public:
    static constexpr int start = 0;                  // nothing of any stop string seen
    static constexpr std::size_t max_bytes = 65536;  // of all strings together: a state takes 1 KB

    StopStrings() : StopStrings(std::vector<std::string>{}) {}

    explicit StopStrings(std::vector<std::string> strings);

    const std::vector<std::string>& strings() const { return strings_; }

    // The state after one more byte.
    int next(int state, char byte) const;
    // How many bytes at the end of the text could still become a stop string.
    std::size_t held_back(int state) const { return node(state).depth; }
    // Which stop string ends here; of several the longest. −1: none.
    int complete(int state) const { return node(state).complete; }

private:
    struct Node {
        std::array<std::int32_t, 256> next{};  // 0 is the root; in the tree also "no child"
        std::size_t depth = 0;                 // bytes from the root
        int complete = -1;
    };

    const Node& node(int state) const;
    Node& node(int state) { return nodes_[index(state)]; }

    static void check(const std::string& s);

    // The tree of all beginnings.
    void add(const std::string& s, int index);

    // Where the tree has no child, the text's next shorter end that is a beginning goes on instead.
    // That end is shorter, so a walk by depth finds it finished.
    void link();

    std::vector<std::string> strings_;
    std::vector<Node> nodes_;
};

}  // namespace tbt
