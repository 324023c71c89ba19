#include "chapters/23_text_generator/combinations.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

namespace {

[[noreturn]] void refuse(const std::string& what) { throw UsageError(what); }

bool searches(const TextOptions& o) { return strategy_of(o) == Strategy::beam; }

void check_strategy(const TextOptions& o) {
    if (o.strategy == Strategy::greedy && o.num_beams > 1)
        refuse("--strategy greedy and --num-beams " + std::to_string(o.num_beams) +
               ": greedy decoding follows one text; leave out one of the two");
    if (o.strategy == Strategy::sample && o.num_beams > 1)
        refuse("--strategy sample and --num-beams " + std::to_string(o.num_beams) +
               ": drawn beams are --num-beams with --do-sample; leave out --strategy");
    if (o.strategy == Strategy::greedy && o.do_sample)
        refuse(
            "--strategy greedy and --do-sample contradict each other: take the most probable "
            "token, or draw one?");
    if (o.strategy == Strategy::sample && (o.greedy || o.temperature.value_or(1) == 0))
        refuse(std::string("--strategy sample and ") + (o.greedy ? "--greedy" : "--temperature 0") +
               " contradict each other: draw, or take the most probable token?");
}

// Refuses options for a beam search if there is none.
void check_no_search(const TextOptions& o) {
    const BeamSettings usual;
    const auto alone = [](bool given, const char* name) {
        if (given)
            refuse(std::string(name) +
                   ": it has no effect without beam search; add --num-beams 4, say");
    };
    alone(o.num_beam_groups > 1, "--num-beam-groups");
    alone(o.diversity_penalty.has_value(), "--diversity-penalty");
    alone(o.length_penalty != usual.length_penalty, "--length-penalty");
    alone(o.early_stopping != usual.early_stopping, "--early-stopping");
    alone(o.renormalize, "--renormalize-logits");
    if (o.num_beams < 1)
        refuse("num-beams: got " + std::to_string(o.num_beams) +
               ", expected 1 or more; 1 is no search, 4 is usual");
}

// Refuses what rejection sampling (chapter 12) cannot do: it does not keep the log-probabilities
// that mirostat needs, for example.
void check_rejection(const TextOptions& o) {
    if (!o.guesses() || o.coupling != "rejection") return;
    if (o.mirostat.value_or(0) != 0)
        refuse(
            "--mirostat and --coupling rejection: mirostat needs the probability of each drawn "
            "token, which a rejection does not give; take --coupling seed");
    if (o.context == "slide")
        refuse(
            "--context slide and --coupling rejection: a draft is verified at the positions it was "
            "written for; take --coupling seed");
}

void check_guidance(const TextOptions& o) {
    if (!std::isfinite(o.guidance_scale) || o.guidance_scale < 0)
        refuse("guidance-scale: got " + short_number(o.guidance_scale) +
               ", expected 0 or more; 1 is no guidance, 1.5 is usual");
    if (o.guidance_scale == 1 && o.negative_prompt)
        refuse(
            "--negative-prompt: it has no effect without guidance; add --guidance-scale 1.5, say");
    if (o.guidance_scale != 1 && o.context == "slide")
        refuse(
            "--guidance-scale and --context slide: the two prompts would be forgotten at "
            "different times; leave out one of the two");
    check_contrast(o.contrast);
    const Contrast usual;
    if (!o.contrast_model &&
        (o.contrast.strength != usual.strength || o.contrast.plausible != usual.plausible))
        refuse(
            "--contrast-strength and --contrast-plausible: they have no effect without a second "
            "model; add --contrast-model sketch, say");
}

// "17=-inf", "17,5=-infinity": a bias that bans.
bool bans(const std::string& bias) {
    return bias.find("=-inf") != std::string::npos || bias.find("=-INF") != std::string::npos;
}

// A guide may leave few tokens, and a text must never end half-way. Steps that only discourage a
// token are undone there (guided_chain). Options that promise "never" or "this token" are refused.
void check_guide(const TextOptions& o) {
    o.guide.check();
    if (o.guide.name().empty()) {
        if (o.continues_prompt)
            refuse(
                "--continue: it has no effect without a constraint; add --json-schema FILE, say");
        return;
    }
    const auto promises = [&](bool given, const char* name) {
        if (given)
            refuse(std::string(name) + " and " + o.guide.name() +
                   ": a constraint may leave no other token; exclude the text in the constraint "
                   "itself");
    };
    const auto any_bans = [](const std::vector<std::string>& list) {
        return std::any_of(list.begin(), list.end(), bans);
    };
    promises(!o.ban_text.empty(), "--ban-text");
    promises(!o.bad_words.empty() || !o.bad_words_ids.empty(), "--bad-words");
    promises(!o.suppress.empty(), "--suppress-tokens");
    promises(!o.begin_suppress.empty(), "--begin-suppress-tokens");
    promises(any_bans(o.logit_bias), "--logit-bias with -inf");
    promises(any_bans(o.sequence_bias), "--sequence-bias with -inf");
    if (o.forced_bos || o.forced_eos)
        refuse(std::string(o.forced_bos ? "--forced-bos-token-id" : "--forced-eos-token-id") +
               " and " + o.guide.name() +
               ": a constraint decides which tokens are allowed there; leave out one of the two");
}

}  // namespace

