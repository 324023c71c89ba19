#include "chapters/23_text_generator/generation.hpp"

#include <functional>
#include <utility>

#include "chapters/10_generate/request.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/speculative_text.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "chapters/23_text_generator/known_runs.hpp"
#include "lib/core/index.hpp"

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
    run_searches<DiverseSearch>(g.model, searches, g.slots, g.observer.go_on);
    std::vector<GeneratedText> texts;
    for (std::size_t p = 0; p < searches.size(); ++p) {
        if (g.recording) {
            g.recording->searches.push_back({p, {}});
            for (const BeamSearch& group : searches[p].groups())
                g.recording->searches.back().groups.push_back(group.lattice());
        }
        for (BeamText& found : searches[p].results()) {
            texts.push_back({std::move(found.ids),
                             std::move(found.text),
                             found.reason,
                             found.stop_string,
                             {},
                             GeneratedText::Score{found.sum, found.score}});
            trace_text(g, p, texts.back());
            show(g, texts.size() - 1, texts.back().text);
        }
    }
    return texts;
}

// Lets the runs of tokens that the guide knows be read in one pass, unless each choice is recorded.
void guess_runs(Generation& g, AfterRun after_run = AfterRun::draft) {
    if (g.guide && g.options.known_runs && !g.recording && g.request.traced_tokens < 0)
        guess_known_runs(g.request, g.guide, g.target.tokenizer, after_run);
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
        trace_text(g, i / samples, written.text);
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
    guess_runs(g);
    if (g.recording) record_guesses(g.request, *g.recording);
    std::vector<GeneratedText> texts = generate_batch(g.model, token_bytes_of(g.target.tokenizer),
                                                      g.prompts, g.request, g.observer);
    effort.guessed = count->guessed, effort.right = count->right;
    return texts;
}

// Chapter 21: a tree of guesses in each pass, judged by coupling or by rejection.
std::vector<GeneratedText> texts_with_heads(Generation& g, Effort& effort) {
    const TreeShape& tree = g.tree;
    const auto draft_for = [&](std::size_t i) {
        return HeadsDraft(*g.heads, tree,
                          [&g, i](std::span<const int> ids) { return g.state(i, ids); });
    };
    const bool adaptive = g.options.schedule == "adaptive";
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
    guess_with_heads(g.request, draft_for, tree_size(tree, adaptive), count);
    guess_runs(g, AfterRun::wait);
    if (g.recording) record_guesses(g.request, *g.recording);
    std::vector<GeneratedText> texts = generate_batch(g.model, token_bytes_of(g.target.tokenizer),
                                                      g.prompts, g.request, g.observer);
    effort.guessed = count->guessed, effort.right = count->right;
    return texts;
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
    guess_runs(g);
    return generate_batch(g.model, token_bytes_of(g.target.tokenizer), g.prompts, g.request,
                          g.observer);
}

}  // namespace tbt
