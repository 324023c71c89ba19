#include "chapters/10_generate/recording/recorded_token.hpp"

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

namespace tbt {

namespace {

constexpr std::size_t rows_at_once = 64;
constexpr std::size_t small_wheel = 24;      // up to this many candidates, all slices are shown
constexpr double smallest_slice = 1.0 / 80;  // of more candidates, slices from this width on

std::vector<RecordedToken::Slice> wheel_of(Candidates& c, int chosen) {
    std::vector<RecordedToken::Slice> wheel;
    const auto total = static_cast<double>(c.total_weight());
    double from = 0;
    for (std::size_t i = 0; i < c.size(); ++i) {
        const double share = static_cast<double>(c.weights()[i]) / total;
        const bool large = share > 0 && (c.size() <= small_wheel || share >= smallest_slice);
        if (large || c.id(i) == chosen) wheel.push_back({c.id(i), from, from + share});
        from += share;
    }
    return wheel;
}

}  // namespace

RecordedToken recorded_choice(const Chain& chain, std::span<const float> logits,
                              const TextSoFar& text, double u, int chosen) {
    RecordedToken token;
    Trace& t = token.trace;
    t = trace(chain, logits, text, u, chosen, RecordedToken::first_choices);
    const auto drawn = [&](const TracedToken& x) { return x.id == chosen; };
    Candidates c(logits);
    if (std::none_of(t.top.begin(), t.top.end(), drawn))
        t.top.push_back({chosen, c.probability(index(chosen)), 0, -1});
    token.after.resize(t.top.size());
    for (const ChainStep& step : chain.steps()) {
        step.apply(c, text);
        for (std::size_t i = 0; i < t.top.size(); ++i)
            token.after[i].push_back(probability_of(c, t.top[i].id));
    }
    TracedToken& own = *std::find_if(t.top.begin(), t.top.end(), drawn);
    own.final_probability = probability_of(c, chosen);
    token.wheel = wheel_of(c, chosen);
    return token;
}

BatchLogits watched(CachedBatch& batch, std::vector<RecordedPass>& passes) {
    return [&batch, &passes](std::span<const BatchText> texts) {
        const long before = batch.computed();
        std::vector<std::span<const float>> rows = batch(texts);
        passes.push_back({{}, batch.computed() - before});
        for (const BatchText& text : texts)
            passes.back().texts.push_back({text.slot, text.ids.size(), text.rows});
        return rows;
    };
}

ReplayedText replayed_text(const GenerateRequest& request, std::span<const int> prompt,
                           std::span<const int> text, bool drawn, std::size_t sample) {
    ReplayedText all{0, {prompt.begin(), prompt.end()}, prompt.size()};
    all.ids.insert(all.ids.end(), text.begin(), text.end());
    Rng random(request.seed, request.first_stream + sample);
    for (std::size_t i = 0; drawn && i < text.size(); ++i) all.u.push_back(random.uniform());
    return all;
}

void read_again(const BatchLogits& model, const GenerateRequest& request, const ReplayedText& text,
                const std::function<void(std::size_t, std::span<const float>)>& use) {
    const StopRules& stop = request.stop;
    const bool slides = stop.policy == ContextPolicy::slide;
    Window window(stop.context, request.keep > 0 ? request.keep : default_keep(stop.context));
    for (std::size_t step = 0; step < text.length();) {
        const std::size_t rows = slides ? 1 : std::min(rows_at_once, text.length() - step);
        std::span<const int> ids = std::span(text.ids).first(text.prompt_length + step + rows - 1);
        if (slides) ids = window.view(ids);
        const BatchText asked{text.slot, ids, rows};
        for (const std::span<const float> row : model({&asked, 1})) use(step++, row);
    }
}

std::vector<RecordedToken> replay(const BatchLogits& model, const GenerateRequest& request,
                                  ReplayedText text) {
    std::vector<RecordedToken> tokens;
    const Surprise surprise = request.chain.surprise();
    const bool drawn = !text.u.empty();
    read_again(model, request, text, [&](std::size_t step, std::span<const float> logits) {
        tokens.push_back(recorded_choice(request.chain, logits, text.before(step),
                                         drawn ? text.u[step] : 0,
                                         text.ids[text.prompt_length + step]));
        tokens.back().has_u = drawn;
        if (surprise != Surprise::none)
            text.log_probabilities.push_back(tokens.back().trace.log_probability(surprise));
    });
    return tokens;
}

}  // namespace tbt
