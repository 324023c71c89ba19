#include "lib/grammar/tokens/constraint_follower.hpp"

#include <algorithm>

#include "lib/core/index.hpp"

namespace tbt {

GrammarMatcher& ConstraintFollower::follow(std::span<const int> generated) {
    std::size_t best = 0, common = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const std::size_t shared = common_length(texts_[i].read, generated);
        // Among equal prefixes, prefers a text that need not be rolled back.
        if (shared > common || (shared == common && texts_[i].read.size() == shared &&
                                texts_[best].read.size() > common))
            best = i, common = shared;
    }
    if (texts_[best].read.size() > common && texts_.size() < max_texts) {
        texts_.push_back(texts_[best]);  // the new text branches off here: keep both
        best = texts_.size() - 1;
    }
    Text& text = texts_[best];
    text.constraint.rollback(to_int(text.read.size() - common));
    text.read.resize(common);
    for (const int id : generated.subspan(common)) {
        text.constraint.advance(id);
        text.read.push_back(id);
    }
    return text.constraint;
}

std::size_t ConstraintFollower::common_length(std::span<const int> a, std::span<const int> b) {
    return index(std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
}

}  // namespace tbt
