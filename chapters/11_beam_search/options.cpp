#include "chapters/11_beam_search/options.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "lib/machine/memory.hpp"

namespace tbt {

namespace {

// A search takes the best; what only matters for a draw must not be given in vain.
void check_draws(const BeamSettings& s) {
    const GenerateOptions& o = s.generate;
    if (o.greedy) throw UsageError("--greedy: in beam search that is --num-beams 1");
    if (o.context == "slide")
        throw UsageError(
            "--context slide: the beams share one context and cannot forget its beginning; leave "
            "it out");
    if (s.diversity_penalty && s.groups == 1)
        throw UsageError(
            "--diversity-penalty: there is only one group of beams; add --num-beam-groups 2, say");
    if (o.do_sample) return;
    const auto refuse = [](bool given, const char* name) {
        if (given)
            throw UsageError(
                std::string(name) +
                ": beam search takes the best candidates and draws nothing, so "
                "this would change nothing or cut good texts; add --do-sample for beam sampling");
    };
    refuse(o.temperature.has_value(), "--temperature"), refuse(o.top_k.has_value(), "--top-k");
    refuse(o.top_p.has_value(), "--top-p"), refuse(o.min_p.has_value(), "--min-p");
    refuse(o.typical_p.has_value(), "--typical-p"),
        refuse(o.epsilon_cutoff.has_value(), "--epsilon-cutoff");
    refuse(o.eta_cutoff.has_value(), "--eta-cutoff"), refuse(o.preset.has_value(), "--preset");
    refuse(o.seed.has_value(), "--seed");
}

// Keys and values of all beams, before the system finds out in the middle of a search.
// Every beam may come to own all the blocks behind the prompt.
void check_memory(const Model& model, const BeamRequest& r) {
    const std::int64_t tokens =
        std::min(r.stop.max_new_tokens, r.stop.context) + KvCache::block_tokens;
    const std::int64_t bytes =
        r.beams.num_beams * tokens * KvCache::bytes_per_token(model.config());
    const std::int64_t available = available_memory();
    if (available == 0 || bytes <= available) return;
    throw Error("--num-beams " + std::to_string(r.beams.num_beams) + ": the beams need up to " +
                std::to_string(bytes >> 20) + " MB, and " + std::to_string(available >> 20) +
                " MB are free; take fewer, or fewer new tokens");
}

}  // namespace

void add_beam_options(CLI::App& app, BeamSettings& s) {
    const auto option = [&](const char* name, auto& value, const char* help) {
        return app.add_option(name, value, help)->group("Beam search")->capture_default_str();
    };
    option("--num-beams", s.beams.num_beams,
           "hypotheses that live at a time; 1 is greedy decoding");
    option("--length-penalty", s.beams.length_penalty,
           "score = sum / length^this; more favours longer texts");
    option("--early-stopping", s.early_stopping,
           "when num-beams texts are finished: true (stop), false, never");
    option("--num-return-sequences", s.beams.num_return_sequences, "so many texts, the best first");
    option("--num-beam-groups", s.groups,
           "groups of beams that keep out of each other's way; 1: none");
    option("--diversity-penalty", s.diversity_penalty,
           "what a group pays for a token that another has taken (0.5)");
}

BeamRequest beam_request_of(const BeamSettings& s, const Model& model, std::size_t prompt_length,
                            int default_max_new_tokens) {
    check_draws(s);
    GenerateOptions o = s.generate;
    if (!o.do_sample) {
        // No cuts, whatever the dialect has by default.
        o.temperature = 1, o.top_k = 0, o.top_p = 1, o.min_p = 0, o.typical_p = 1;
        o.epsilon_cutoff = 0, o.eta_cutoff = 0;
    }
    const GenerateRequest base = request_of(o, model, default_max_new_tokens);
    BeamRequest r;
    r.beams = s.beams;
    r.beams.early_stopping = early_stopping_named(s.early_stopping);
    r.stop = base.stop;
    r.bytes = token_bytes_of(model.tokenizer);
    r.processor = processor_of(base.chain, prompt_length);
    if (o.do_sample) r.seed = base.seed;
    check_beams(r, prompt_length);
    check_memory(model, r);
    return r;
}

}  // namespace tbt
