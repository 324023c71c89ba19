#include "chapters/12_speculative/options.hpp"

#include "chapters/12_speculative/plain_draft_length.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

DraftLength DraftSettings::length(double guess_cost) const {
    const int most = prompt_lookup_num_tokens.value_or(num_assistant_tokens);
    if (schedule == "constant") return DraftLength::fixed(most);
    // By rejection the text depends on the length, so the length must not depend on the clock.
    return coupling == "seed" ? DraftLength::timed(most) : DraftLength::adaptive(most, guess_cost);
}

void add_draft_options(OptionTable& app, DraftSettings& s) {
    CommandLine line(app, "A draft");
    auto assistant =
        line.option("--assistant-model", s.assistant_model,
                    "the draft: sketch, lookup (n-grams of the text itself), or a model directory");
    if (!s.assistant_model.empty()) assistant.shows_default();
    line.option("--num-assistant-tokens", s.num_assistant_tokens,
                "tokens to draft in each round (adaptive: the maximum)")
        .shows_default();
    line.option("--num-assistant-tokens-schedule", s.schedule, "constant or adaptive")
        .one_of({"constant", "adaptive"})
        .shows_default();
}

void add_coupling_option(OptionTable& app, DraftSettings& s) {
    CommandLine(app, "A draft")
        .option(
            "--coupling", s.coupling,
            "seed: the same text as plain decoding; rejection: the same distribution, another text")
        .one_of({"seed", "rejection"})
        .shows_default();
}

void add_more_draft_options(OptionTable& app, DraftSettings& s) {
    CommandLine line(app, "A draft");
    line.option("--prompt-lookup-num-tokens", s.prompt_lookup_num_tokens,
                "draft this many tokens a round by prompt lookup");
    line.option("--max-matching-ngram-size", s.max_matching_ngram_size,
                "longest n-gram that prompt lookup searches for")
        .shows_default();
    add_coupling_option(app, s);
}

void check_drafts(const DraftSettings& s) {
    check_draft_length(s.num_assistant_tokens);
    if (s.prompt_lookup_num_tokens) {
        if (*s.prompt_lookup_num_tokens < 1)
            throw UsageError("--prompt-lookup-num-tokens: got " +
                             std::to_string(*s.prompt_lookup_num_tokens) +
                             ", expected 1 or more; leave it out to draft nothing");
        if (!s.assistant_model.empty() && s.assistant_model != "lookup")
            throw UsageError(
                "--assistant-model and --prompt-lookup-num-tokens: a draft comes from a model or "
                "from the text itself; choose one");
    }
    if (s.max_matching_ngram_size < 1)
        throw UsageError("--max-matching-ngram-size: got " +
                         std::to_string(s.max_matching_ngram_size) + ", expected 1 or more");
    const DraftSettings usual;
    if (s.prompt_lookup_num_tokens && s.num_assistant_tokens != usual.num_assistant_tokens)
        throw UsageError(
            "--prompt-lookup-num-tokens and --num-assistant-tokens: both set the number of drafted "
            "tokens; leave out one of the two");
}

std::vector<std::string> without_effect(const DraftSettings& s, bool others) {
    const DraftSettings usual;
    std::vector<std::string> notes;
    const auto alone = [&](bool given, const char* name) {
        if (given)
            notes.push_back(std::string(name) +
                            " has no effect: nothing drafts (--assistant-model sketch, say)");
    };
    const bool ngram = s.max_matching_ngram_size != usual.max_matching_ngram_size;
    if (s.drafts()) {
        if (ngram && !s.lookup())
            notes.emplace_back(
                "--max-matching-ngram-size has no effect: a model drafts, not the text itself");
        return notes;
    }
    alone(s.num_assistant_tokens != usual.num_assistant_tokens, "--num-assistant-tokens");
    alone(s.schedule != usual.schedule && !others, "--num-assistant-tokens-schedule");
    alone(ngram, "--max-matching-ngram-size");
    alone(s.coupling != usual.coupling && !others, "--coupling");
    return notes;
}

TransformerOptions draft_options(TransformerOptions target) {
    const WeightType kept = target.weights.value_or(WeightType::f32);
    if (kept != WeightType::int8 && kept != WeightType::int4) target.weights.reset();
    target.processes = nullptr;  // a draft is small, so each process has all of it
    return target;
}

std::unique_ptr<Model> open_assistant(const DraftSettings& s, const Tokenizer& target,
                                      const TransformerOptions& options) {
    if (!s.drafts() || s.lookup()) return nullptr;
    const auto directory = s.assistant_model == "sketch" ? shipped_model("sketch")
                                                         : std::filesystem::path(s.assistant_model);
    auto assistant = std::make_unique<Model>(load_model(directory, options));
    check_same_vocabulary(target, assistant->tokenizer);
    return assistant;
}

}  // namespace tbt
