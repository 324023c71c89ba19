// One constraint for texts that branch: samples, beams, drafts.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

// Follows texts that may also be taken back, or be several: samples, beams, drafts.
// Each is read on from whatever text read so far shares most with it; a few dozen are kept.
class ConstraintFollower {
public:
    explicit ConstraintFollower(GrammarMatcher start) { texts_.push_back({std::move(start), {}}); }

    // The constraint after these generated ids, valid until the next call.
    // Throws Error when one of them is not allowed.
    GrammarMatcher& follow(std::span<const int> generated);

private:
    struct Text {
        GrammarMatcher constraint;
        std::vector<int> read;
    };
    static constexpr std::size_t most_texts = 64;

    static std::size_t common_length(std::span<const int> a, std::span<const int> b);

    std::vector<Text> texts_;
};

}  // namespace tbt
