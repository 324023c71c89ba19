#include "chapters/11_beam_search/options.hpp"

#include <algorithm>
#include <utility>

#include "chapters/10_generate/options.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/memory.hpp"

namespace tbt {

namespace {

void check_draws(const GenerateOptions& o, const BeamSettings& s) {
    if (o.greedy) throw UsageError("--greedy: in beam search that is --num-beams 1");
    if (o.context == "slide")
        throw UsageError(
            "--context slide: the beams share one context and cannot forget its beginning; leave "
            "it out");
    if (o.mirostat.value_or(0) != 0)
        throw UsageError(
            "--mirostat: it steers the surprise of one text, and beams weigh many against each "
            "other; leave it out");
    if (o.do_sample && s.num_beams == 1)
        throw UsageError(
            "--do-sample and --num-beams 1: one beam that draws is plain sampling, without a "
            "search; take two beams or more, or leave out beam search");
    if (o.do_sample) return;
    // The others are only without effect, but a watermark would be missing, and a preset says how
    // to draw.
    for (const auto& [given, name] :
         {std::pair{o.watermark.has_value(), "--watermark"}, {o.preset.has_value(), "--preset"}})
        if (given)
            throw UsageError(std::string(name) +
                             ": beam search takes the best candidates and draws nothing; leave it "
                             "out, or add --do-sample for beam sampling");
}

// Keys and values of all beams, before the system finds out in the middle of a search.
// Every beam may come to own all the blocks after the prompt.
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

void add_beam_options(OptionTable& app, BeamSettings& s) {
    CommandLine line(app, "Beam search");
    line.option("--num-beams", s.num_beams, "hypotheses kept at each step; 1: no search")
        .shows_default();
    line.option("--length-penalty", s.length_penalty,
                "score = sum / length^this; more favours longer texts")
        .shows_default();
    line.option("--early-stopping", s.early_stopping,
                "when num-beams texts are finished: true (stop), false, never")
        .suggests({"true", "false", "never"})
        .shows_default();
    line.option("--num-beam-groups", s.num_beam_groups,
                "beam groups that are penalised for choosing the same tokens; 1: none")
        .shows_default();
    line.option("--diversity-penalty", s.diversity_penalty,
                "penalty for a token that an earlier group has chosen (default 0.5)");
}

std::vector<std::string> without_effect(const GenerateOptions& o, const BeamSettings& s) {
    GenerateOptions several = o;
    several.samples = 1;  // the texts of a search differ
    std::vector<std::string> notes = without_effect(several);
    if (s.diversity_penalty && s.num_beam_groups == 1)
        notes.emplace_back("--diversity-penalty has no effect without --num-beam-groups");
    if (o.do_sample) return notes;
    std::vector<std::string> names = given_truncations(o);
    // Those that check_draws() refuses.
    std::erase_if(names, [](const std::string& name) {
        return name == "--watermark" || name == "--preset" || name == "--mirostat";
    });
    if (o.temperature && *o.temperature != 1 && *o.temperature != 0)
        names.insert(names.begin(), "--temperature");
    for (const std::string& name : names)
        notes.push_back(name + " has no effect on beams without --do-sample: the best are taken");
    return notes;
}

std::vector<std::string> fewer_texts(std::size_t found, int asked) {
    if (found >= index(asked)) return {};
    return {"the search found " + std::to_string(found) + " of " + std::to_string(asked) +
            " texts: its beams had no other way to go on"};
}

BeamRequest beam_request_of(const GenerateOptions& options, const BeamSettings& s,
                            const Model& model, std::size_t prompt_length,
                            int default_max_new_tokens) {
    check_draws(options, s);
    GenerateOptions o = options;
    if (!o.do_sample) {
        // No cuts, whatever the dialect has by default.
        o.temperature = 1;
        each_truncation(
            o, [](const char*, auto& given, auto field) { given = SamplingOptions{}.*field; });
    }
    // What beams draw from must be able to go on where a text ends: transformers keeps one token
    // more than there are ends.
    const bool theirs = dialect_named(o.dialect.value_or("ours")) == Dialect::transformers;
    if (o.do_sample && theirs && !o.min_tokens_to_keep)
        o.min_tokens_to_keep = std::max(2, count(model.config().eos_token_ids) + 1);
    o.samples = 1;
    const GenerateRequest base = request_of(o, model, default_max_new_tokens);
    BeamRequest r;
    r.beams = {s.num_beams, s.length_penalty, early_stopping_named(s.early_stopping),
               options.samples};
    r.beams.ends_speak = o.dialect == "transformers-4";
    if (theirs && !base.stop.eos.empty()) r.beams.finished_groups_write = base.stop.eos[0];
    r.stop = base.stop;
    r.bytes = token_bytes_of(model.tokenizer);
    r.chain = base.chain;
    r.processor = processor_of(base.chain, prompt_length);
    if (o.do_sample) r.seed = base.seed;
    check_beams(r, prompt_length);
    check_groups(r, s.num_beam_groups, s.price());
    check_memory(model, r);
    return r;
}

}  // namespace tbt
