// Applies one constraint to several texts, or to a text that branches: samples, beams, drafts.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "lib/grammar/tokens/grammar_matcher.hpp"

namespace tbt {

// Keeps up to 64 texts read so far, each with its matcher. A new text is read on from the one that
// has the longest common prefix with it.
class ConstraintFollower {
public:
    explicit ConstraintFollower(GrammarMatcher start) { texts_.push_back({std::move(start), {}}); }

    // The matcher after these generated token ids, valid until the next call.
    // Throws Error if one of them is not allowed.
    GrammarMatcher& follow(std::span<const int> generated);

private:
    struct Text {
        GrammarMatcher constraint;
        std::vector<int> read;
    };
    static constexpr std::size_t max_texts = 64;

    static std::size_t common_length(std::span<const int> a, std::span<const int> b);

    std::vector<Text> texts_;
};

}  // namespace tbt
