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

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/show/terminal.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

class StopStrings {
public:
    static constexpr int start = 0;                   // nothing of any stop string seen
    static constexpr std::size_t most_bytes = 65536;  // of all strings together: a state takes 1 KB

    StopStrings() : StopStrings(std::vector<std::string>{}) {}

    explicit StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
        nodes_.emplace_back();
        std::size_t bytes = 0;
        for (std::size_t i = 0; i < strings_.size(); ++i) {
            check(strings_[i]);
            if ((bytes += strings_[i].size()) > most_bytes) {
                throw UsageError("stop strings: more than " + std::to_string(most_bytes) +
                                 " bytes together; shorter ones do as well");
            }
            add(strings_[i], to_int(i));
        }
        link();
    }

    const std::vector<std::string>& strings() const { return strings_; }

    // The state behind one more byte.
    int next(int state, char byte) const {
        return node(state).next[static_cast<unsigned char>(byte)];
    }
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

    const Node& node(int state) const {
        if (index(state) >= nodes_.size())
            throw Error("stop strings: there is no state " + std::to_string(state));
        return nodes_[index(state)];
    }
    Node& node(int state) { return nodes_[index(state)]; }

    static void check(const std::string& s) {
        if (s.empty()) {
            throw UsageError(
                "stop string: empty, expected at least one character; it would stop every text "
                "before its first "
                "token");
        }
        if (find_invalid_utf8(s) != std::string::npos) {
            throw UsageError("stop string: \"" + visible(s) +
                             "\" is not valid UTF-8, so no text can contain it");
        }
    }

    // The tree of all beginnings.
    void add(const std::string& s, int index) {
        int at = start;
        for (const char c : s) {
            const auto byte = static_cast<unsigned char>(c);
            if (node(at).next[byte] == 0) {
                node(at).next[byte] = static_cast<std::int32_t>(nodes_.size());
                nodes_.push_back({{}, node(at).depth + 1, -1});
            }
            at = node(at).next[byte];
        }
        if (node(at).complete < 0)
            node(at).complete = index;  // the same string twice: its first place
    }

    // Where the tree has no child, the text's next shorter end that is a beginning goes on instead.
    // That end is shorter, so a walk by depth finds it finished.
    void link() {
        std::deque<std::pair<int, int>> open;  // a state, and the one of its next shorter end
        for (const std::int32_t child : nodes_[0].next) {
            if (child != 0) open.emplace_back(child, start);
        }
        for (; !open.empty(); open.pop_front()) {
            const auto [at, shorter] = open.front();
            if (node(at).complete < 0) node(at).complete = node(shorter).complete;
            for (std::size_t byte = 0; byte < 256; ++byte) {
                const std::int32_t child = node(at).next[byte], other = node(shorter).next[byte];
                if (child != 0) open.emplace_back(child, other);
                else node(at).next[byte] = other;
            }
        }
    }

    std::vector<std::string> strings_;
    std::vector<Node> nodes_;
};

}  // namespace tbt
