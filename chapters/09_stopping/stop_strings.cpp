#include "chapters/09_stopping/stop_strings.hpp"

namespace tbt {

StopStrings::StopStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
    nodes_.emplace_back();
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < strings_.size(); ++i) {
        check(strings_[i]);
        if ((bytes += strings_[i].size()) > max_bytes) {
            throw UsageError("stop strings: more than " + std::to_string(max_bytes) +
                             " bytes together; use fewer or shorter ones");
        }
        add(strings_[i], to_int(i));
    }
    link();
}

int StopStrings::next(int state, char byte) const {
    return node(state).next[static_cast<unsigned char>(byte)];
}

const StopStrings::Node& StopStrings::node(int state) const {
    if (index(state) >= nodes_.size())
        throw Error("stop strings: there is no state " + std::to_string(state));
    return nodes_[index(state)];
}

void StopStrings::check(const std::string& s) {
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

void StopStrings::add(const std::string& s, int index) {
    int at = start;
    for (const char c : s) {
        const auto byte = static_cast<unsigned char>(c);
        if (node(at).next[byte] == 0) {
            node(at).next[byte] = static_cast<std::int32_t>(nodes_.size());
            nodes_.push_back({{}, node(at).depth + 1, -1});
        }
        at = node(at).next[byte];
    }
    if (node(at).complete < 0) node(at).complete = index;  // the same string twice: its first place
}

void StopStrings::link() {
    std::deque<std::pair<int, int>> open;  // a state, and the one of its next shorter suffix
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

}  // namespace tbt
