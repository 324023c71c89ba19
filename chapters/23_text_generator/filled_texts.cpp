#include "chapters/23_text_generator/filled_texts.hpp"

#include <utility>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/09_stopping/text_stream.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/22_diffusion/filled_trace.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr int usual_gap = 12;

std::string directory_of(const TextOptions& o) {
    return o.model == GenerateOptions().model ? shipped_model("diffusion").string() : o.model;
}

// The steps of chapters 03 to 06 only: they use one distribution and no earlier text.
Chain chain_of(const TextOptions& o) {
    TextOptions drawn = o;
    if (o.strategy == Strategy::greedy) drawn.greedy = true;
    const SamplingOptions sampling = sampling_of(drawn);
    if (o.fill.best_of > 1 && o.fill.order == "confidence" && sampling.temperature == 0)
        throw UsageError(
            "--diffusion-best-of and the most probable token, most probable first: "
            "all fillings are the same; draw (--temperature 0.7), or take "
            "--diffusion-order random");
    const Dialect dialect = dialect_named(o.dialect.value_or("ours"));
    Chain chain = full_chain(sampling, dialect);
    const Chain cuts(truncation_steps(sampling, dialect));
    for (const ChainStep& step : chain.steps())
        if (!cuts.has(step.name) || step.name == "mirostat" || step.name == "xtc")
            throw UsageError(
                "--decoder diffusion and " + step.name +
                ": this step needs the text so far in order, which diffusion does not have; "
                "temperature and the truncations of chapters 04 to 06 work here");
    return chain;
}

void check_filling(const TextOptions& o) {
    const auto refuse = [](bool given, const char* what) {
        if (given)
            throw UsageError(std::string("--decoder diffusion and ") + what +
                             ": that goes from left to right; leave out one of the two");
    };
    refuse(o.num_beams > 1 || o.strategy == Strategy::beam, "a beam search");
    refuse(o.guesses(), "a draft");
    refuse(!o.guide.name().empty() || o.continues_prompt, "a guide");
    refuse(o.guidance_scale != 1 || o.negative_prompt, "guidance");
    refuse(o.contrast_model.has_value(), "--contrast-model");
    refuse(!o.stop_strings.empty(), "--stop-strings");
    refuse(!o.bad_words.empty() || !o.ban_text.empty() || !o.logit_bias.empty() ||
               !o.sequence_bias.empty() || !o.suppress.empty() || !o.begin_suppress.empty(),
           "banned or biased tokens");
    refuse(o.forced_bos || o.forced_eos || o.exponential_decay, "a forced or favoured token");
    refuse(o.watermark.has_value(), "--watermark");
    refuse(o.min_new_tokens.value_or(0) > 0, "--min-new-tokens");
    refuse(o.ignore_eos || !o.stop_token_ids.empty(), "other end-of-text tokens");
    refuse(o.context != "refuse" || o.keep > 0, "a context that slides");
    refuse(o.penalty_scope.has_value(), "--penalty-scope");
    refuse(o.cache != ModelOptions().cache, "--cache");
    check_fill_options(o.fill);
}

}  // namespace

bool fills_masks(const TextOptions& o) {
    if (o.decoder == "autoregressive" && o.infill)
        throw UsageError(
            "--infill and --decoder autoregressive: that decoder cannot see the text after the "
            "gap; take --decoder diffusion, or leave out --decoder");
    if (!o.decoder.empty() && o.decoder != "autoregressive" && o.decoder != "diffusion")
        throw UsageError("--decoder: got '" + o.decoder +
                         "', expected autoregressive or diffusion");
    const bool fills = o.decoder == "diffusion" || o.infill.has_value();
    if (!fills && o.fill != FillOptions())
        throw UsageError(
            "--diffusion-steps, --diffusion-order, --block-length and --diffusion-best-of say how "
            "masks are filled; add --infill TEXT or --decoder diffusion");
    return fills;
}

