// Texts that never appear: the promise of stop strings, kept before the draw.
//
// A token is banned when its bytes, after those that were generated, would complete one of the
// texts: whichever tokens it is made of, and wherever in a token it begins or ends. ("the" bans
// " there" and " whether", and "e" after "th".)
#pragma once

#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/checks.hpp"
#include "chapters/09_stopping/stop_strings.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"

namespace tbt {

class BannedTexts {
public:
    // tokens: the bytes of each; those without bytes are never banned.
    BannedTexts(std::vector<std::string> texts, std::vector<std::string> tokens)
        : texts_(std::move(texts)), tokens_(std::move(tokens)) {}

    // The tokens that would complete a text after these.
    const std::vector<int>& completing(std::span<const int> generated) {
        int state = StopStrings::start;
        for (const int id : generated) {
            for (const char byte : tokens_[checked_id("ban-text", id, tokens_.size())])
                state = texts_.next(state, byte);
        }
        const auto [place, is_new] = known_.try_emplace(state);
        if (is_new) place->second = completing_from(state);
        return place->second;
    }

private:
    std::vector<int> completing_from(int state) const {
        std::vector<int> ids;
        for (std::size_t id = 0; id < tokens_.size(); ++id) {
            int at = state;
            for (const char byte : tokens_[id]) {
                at = texts_.next(at, byte);
                if (texts_.complete(at) < 0) continue;
                ids.push_back(to_int(id));
                break;
            }
        }
        return ids;
    }

    StopStrings texts_;
    std::vector<std::string> tokens_;
    std::unordered_map<int, std::vector<int>> known_;  // by state
};

// As a step of a chain. Errors: as StopStrings has them for texts.
inline ChainStep ban_text_step(std::vector<std::string> texts, std::vector<std::string> tokens) {
    const std::string number = std::to_string(texts.size());
    const auto banned_texts = std::make_shared<BannedTexts>(std::move(texts), std::move(tokens));
    return {"ban-text", number, [banned_texts](Candidates& c, const TextSoFar& text) {
                for (const int id : banned_texts->completing(text.generated()))
                    if (float* logit = c.find(id)) *logit = banned;
            }};
}

}  // namespace tbt
