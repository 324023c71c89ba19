// Chapter 10's generator with a draft by rejection, for one sample: with the chain, the rules for
// stopping and the stream of text.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/core/index.hpp"

namespace tbt {

struct SpeculativeText {
    GeneratedText text;
    std::vector<Round> rounds;
};

// If a stop string occurs within a round, the tokens after it are dropped: the text ends where
// plain decoding would end it. on_text is called with each piece as soon as it is certain; go_on is
// called before each pass, and false ends the text. The request's seed is not used, `chance` is.
template <class Draft, class Chance>
SpeculativeText speculative_text(const LastLogits& target, Draft& draft, DraftLength length,
                                 const GenerateRequest& request, const TokenBytes& bytes,
                                 std::span<const int> prompt, Chance& chance,
                                 Correction correction = Correction::residual,
                                 bool overlaps = false,
                                 const std::function<void(const std::string&)>& on_text = {},
                                 const std::function<bool()>& go_on = {}) {
    check_request(request, prompt.size());
    if (request.stop.policy == ContextPolicy::slide)
        throw UsageError(
            "--context slide: a draft is verified at the positions it was written for; use refuse");
    SpeculativeRules rules;
    rules.chain = request.chain;
    rules.max_new_tokens = request.stop.max_new_tokens;
    rules.context = request.stop.context;
    rules.eos = request.stop.eos;
    rules.correction = correction;
    rules.overlaps = overlaps;

    SpeculativeText result;
    TextStream stream(request.stop.strings);
    std::optional<FinishReason> reason;
    const auto show = [&](const std::string& piece) {
        if (on_text && !piece.empty()) on_text(piece);
    };
    bool interrupted = false;
    const LastLogits asked = [&](std::span<const int> ids, int count) {
        interrupted = go_on && !go_on();
        return target(ids, count);
    };
    const auto emit = [&](int id) {
        if (interrupted) {
            reason = FinishReason::interrupted;
            return false;
        }
        result.text.ids.push_back(id);
        if (!request.stop.is_eos(id)) show(stream.push(bytes(id)));
        const auto generated = count(result.text.ids);
        reason = why_stop(request.stop, id, stream, generated, count(prompt) + generated);
        return !reason;
    };
    speculate(asked, draft, rules, prompt, length, chance, emit,
              [&](const Round& round) { result.rounds.push_back(round); });
    show(stream.finish());
    result.text.text = stream.text();
    result.text.reason = reason.value_or(FinishReason::length);  // a budget of 0 emits nothing
    result.text.stop_string = stream.stop_string();
    return result;
}

}  // namespace tbt