GenerateRequest filling_request(const TextOptions& o) {
    check_filling(o);
    if (o.samples < 1)
        throw UsageError("num-return-sequences: got " + std::to_string(o.samples) +
                         ", expected 1 or more");
    GenerateRequest r;
    r.chain = chain_of(o);
    r.seed = o.seed.value_or(0), r.first_stream = o.stream, r.samples = o.samples;
    r.stop.max_new_tokens = o.max_new_tokens.value_or(o.infill ? usual_gap : 0);
    return r;
}

TextFiller::TextFiller(const TextOptions& o)
    : directory_(directory_of(o)), model_(MaskedModel::load(directory_, transformer_options(o))) {}

namespace {

// Thrown between two passes to leave the sampler.
struct Interrupted {};

// While it lives, calls a function before each pass of a model.
struct PassGuard {
    PassGuard(MaskedModel& watched, const std::function<bool()>& go_on) : model(watched) {
        if (go_on)
            model.on_pass = [&go_on](const Canvas&) {
                if (!go_on()) throw Interrupted{};
            };
    }
    ~PassGuard() { model.on_pass = {}; }
    PassGuard(const PassGuard&) = delete;
    MaskedModel& model;
};

}  // namespace

GeneratedText TextFiller::text_of(const Hole& hole) const {
    const int eos = model_.tokenizer.eos_id();
    GeneratedText text;
    const StopStrings none;
    TextStream stream(none);
    const TokenBytes bytes = token_bytes_of(model_.tokenizer);
    for (std::size_t at = hole.begin; at < hole.end; ++at) {
        const int id = hole.row[at];
        if (id == mask_token) {
            text.reason = FinishReason::interrupted, stream.push("░");
            continue;
        }
        text.ids.push_back(id);
        if (id == eos) {
            if (text.reason != FinishReason::interrupted) text.reason = FinishReason::eos;
            break;
        }
        stream.push_token(bytes(id));
    }
    stream.finish();
    text.text = stream.text();
    return text;
}

std::vector<GeneratedText> TextFiller::fill(std::string_view prompt, const TextOptions& o,
                                            const std::function<bool()>& go_on) {
    const GenerateRequest request = filling_request(o);
    if (o.max_new_tokens && *o.max_new_tokens < 1)
        throw UsageError("--max-new-tokens: got " + std::to_string(*o.max_new_tokens) +
                         ", expected a gap of 1 or more");
    const std::string suffix = o.infill.value_or("");
    const Hole open = hole_between(model_, prompt, suffix, request.stop.max_new_tokens);
    const int eos = model_.tokenizer.eos_id();
    // If the text goes on after the gap, the end of text is not allowed in it.
    const std::vector<int> never = suffix.empty() ? std::vector<int>{} : std::vector{eos};
    const MaskedDistribution distribution = distribution_after(model_, request.chain, never);
    // An empty chain: the confidence is that of the model's own distribution.
    const Chain nothing;
    const MaskedDistribution sure = distribution_after(model_, nothing, never);
    const PassGuard guard(model_, go_on);
    std::vector<GeneratedText> texts;
    for (int i = 0; i < o.samples; ++i) {
        Hole hole = open;
        Rng rng(request.seed, request.first_stream + index(i));
        std::vector<Canvas> rows;
        std::vector<std::vector<Canvas>> tries;
        const auto begins = [&] { tries.push_back(std::exchange(rows, {})); };
        std::size_t kept = 0;
        bool whole = true;
        try {
            kept = tbt::fill(hole, o.record ? noting(distribution, rows) : distribution,
                             drawing(rng), o.fill, sure, begins);
        } catch (const Interrupted&) {
            whole = false;
        }
        tries.push_back(std::move(rows));
        rows = std::move(tries[kept + 1]);  // the first is what stood before all
        rows.push_back(hole.row);
        GeneratedText text = text_of(hole);
        if (!whole) text.reason = FinishReason::interrupted;
        if (o.record && whole)
            recording_.tokens.push_back(replay_filling(model_, request.chain, never, rows,
                                                       hole.begin, hole.begin + text.ids.size()));
        texts.push_back(std::move(text));
    }
    return texts;
}

}  // namespace tbt
