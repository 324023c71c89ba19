#include "chapters/23_text_generator/generation.hpp"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "chapters/10_generate/options.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/13_json_grammar/guide_state.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "chapters/23_text_generator/guided_texts.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/processes.hpp"

namespace tbt {

namespace {

// Shows a complete text as one piece of the stream.
void show(const Generation& g, std::size_t i, const std::string& text) {
    if (g.observer.on_text && !text.empty()) g.observer.on_text(i, text);
}

// Makes the traces of a text that was not drawn from the chain: one pass over the text, and the
// chain on each row of logits.
void trace_text(const Generation& g, std::size_t prompt, GeneratedText& text) {
    if (g.request.traced_tokens < 0 || text.ids.empty()) return;
    const std::vector<int>& before = g.prompts[prompt];
    std::vector<int> ids = before;
    ids.insert(ids.end(), text.ids.begin(), text.ids.end() - 1);
    const BatchText whole{prompt * g.slots, ids, text.ids.size()};
    const std::vector<std::span<const float>> rows = g.model({&whole, 1});
    for (std::size_t i = 0; i < rows.size(); ++i)
        text.traces.push_back(trace(g.request.chain, rows[i],
                                    {std::span(ids).first(before.size() + i), before.size()}, 0,
                                    text.ids[i], g.request.traced_tokens));
}

std::vector<GeneratedText> search_texts(const Generation& g) {
    const TextOptions& o = g.options;
    std::vector<BeamRequest> requests;
    for (const std::vector<int>& prompt : g.prompts) {
        BeamRequest r =
            beam_request_of(o, o, g.target, prompt.size(), g.request.stop.max_new_tokens);
        r.stop = g.request.stop;
        r.keep_lattice = g.recording != nullptr;
        if (g.guide) {
            r.processor = processor_of(g.request.chain, prompt.size());
            r.forced = g.request.foresight.forced;
        }
        requests.push_back(std::move(r));
    }
    std::vector<DiverseSearch> searches;
    for (std::size_t p = 0; p < requests.size(); ++p)
        searches.emplace_back(requests[p], o.num_beam_groups, o.price(), g.prompts[p]);
    run_searches(g.model, searches, g.slots, g.observer.go_on);
    std::vector<GeneratedText> texts;
    for (std::size_t p = 0; p < searches.size(); ++p) {
        if (g.recording) {
            g.recording->searches.push_back({p, {}});
            for (const BeamSearch& group : searches[p].groups())
                g.recording->searches.back().groups.push_back(group.lattice());
        }
        std::size_t number = p * index(g.request.samples);  // a search may find fewer texts
        for (BeamText& found : searches[p].results()) {
            texts.push_back(generated_text(std::move(found)));
            texts.back().prompt = p;
            trace_text(g, p, texts.back());
            show(g, number++, texts.back().text);
        }
    }
    return texts;
}

// Lets a request with a draft record each guess and whether it was right.
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

// Texts that are drawn from the chain. Runs of tokens that the guide knows are read in one pass,
// unless each choice is recorded. guesses: counted if something else guesses, too.
std::vector<GeneratedText> draw_texts(Generation& g, Effort& effort,
                                      const std::shared_ptr<GuessCount>& guesses = nullptr,
                                      AfterRun after_run = AfterRun::draft) {
    if (g.guide && g.options.known_runs && !g.recording && g.request.traced_tokens < 0)
        guess_known_runs(g.request, g.guide, g.target.tokenizer, after_run);
    if (guesses && g.recording) record_guesses(g.request, *g.recording);
    std::vector<GeneratedText> texts = generate_batch(g.model, token_bytes_of(g.target.tokenizer),
                                                      g.prompts, g.request, g.observer);
    if (guesses) effort.guessed = guesses->guessed, effort.right = guesses->right;
    return texts;
}

// Chapter 12's rejection sampling, one text at a time: the texts have the distribution of plain
// decoding but are other texts.
template <class Draft>
std::vector<GeneratedText> judge_drafts(const Generation& g, Effort& effort,
                                        const std::function<Draft(std::size_t)>& draft_for,
                                        const DraftLength& length) {
    std::vector<GeneratedText> texts;
    const auto samples = index(g.request.samples);
    for (std::size_t i = 0; i < g.prompts.size() * samples; ++i) {
        const LastLogits last = [&, rows = std::vector<float>()](std::span<const int> ids,
                                                                 int count) mutable {
            const BatchText text{i, ids, index(count)};
            rows.clear();
            for (const std::span<const float> row : g.model({&text, 1}))
                rows.insert(rows.end(), row.begin(), row.end());
            return Logits{rows, count};
        };
        GenerateRequest request = g.request;
        request.first_stream += i % samples;
        RandomChance chance(Rng(request.seed, request.first_stream));
        Draft draft = draft_for(i);
        SpeculativeText written = speculative_text(
            last, draft, length, request, token_bytes_of(g.target.tokenizer),
            g.prompts[i / samples], chance, Correction::residual, false,
            [&](const std::string& piece) { show(g, i, piece); }, g.observer.go_on);
        std::size_t step = 0;
        for (const Round& round : written.rounds) {
            effort.guessed += static_cast<long>(round.drafted.size());
            effort.right += round.accepted();
            if (g.recording) g.recording->rounds.push_back({i, step, round});
            step += round.tokens.size();
        }
        written.text.prompt = i / samples;
        trace_text(g, written.text.prompt, written.text);
        texts.push_back(std::move(written.text));
    }
    return texts;
}

template <class Draft>
std::vector<GeneratedText> draft_texts(Generation& g, Effort& effort,
                                       std::function<Draft(std::size_t)> draft_for) {
    if (g.options.coupling == "rejection")
        return judge_drafts(g, effort, draft_for, *g.draft_length);
    const auto count = std::make_shared<GuessCount>();
    guess_with<Draft>(g.request, std::move(draft_for), *g.draft_length, count);
    return draw_texts(g, effort, count);
}

// Chapter 21: a tree of guesses in each pass, judged by coupling or by rejection.
std::vector<GeneratedText> texts_with_heads(Generation& g, Effort& effort) {
    const TreeShape& tree = g.tree;
    const auto draft_for = [&](std::size_t i) {
        return HeadsDraft(*g.heads, tree,
                          [&g, i](std::span<const int> ids) { return g.state(i, ids); });
    };
    // Several processes must guess alike, so they cannot go by their clocks.
    const bool adaptive = g.options.schedule == "adaptive" && !default_processes();
    if (g.options.coupling == "rejection") {
        const auto rejected = [&](std::size_t i) {
            const TreeLogits target = [&g, i](std::span<const int> ids, const Guesses& guesses) {
                std::vector<int> all(ids.begin(), ids.end()), parents = {-1};
                all.insert(all.end(), guesses.ids.begin(), guesses.ids.end());
                for (const int parent : guesses.parents) parents.push_back(parent + 1);
                if (guesses.empty()) parents.clear();
                const BatchText text{i, all, guesses.ids.size() + 1, parents};
                return g.model({&text, 1});
            };
            return TreeDraft{draft_for(i), target};
        };
        return judge_drafts<TreeDraft>(g, effort, rejected,
                                       DraftLength::fixed(g.options.medusa_nodes));
    }
    const auto count = std::make_shared<GuessCount>();
    guess_with<HeadsDraft>(g.request, draft_for, tree_size(tree, adaptive), count);
    return draw_texts(g, effort, count, AfterRun::wait);
}

}  // namespace

std::vector<GeneratedText> write_texts(Generation& g, Effort& effort) {
    const TextOptions& o = g.options;
    if (strategy_of(o) == Strategy::beam) return search_texts(g);
    if (o.lookup())
        return draft_texts<PromptLookup>(
            g, effort, [&](std::size_t) { return PromptLookup(o.max_matching_ngram_size); });
    if (g.heads) return texts_with_heads(g, effort);
    if (g.assistant) {
        return draft_texts<ModelDraft>(g, effort, [&](std::size_t i) {
            return ModelDraft(
                [&g, i](std::span<const int> ids) {
                    const BatchText text{i, ids};
                    return g.assistant({&text, 1})[0];
                },
                g.assistant_context);
        });
    }
    return draw_texts(g, effort);
}

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

void replay_text(const Generation& g, std::size_t number, const ReplayedText& text,
                 Recording& recording) {
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
    Candidates c;
    const std::string& grammar = g.options.guide.grammar;
    const StateWords words =
        grammar.empty() ? StateWords() : words_of_gbnf(grammar_text(grammar).text, "--grammar");
    const NoteChoice note = [&](RecordedToken& token, const TextSoFar& before,
                                std::span<const float> logits) {
        const std::size_t step = before.generated().size();
        if (g.watch) token.attention = looked_at(*g.watch, before.ids.size());
        if (g.guide) token.guide = guide_state(g.guide->follow(before), logits, words);
        if (guesses[step] < 0) return;
        c.reset(logits);
        g.request.chain.apply(c, before);
        guessed_p[step] = probability_of(c, guesses[step]);
    };
    std::vector<RecordedToken>& tokens = recording.tokens[number];
    tokens = replay(g.model, g.request, text, note);
    for (RecordedRound& r : recording.rounds)
        if (r.text == number && recording.has_u) judge(g, text, tokens, guessed_p, r);
}

}  // namespace

void replay(const Generation& g, const std::vector<GeneratedText>& texts, Recording& recording) {
    const bool searched = strategy_of(g.options) == Strategy::beam;
    const bool rejects = g.options.guesses() && g.options.coupling == "rejection";
    const auto samples = index(g.request.samples);
    recording.has_u = !searched && !rejects;
    recording.tokens.resize(texts.size());
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const std::size_t prompt = texts[i].prompt;
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
