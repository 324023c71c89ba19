// When a text ends: an end-of-text token, a stop string, the token budget, the context.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/09_stopping/text_stream.hpp"
#include "lib/core/index.hpp"

namespace tbt {

enum class FinishReason { eos, stop_string, length, context, interrupted };

const char* to_string(FinishReason reason);

// A model with learned positions has as many of them as it was trained with.
// At the end of the last one a text is over (refuse), or its beginning is forgotten (slide).
enum class ContextPolicy { refuse, slide };

struct StopRules {
    std::vector<int> eos;  // ids that end the text; they are not part of it
    StopStrings strings;   // cut off where the earliest one is complete
    int max_new_tokens = std::numeric_limits<int>::max();
    int context = std::numeric_limits<int>::max();  // prompt and new tokens together
    ContextPolicy policy = ContextPolicy::refuse;

    bool is_eos(int id) const { return std::find(eos.begin(), eos.end(), id) != eos.end(); }
};

// The most tokens that a text with such a prompt may have.
inline int longest_text(std::size_t prompt, const StopRules& rules) {
    return to_int(std::min<std::int64_t>(static_cast<std::int64_t>(prompt) + rules.max_new_tokens,
                                         rules.context));
}

// Asked after each token, in this order: the token's own meaning, then the text so
// far (the stream has seen the token's bytes unless it is an EOS), then the counts.
// `length` is the prompt's and the generated tokens together.
std::optional<FinishReason> why_stop(const StopRules& rules, int id, const TextStream& stream,
                                     int generated, int length);

// The part of a text that the model reads. When it exceeds the context, all but the last `keep`
// tokens are dropped.
//
// Each token that stays moves to a new position, and with learned positions the keys
// and values computed for the old one are of no use: everything kept is computed again.
// A round of context − keep + 1 tokens costs `context` positions, so
//
//   positions computed a token = context / (context − keep + 1)
//
// Dropping one token at a time (keep = context) computes the whole context for each token;
// keeping half costs two positions.
class Window {
public:
    Window(int context, int keep);

    std::span<const int> view(std::span<const int> ids);

    int slides() const { return slides_; }
    std::size_t first() const { return first_; }  // tokens forgotten

private:
    std::size_t context_, keep_, first_ = 0;
    int slides_ = 0;
};

// Tokens kept when a window slides, unless somebody says otherwise.
inline int default_keep(int context) { return std::max(1, context / 2); }

}  // namespace tbt
