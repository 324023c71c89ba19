#include "lib/grammar/tokens/closing.hpp"

#include <unordered_set>
#include <vector>

#include "lib/core/index.hpp"

namespace tbt {

namespace {

// If the vocabulary lacks bytes: the states to search before the answer is "none found".
constexpr int max_tried = 4000;

}  // namespace

int Closing::enough(State state) {
    if (state == Recognizer::dead) return never;
    if (masks_->recognizer().accepts(state)) return 0;
    return has_all_byte_tokens() ? masks_->to_end(state) : try_everything(state, never);
}

bool Closing::fits(State state, int tokens) {
    if (state == Recognizer::dead) return false;
    if (masks_->recognizer().accepts(state)) return tokens >= 0;
    if (tokens <= 0) return false;
    return (has_all_byte_tokens() ? masks_->to_end(state) : try_everything(state, tokens)) <=
           tokens;
}

// For vocabularies that lack bytes, such as the small ones made up for a lesson: a breadth-first
// search through the states that k tokens reach, for k = 0, 1, … The path found is stored: then the
// promise made at its beginning also holds at each of its states.
int Closing::try_everything(State state, int most) {
    if (masks_->recognizer().accepts(state)) return 0;
    if (const auto known = enough_.find(state); known != enough_.end()) return known->second;
    struct Found {
        State state;
        int before, tokens;
    };
    std::vector<Found> found{{state, -1, 0}};
    std::unordered_set<State> seen{state};
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].tokens >= most) break;
        if (i >= max_tried) return never;
        for (const TokenReach::Step& step : masks_->reached().steps(found[i].state)) {
            if (!seen.insert(step.state).second) continue;
            if (masks_->recognizer().accepts(step.state)) {
                int left = 1;
                for (int at = to_int(i); at >= 0; at = found[index(at)].before)
                    enough_.emplace(found[index(at)].state, left++);
                return found[i].tokens + 1;
            }
            found.push_back({step.state, to_int(i), found[i].tokens + 1});
        }
    }
    return never;
}

}  // namespace tbt
