// Chapter 12: speculative decoding. A small model drafts, the large one checks a whole
// draft in one pass.
//
// Run it: make run-12, make run-12 ARGS='"Once upon a time" --num-assistant-tokens 8',
// ARGS="--assistant-model lookup", ARGS="--coupling seed", ARGS="--times". Look for:
// the distribution of the wrong rule in part 1; in part 2 the ratio p/q beside u;
// in part 3 how many tokens each pass of the large model gives, and that acceptance is Σ min(p, q).
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/options.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

struct Settings {
    std::string prompt = "Explain gravity:", trace, figure, html, part = "all";
    std::string command;  // the command line as typed
    DraftSettings draft;
    bool wrong = false, times = false;
    bool coupled() const { return draft.coupling == "seed"; }
    Correction correction() const { return wrong ? Correction::target : Correction::residual; }
};

double seconds_of(const std::function<void()>& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Seconds that the passes of the two models took.
struct Clocks {
    double draft = 0, target = 0;
};

struct Models {
    Model target;
    std::unique_ptr<Model> draft;  // null: prompt lookup

    DraftLength length(const DraftSettings& settings) const {
        return settings.length(cost_of_guess(draft ? parameter_count(draft->config()) : 0,
                                             parameter_count(target.config())));
    }
};

Models open_models(const GenerateOptions& options, const Settings& settings) {
    Models models{open_model(options), nullptr};
    models.draft = open_assistant(settings.draft, models.target.tokenizer,
                                  draft_options(transformer_options(options)));
    return models;
}

// By rejection: the text has the distribution of plain decoding but is another text.
template <class Draft>
SpeculativeText write_judged(Models& models, const GenerateRequest& request,
                             std::span<const int> prompt, const Settings& settings, bool overlaps,
                             Draft&& draft, Clocks& clocks) {
    CachedModel large(models.target.transformer);
    const LastLogits target = [&](std::span<const int> ids, int count) {
        Logits rows;
        clocks.target += seconds_of([&] { rows = large.last(ids, count); });
        return rows;
    };
    RandomChance chance(Rng(request.seed, request.first_stream));
    return speculative_text(target, draft, models.length(settings.draft), request,
                            token_bytes_of(models.target.tokenizer), prompt, chance,
                            settings.correction(), overlaps);
}

// By seed: the same text as plain decoding, written by chapter 10's loop.
template <class MakeDraft>
SpeculativeText write_coupled(Models& models, GenerateRequest request, std::span<const int> prompt,
                              const Settings& settings, const MakeDraft& make_draft,
                              Clocks& clocks) {
    guess_with<decltype(make_draft())>(
        request, [&](std::size_t) { return make_draft(); }, models.length(settings.draft));
    const auto guessed = watch_guesses(request);
    CachedBatch batch(models.target.transformer);
    const BatchLogits target = [&](std::span<const BatchText> texts) {
        std::vector<std::span<const float>> rows;
        clocks.target += seconds_of([&] { rows = batch(texts); });
        return rows;
    };
    GeneratedText text =
        generate_texts(target, token_bytes_of(models.target.tokenizer), prompt, request)[0];
    std::vector<Round> rounds = coupled_rounds(text.ids, *guessed);
    return {std::move(text), std::move(rounds)};
}

SpeculativeText write(Models& models, const GenerateRequest& request, std::span<const int> prompt,
                      const Settings& settings, bool overlaps, Clocks& clocks) {
    const auto with = [&](const auto& make_draft) {
        return settings.coupled()
                   ? write_coupled(models, request, prompt, settings, make_draft, clocks)
                   : write_judged(models, request, prompt, settings, overlaps, make_draft(),
                                  clocks);
    };
    if (!models.draft) return with([] { return PromptLookup(); });
    CachedModel small(models.draft->transformer);
    const NextLogits draft = [&](std::span<const int> ids) {
        std::span<const float> row;
        clocks.draft += seconds_of([&] { row = small(ids); });
        return row;
    };
    return with([&] { return ModelDraft(draft, models.draft->config().n_positions); });
}

// 4. Times of plain and speculative decoding, measured in turn; medians.
void show_times(Models& models, const GenerateRequest& request, std::span<const int> prompt,
                const Settings& settings) {
    std::printf(
        "\n4. Against plain decoding with the same chain (medians of 7 in turn, tokens a "
        "second):\n\n");
    const auto median = [](std::vector<double> x) {
        return std::nth_element(x.begin(), x.begin() + 3, x.end()), x[3];
    };
    const TokenBytes bytes = token_bytes_of(models.target.tokenizer);
    std::vector<double> plain(7), fast(7);
    Clocks clocks;
    double in_all = 0, rounds = 0;
    for (std::size_t i = 0; i < 7; ++i) {
        GenerateRequest turn = request;
        turn.first_stream = i;
        std::size_t tokens = 0;
        plain[i] = seconds_of([&] {
                       CachedBatch batch(models.target.transformer);
                       tokens = generate_texts(std::ref(batch), bytes, prompt, turn)[0].ids.size();
                   }) /
                   static_cast<double>(tokens);
        const double seconds = seconds_of([&] {
            const SpeculativeText written = write(models, turn, prompt, settings, false, clocks);
            tokens = written.text.ids.size();
            rounds += static_cast<double>(written.rounds.size());
        });
        in_all += seconds;
        fast[i] = seconds / static_cast<double>(tokens);
    }
    std::printf("   plain %.0f, speculative %.0f: %.2f times as fast\n", 1 / median(plain),
                1 / median(fast), median(plain) / median(fast));
    const double us = 1e6 / rounds;
    std::printf(
        "   a round takes %.0f µs: draft %.0f, target's pass %.0f, the rest %.0f; a plain token "
        "%.0f µs\n",
        in_all * us, clocks.draft * us, clocks.target * us,
        (in_all - clocks.draft - clocks.target) * us, median(plain) * 1e6);
}

// Refuses other options with part "hand": it only computes with two distributions.
void check_alone(const CommandLine& line) {
    for (const DeclaredOption& option : line.options())
        if (option.given() && option.name() != "--part")
            throw UsageError("--part hand and " + option.name() +
                             ": that part needs no model and no options; leave one of the two out");
}

void add_options(OptionTable& app, Settings& settings) {
    CommandLine line(app);
    prompt_option(line, settings.prompt);
    add_draft_options(app, settings.draft);
    add_coupling_option(app, settings.draft);
    line.option("--wrong", settings.wrong, "draw corrections from p: the common mistake");
    line.option("--times", settings.times, "measure against plain decoding");
    line.option("--part", settings.part, "all, hand, rounds or text")
        .shows_default()
        .one_of({"all", "hand", "rounds", "text"});
    line.option("--trace", settings.trace, "write the rounds as JSON lines");
    figure_option(line, settings.figure, "the lanes");
    page_option(line, settings.html);
}

// Parts 2 to 4: a text, its rounds and its time, and the requested files.
void show_text(const Settings& settings, const GenerateOptions& options) {
    const auto wants = [&](const char* part) {
        return settings.part == "all" || settings.part == part;
    };
    check_files(settings.html, settings.trace, settings.figure);
    Models models = open_models(options, settings);
    const GenerateRequest request = request_of(options, models.target, 60);
    if (settings.times && request.stop.max_new_tokens == 0)
        throw UsageError("--times and --max-new-tokens 0: a text without tokens takes no time");
    const std::vector<int> prompt = prompt_ids(options, models.target, settings.prompt);
    if (settings.part == "all") show_by_hand();
    Clocks clocks;
    const PageFile page(settings.html);
    const SpeculativeText written = write(models, request, prompt, settings, true, clocks);
    if (wants("rounds"))
        show_rounds(models.target.tokenizer, written, settings.coupled(), settings.correction());
    const std::string text = options.no_escape ? settings.prompt : unescaped(settings.prompt);
    if (wants("text")) show_counts(text, written, settings.coupled());
    if (!settings.figure.empty())
        write_lanes(settings.figure, models.target.tokenizer, written.rounds);
    if (!settings.trace.empty())
        write_file(settings.trace, speculative_trace(models.target.tokenizer, text, prompt, request,
                                                     settings.draft.assistant_model, written));
    if (page.wanted())
        page.write(drafted_trace({{settings.command, options.model, "", request.seed},
                                  settings.draft.assistant_model,
                                  settings.draft.coupling,
                                  recorded_rounds(written.rounds)},
                                 models.target, request, {text, prompt}, written.text));
    if (settings.times) show_times(models, request, prompt, settings);
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    settings.command = shell_line(argc, argv);
    settings.draft.assistant_model = "sketch", settings.draft.coupling = "rejection";
    GenerateOptions options;
    OptionTable* command_line = nullptr;
    return run_program(
        argc, argv, "Chapter 12: speculative decoding with a draft model.",
        [&](OptionTable& app) {
            add_options(app, settings);
            add_sampling_options(app, options);
            add_model_options(app, options);
            command_line = &app;
        },
        [&] {
            check_drafts(settings.draft);
            if (settings.wrong && settings.coupled())
                throw UsageError(
                    "--wrong and --coupling seed: nothing is corrected there, the target draws "
                    "each token itself; leave one of the two out");
            if (settings.part == "hand") return check_alone(*command_line), show_by_hand();
            if (settings.part == "rounds" && settings.times)
                throw UsageError(
                    "--part rounds and --times: times are measured in part text; leave one of the "
                    "two out");
            use_generation_config(options);
            sampling_of(options);
            print_notes(without_effect(options)), print_notes(without_effect(settings.draft));
            show_text(settings, options);
        });
}
