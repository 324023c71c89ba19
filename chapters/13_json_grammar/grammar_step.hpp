// The mask as the first step of a sampling chain (chapter 06): penalties, temperature and cuts see
// only what is legal.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain.hpp"
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

// A step named "grammar", which in_order puts before all others in every dialect.
// follow: the constraint after a text.
ChainStep grammar_step(std::function<GrammarMatcher&(const TextSoFar&)> follow);

ChainStep grammar_step(const GrammarMatcher& start);

// The same for a beam search (chapter 11): each beam's own mask, on its log-probabilities.
// They are not renormalised, so beams compare by the model's probability of their texts.
// Nothing stays where a text is complete and cannot be ended.
std::function<void(std::span<float>, std::span<const int>)> grammar_processor(
    const GrammarMatcher& start, std::size_t prompt_length);

}  // namespace tbt
