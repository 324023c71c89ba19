#include "chapters/11_beam_search/hypothesis.hpp"

namespace tbt {

EarlyStopping early_stopping_named(std::string_view name) {
    if (name == "true") return EarlyStopping::yes;
    if (name == "false") return EarlyStopping::no;
    if (name == "never") return EarlyStopping::never;
    throw UsageError("early-stopping: got '" + std::string(name) +
                     "', expected true, false or never");
}

void check_beams(const BeamRequest& r, std::size_t prompt_length) {
    const BeamOptions& b = r.beams;
    if (b.num_beams < 1)
        throw UsageError("num-beams: got " + std::to_string(b.num_beams) +
                         ", expected 1 or more; 1 is greedy decoding, 4 is usual");
    if (!std::isfinite(b.length_penalty))
        throw UsageError(
            "length-penalty: got " + short_number(b.length_penalty) +
            ", expected a finite number; 0 compares sums, 1 means, more than 1 favours long texts");
    if (b.num_return_sequences < 1 || b.num_return_sequences > b.num_beams)
        throw UsageError("num-return-sequences: got " + std::to_string(b.num_return_sequences) +
                         ", expected 1 to " + std::to_string(b.num_beams) +
                         ", the number of beams; raise --num-beams for more");
    if (r.stop.max_new_tokens < 1)
        throw UsageError("max-new-tokens: got " + std::to_string(r.stop.max_new_tokens) +
                         ", expected 1 or more: a search needs something to search");
    if (!r.stop.strings.strings().empty() && !r.bytes)
        throw Error("beam search: stop strings need the bytes of the tokens");
    if (prompt_length == 0)
        throw Error("beam search: an empty prompt; start from the document separator");
    if (r.stop.context < 1 || prompt_length >= index(r.stop.context))
        throw Error("beam search: the prompt has " + std::to_string(prompt_length) +
                    " tokens and the context " + std::to_string(r.stop.context) +
                    ", so there is no room for a new one; shorten the prompt");
}

BeamProcessor processor_of(Chain chain, std::size_t prompt_length) {
    if (chain.steps().empty()) return {};
    const auto scratch = std::make_shared<Candidates>();
    const auto changed = std::make_shared<std::vector<float>>();
    return [chain = std::move(chain), prompt_length, scratch, changed](std::span<float> log_probs,
                                                                       std::span<const int> ids) {
        Candidates& c = *scratch;
        c.reset(log_probs);
        chain.apply(c, {ids, prompt_length});
        changed->assign(log_probs.size(), banned);
        for (std::size_t i = 0; i < c.size(); ++i) {
            const double value = static_cast<double>(c.logits()[i]) / c.temperature();
            (*changed)[index(c.id(i))] = static_cast<float>(value);
        }
        std::copy(changed->begin(), changed->end(), log_probs.begin());
    };
}

}  // namespace tbt