Strategy strategy_of(const TextOptions& o) {
    if (o.strategy != Strategy::by_options) return o.strategy;
    if (o.num_beams > 1) return Strategy::beam;
    return o.greedy || o.temperature.value_or(1) == 0 ? Strategy::greedy : Strategy::sample;
}

void check_combination(const TextOptions& o, std::size_t prompts) {
    if (prompts == 0) refuse("prompts: got none, expected at least one");
    check_strategy(o);
    check_drafts(o, o.medusa);
    check_medusa(o);
    if (o.medusa && o.drafts())
        refuse("--medusa and " + std::string(o.lookup() ? "prompt lookup" : "--assistant-model") +
               ": both draft tokens; choose one");
    if (o.medusa && o.coupling == "rejection" && o.schedule == "adaptive")
        refuse(
            "--medusa, --coupling rejection and an adaptive schedule: the clock would choose the "
            "text; take --coupling seed");
    check_rejection(o);
    check_guidance(o);
    check_guide(o);
    if (!searches(o)) return check_no_search(o);
    if (o.medusa)
        refuse(
            "--num-beams and --medusa: heads guess how one text goes on, and a search compares "
            "several; leave out one of the two");
    if (o.drafts())
        refuse("--num-beams and " +
               std::string(o.lookup() ? "prompt lookup" : "--assistant-model") +
               ": a draft guesses how one text goes on, and a search compares several; leave out "
               "one of the two");
}

AttentionWatch watch_of(const TextOptions& o) {
    AttentionWatch watch;
    const std::string& name = o.attention;
    if (name.empty()) return watch;
    const char* const end = name.data() + name.size();
    const auto [dot, wrong] = std::from_chars(name.data(), end, watch.layer);
    const bool parted = wrong == std::errc() && dot != end && *dot == '.';
    const auto [rest, worse] = parted ? std::from_chars(dot + 1, end, watch.head)
                                      : std::from_chars_result{name.data(), std::errc()};
    if (!parted || worse != std::errc() || rest != end || watch.layer < 0 || watch.head < 0)
        refuse("--attention: got '" + name +
               "', expected a layer and a head, both counted from 0: 2.5 is head 5 of layer 2");
    if (o.guidance_scale != 1)
        refuse(
            "--attention and --guidance-scale: the model reads two texts for each token; leave out "
            "one of the two");
    return watch;
}

void check_replay(const TextOptions& o, bool explain) {
    if (!explain) return;
    if (searches(o))
        refuse(
            "--explain and --num-beams: nothing is drawn that could be replayed; --html and "
            "--trace show the search, and --logprobs works here too");
    if (o.guesses() && o.coupling == "rejection")
        refuse(
            "--explain and --coupling rejection: a correction is not drawn from the chain; --html "
            "and --trace show the judgements, or take --coupling seed");
}

}  // namespace tbt
