#include "chapters/23_text_generator/recording.hpp"

#include <algorithm>
#include <memory>
#include <span>

#include "chapters/12_speculative/coupled_rounds.hpp"
#include "chapters/12_speculative/outcomes.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

constexpr std::size_t rows_at_once = 64;
constexpr std::size_t small_wheel = 24;      // candidates that are all shown
constexpr double smallest_slice = 1.0 / 80;  // of a larger one

// A text with all that a choice in it depends on.
struct Replayed {
    std::size_t slot = 0;
    std::vector<int> ids;  // prompt and text
    std::size_t prompt_length = 0;
    std::vector<double> log_probabilities;  // in the model's own law, for mirostat
    std::vector<double> u;                  // empty: none belongs to a token
    TextSoFar before(std::size_t step) const {
        return {std::span(ids).first(prompt_length + step), prompt_length, log_probabilities};
    }
};

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

GuideState guide_state(GuidedTexts& guide, const TextSoFar& text) {
    TokenConstraint& constraint = guide.follow(text);
    GuideState state{constraint.mask().count(), constraint.complete(), 0, {}};
    ByteMachine& machine = constraint.language().machine();
    const ByteMachine::State here = constraint.state();
    state.closing_bytes = machine.closing_bytes(here);
    for (int byte = 0; byte < 256; ++byte) {
        if (machine.next(here, static_cast<unsigned char>(byte)) == ByteMachine::dead) continue;
        if (!state.bytes.empty() && state.bytes.back().second == byte - 1)
            ++state.bytes.back().second;
        else state.bytes.emplace_back(byte, byte);
    }
    return state;
}

// Calls use(step, logits) for each token of a text. Where the context slides, the model reads
// what it read then, a token at a time.
template <class Use>
void read_again(const Generation& g, const Replayed& text, Use&& use) {
    const std::size_t length = text.ids.size() - text.prompt_length;
    const StopRules& stop = g.request.stop;
    const bool slides = stop.policy == ContextPolicy::slide;
    Window window(stop.context, g.request.keep > 0 ? g.request.keep : default_keep(stop.context));
    for (std::size_t step = 0; step < length;) {
        const std::size_t rows = slides ? 1 : std::min(rows_at_once, length - step);
        std::span<const int> ids = std::span(text.ids).first(text.prompt_length + step + rows - 1);
        if (slides) ids = window.view(ids);
        const BatchText asked{text.slot, ids, rows};
        for (const std::span<const float> row : g.model({&asked, 1})) use(step++, row);
    }
}

// The draft's own laws of what it guessed, behind a text.
std::vector<double> guess_laws(const Generation& g, std::size_t slot, const Replayed& text,
                               const RecordedRound& r) {
    const std::vector<int>& guesses = r.round.drafted;
    if (!g.assistant) return std::vector<double>(guesses.size(), 1.0);
    std::vector<int> ids(text.ids.begin(), text.ids.begin() + static_cast<std::ptrdiff_t>(
                                                                  text.prompt_length + r.step));
    ids.insert(ids.end(), guesses.begin(), guesses.end() - 1);
    const std::size_t before = ids.size() + 1 - guesses.size();
    const BatchText asked{slot, ids, guesses.size()};
    std::vector<double> q;
    Candidates c;
    for (const std::span<const float> row : g.assistant({&asked, 1})) {
        c.reset(row);
        for (const ChainStep& step : g.request.chain.steps())
            if (step.name != "mirostat")
                step.apply(c, {std::span(ids).first(before + q.size()), text.prompt_length});
        q.push_back(probability_of(c, guesses[q.size()]));
    }
    return q;
}

// A round coupled by seed, judged: as far as the target was asked.
void judge(const Generation& g, const Replayed& text, const std::vector<RecordedToken>& tokens,
           const std::vector<double>& guessed_p, RecordedRound& r) {
    const std::vector<double> q = guess_laws(g, r.text, text, r);
    const std::size_t written = text.ids.size() - text.prompt_length;
    for (std::size_t j = 0; j < r.round.drafted.size() && r.step + j < written; ++j) {
        const int drawn = text.ids[text.prompt_length + r.step + j], guess = r.round.drafted[j];
        r.round.judged.push_back(
            {guess, guessed_p[r.step + j], q[j], tokens[r.step + j].trace.u, guess == drawn});
        r.round.tokens.push_back(drawn);
        if (guess != drawn) return;
    }
    const std::size_t next = r.step + r.round.drafted.size();
    if (r.round.judged.size() < r.round.drafted.size() || next >= written) return;
    r.round.bonus = true;
    r.round.tokens.push_back(text.ids[text.prompt_length + next]);
}

