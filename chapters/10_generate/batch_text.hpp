// What a batch is asked, and what it answers: for those who ask, whatever model it is.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

namespace tbt {

// A text and the slot where its keys and values are kept. No slot may occur twice in a batch.
struct BatchText {
    std::size_t slot = 0;
    std::span<const int> ids;
    std::size_t rows = 1;  // logits are wanted after each of the last `rows` ids
    // If these last ids form a tree: token i follows token parents[i], or the text before them if
    // that is −1. Empty: each token follows the previous one.
    std::span<const int> parents = {};
    int longest = 0;  // the most tokens that the text may have at its end; 0: the context
};

// V logits for each text of the batch; several rows, one after the other, if a text wants several.
// Valid until the next call.
using BatchLogits =
    std::function<std::vector<std::span<const float>>(std::span<const BatchText> texts)>;

}  // namespace tbt
