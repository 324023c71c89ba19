#include "chapters/23_text_generator/recording.hpp"

#include <algorithm>
#include <span>

#include "chapters/12_speculative/coupled_rounds.hpp"
#include "chapters/12_speculative/outcomes.hpp"
#include "chapters/13_json_grammar/guide_state.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

// The probabilities that the draft gave to its guesses after a text.
std::vector<double> guess_distributions(const Generation& g, std::size_t slot,
                                        const ReplayedText& text, const RecordedRound& r) {
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

// Judges a round that was coupled by seed, as far as the target was asked.
void judge(const Generation& g, const ReplayedText& text, const std::vector<RecordedToken>& tokens,
           const std::vector<double>& guessed_p, RecordedRound& r) {
    const std::vector<double> q = guess_distributions(g, r.text, text, r);
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

// The attention weights of the row after `known` tokens. If the context slides, there is only one
// row.
std::vector<float> looked_at(const AttentionWatch& watch, std::size_t known) {
    const std::vector<std::vector<float>>& rows = watch.rows;
    if (rows.empty()) return {};
    const std::size_t last = rows.back().size(), later = last > known ? last - known : 0;
    return later < rows.size() ? rows[rows.size() - 1 - later] : std::vector<float>();
}

void replay_text(const Generation& g, std::size_t number, const ReplayedText& all,
                 Recording& recording) {
    ReplayedText text = all;
    std::vector<RecordedToken>& tokens = recording.tokens[number];
    const std::size_t length = text.length();
    std::vector<int> guesses(length, -1);
    for (const RecordedRound& r : recording.rounds) {
        if (r.text != number || !recording.has_u) continue;
        for (std::size_t j = 0; j < r.round.drafted.size() && r.step + j < length; ++j) {
            guesses[r.step + j] = r.round.drafted[j];
            if (guesses[r.step + j] != text.ids[text.prompt_length + r.step + j]) break;
        }
    }
    std::vector<double> guessed_p(length, 0);
    const Surprise surprise = g.request.chain.surprise();
    Candidates c;
    const std::string& grammar = g.options.guide.grammar;
    const StateWords words =
        grammar.empty() ? StateWords() : words_of_gbnf(grammar_text(grammar).text, "--grammar");
    read_again(g.model, g.request, text, [&](std::size_t step, std::span<const float> logits) {
        const TextSoFar before = text.before(step);
        const int chosen = text.ids[text.prompt_length + step];
        tokens.push_back(recorded_choice(g.request.chain, logits, before,
                                         text.u.empty() ? 0 : text.u[step], chosen));
        tokens.back().has_u = recording.has_u;
        if (g.watch) tokens.back().attention = looked_at(*g.watch, before.ids.size());
        if (g.guide) tokens.back().guide = guide_state(g.guide->follow(before), logits, words);
        if (guesses[step] >= 0) {
            c.reset(logits);
            g.request.chain.apply(c, before);
            guessed_p[step] = probability_of(c, guesses[step]);
        }
        const bool known = !(g.guide && tokens.back().guide->allowed == 1);
        if (surprise != Surprise::none)
            text.log_probabilities.push_back(known ? tokens.back().trace.log_probability(surprise)
                                                   : not_known);
    });
    for (RecordedRound& r : recording.rounds)
        if (r.text == number && recording.has_u) judge(g, text, tokens, guessed_p, r);
}

}  // namespace

void record_guesses(GenerateRequest& request, Recording& recording) {
    auto guess = request.foresight.guess;
    request.foresight.guess = [guess, &recording](std::size_t i, const TextSoFar& text,
                                                  const Rng& random, int room) {
        Guesses guesses = guess(i, text, random, room);
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
        ReplayedText text =
            replayed_text(g.request, g.prompts[prompt], texts[i].ids, recording.has_u, i % samples);
        text.slot = searched ? prompt * g.slots : i;
        for (RecordedRound& r : recording.rounds)
            if (r.text == i && !r.guesses.parents.empty())
                r.round.drafted = chain_of(
                    r.guesses,
                    std::span(texts[i].ids).subspan(std::min(r.step, texts[i].ids.size())));
        replay_text(g, i, text, recording);
    }
}

}  // namespace tbt