void replay_text(const Generation& g, std::size_t number, const Replayed& all,
                 Recording& recording) {
    Replayed text = all;
    std::vector<RecordedToken>& tokens = recording.tokens[number];
    const std::size_t length = text.ids.size() - text.prompt_length;
    std::vector<int> guesses(length, -1);
    for (const RecordedRound& r : recording.rounds) {
        if (r.text != number || !recording.has_u) continue;
        for (std::size_t j = 0; j < r.round.drafted.size() && r.step + j < length; ++j) {
            guesses[r.step + j] = r.round.drafted[j];
            if (guesses[r.step + j] != text.ids[text.prompt_length + r.step + j]) break;
        }
    }
    std::vector<double> guessed_p(length, 0);
    const bool steered = g.request.chain.has("mirostat");
    Candidates c;
    read_again(g, text, [&](std::size_t step, std::span<const float> logits) {
        const TextSoFar before = text.before(step);
        const int chosen = text.ids[text.prompt_length + step];
        tokens.push_back(recorded_choice(g.request.chain, logits, before,
                                         text.u.empty() ? 0 : text.u[step], chosen));
        if (g.guide) tokens.back().guide = guide_state(*g.guide, before);
        if (guesses[step] >= 0) {
            c.reset(logits);
            g.request.chain.apply(c, before);
            guessed_p[step] = probability_of(c, guesses[step]);
        }
        const bool known = !(g.guide && tokens.back().guide->allowed == 1);
        if (steered)
            text.log_probabilities.push_back(known ? tokens.back().trace.raw_log_probability
                                                   : not_known);
    });
    for (RecordedRound& r : recording.rounds)
        if (r.text == number && recording.has_u) judge(g, text, tokens, guessed_p, r);
}

}  // namespace

RecordedToken recorded_choice(const Chain& chain, std::span<const float> logits,
                              const TextSoFar& text, double u, int chosen) {
    RecordedToken token;
    Trace& t = token.trace;
    t = trace(chain, logits, text, u, chosen, Recording::first_choices);
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

void record_guesses(GenerateRequest& request, Recording& recording) {
    auto guess = request.foresight.guess;
    request.foresight.guess = [guess, &recording](std::size_t i, const TextSoFar& text,
                                                  const Rng& luck, int room) {
        Guesses guesses = guess(i, text, luck, room);
        if (!guesses.empty()) {
            recording.rounds.push_back({i, text.generated().size(), {}, guesses});
            recording.rounds.back().round.drafted = guesses.ids;
        }
        return guesses;
    };
}

void replay(const Generation& g, const std::vector<GeneratedText>& texts, Recording& recording) {
    const bool searched = strategy_of(g.options) == Strategy::beam;
    const bool rejects = g.options.guesses() && g.options.coupling == "rejection";
    const auto samples = index(g.request.samples);
    recording.has_u = !searched && !rejects;
    recording.tokens.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t prompt = i / samples;
        Replayed text{
            searched ? prompt * g.slots : i, g.prompts[prompt], g.prompts[prompt].size(), {}, {}};
        text.ids.insert(text.ids.end(), texts[i].ids.begin(), texts[i].ids.end());
        Rng luck(g.request.seed, g.request.first_stream + i % samples);
        for (std::size_t k = 0; recording.has_u && k < texts[i].ids.size(); ++k)
            text.u.push_back(luck.uniform());
        for (RecordedRound& r : recording.rounds)
            if (r.text == i && !r.guesses.parents.empty())
                r.round.drafted = chain_of(
                    r.guesses,
                    std::span(texts[i].ids).subspan(std::min(r.step, texts[i].ids.size())));
        replay_text(g, i, text, recording);
    }
}

}  // namespace tbt
