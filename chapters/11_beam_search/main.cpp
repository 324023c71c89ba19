// Chapter 11: beam search.
//
// Searches for probable continuations of a prompt with the options of chapter 10 and transformers'
// beam options, and shows the search: texts with scores, the lattice of all hypotheses,
// where greedy decoding and the beams part, and how far from the proven optimum they end. Run it:
// make run-11, make run-11 ARGS='"Explain gravity:" --num-beams 8 --num-return-sequences 3',
// or a demonstration: make run-11 ARGS="--part 1". Look for: a best text whose first word is only
// the third best; and a prompt where more beams find less.
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/interrupt.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/11_beam_search/gap.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "chapters/11_beam_search/report.hpp"
#include "chapters/11_beam_search/tour.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/program.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int default_max_new_tokens = 40;

struct Output {
    bool json = false, stats = false;
    int lattice_steps = 3, horizon = 6, part = 0;
    std::string trace_file, figure;
};

void check_output(const Output& o, const BeamSettings& s) {
    if (s.groups > 1 && (!o.trace_file.empty() || !o.figure.empty()))
        throw UsageError(
            "--num-beam-groups: each group is a search of its own, without a common lattice; leave "
            "out " +
            std::string(o.trace_file.empty() ? "--figure" : "--trace"));
}

// A demonstration has settings of its own: what it would ignore is refused.
void demonstrate(int part, const std::vector<CLI::Option*>& others,
                 const GenerateOptions& options) {
    for (const CLI::Option* o : others) {
        if (o->count() > 0)
            throw UsageError("--part: a demonstration has its own texts and settings; leave out " +
                             o->get_name());
    }
    if (part == 1) return show_trees();
    Model model = open_model(options);
    if (part == 2) show_probes(model);
    else if (part == 3) show_lengths(model);
    else if (part == 4) show_blandness(model);
    else show_diversity(model);
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "The old lighthouse keeper";
    BeamSettings settings;
    Output output;
    std::vector<CLI::Option*> others;  // all but --part and the model's
    int status = 0;
    const int ran = run_program(
        argc, argv, "Chapter 11: beam search; continues a text by 40 tokens unless told otherwise.",
        [&](CLI::App& app) {
            app.add_option("prompt", prompt, "the text to continue")->capture_default_str();
            add_beam_options(app, settings);
            add_sampling_options(app, settings.generate);
            app.get_option("--do-sample")->description("beam sampling: the candidates are drawn");
            app.get_option("--greedy")->description("refused: it is --num-beams 1");
            const auto group = [](CLI::Option* option) { option->group("What is shown"); };
            group(app.add_option("--lattice", output.lattice_steps,
                                 "so many steps of the lattice; 0: none")
                      ->capture_default_str()
                      ->check(CLI::Range(0, 100000)));
            group(app.add_option("--horizon", output.horizon,
                                 "compare with the best of all texts of so many tokens; 0: don't")
                      ->capture_default_str()
                      ->check(CLI::Range(0, 64)));
            group(app.add_option("--trace", output.trace_file,
                                 "write the lattice as JSON lines to a file"));
            group(
                app.add_option("--figure", output.figure, "write the lattice as a picture (SVG)"));
            group(app.add_flag("--json", output.json, "the result as JSON"));
            group(app.add_flag("--stats", output.stats, "passes, positions and time, on stderr"));
            others =
                app.get_options([](const CLI::Option* o) { return o->get_name() != "--help"; });
            group(app.add_option("--part", output.part, "instead, a demonstration: 1 to 5")
                      ->check(CLI::Range(1, 5)));
            add_model_options(app, settings.generate);
        },
        [&] {
            // 1. Model and request.
            check_output(output, settings);
            if (output.part != 0) return demonstrate(output.part, others, settings.generate);
            Model model = open_model(settings.generate);
            const std::vector<int> ids = prompt_ids(settings.generate, model, prompt);
            BeamRequest request =
                beam_request_of(settings, model, ids.size(), default_max_new_tokens);
            request.keep_lattice = true;
            const std::string shown = settings.generate.no_escape ? prompt : unescaped(prompt);

            // 2. The search. Ctrl-C ends it with what it has.
            const auto started = std::chrono::steady_clock::now();
            CachedBatch batch(model.gpt);
            const Interrupt interrupt;
            int passes = 0;
            const auto go_on = [&] { return ++passes, Interrupt::count() == 0; };
            std::vector<BeamText> texts;
            std::optional<BeamSearch> search;
            if (settings.groups > 1) {
                texts = diverse_beam_search(std::ref(batch), request, settings.groups,
                                            settings.diversity_penalty.value_or(0.5), ids, go_on);
            } else {
                search = run_beam_search(std::ref(batch), request, ids, go_on);
                texts = search->results();
            }
            const std::chrono::duration<double, std::milli> time =
                std::chrono::steady_clock::now() - started;
            if (Interrupt::count() > 0) status = 130;  // as a shell reports Ctrl-C

            // 3. What came out. Time depends on the machine, so it goes to stderr.
            const std::string& name = settings.generate.model;
            if (!output.trace_file.empty())
                write_file(output.trace_file, beam_trace(name, shown, request, ids, model.tokenizer,
                                                         search->lattice(), texts));
            if (!output.figure.empty())
                write_lattice_figure(
                    output.figure, model.tokenizer,
                    "“" + shown + "”, " + std::to_string(request.beams.num_beams) + " beams",
                    search->lattice(), texts[0].ids);
            if (output.json)
                std::fputs(beam_json(name, shown, request, ids, texts).c_str(), stdout);
            else print_beam_texts(texts, shown);
            if (output.stats)
                std::fprintf(stderr, "%d passes over %ld positions, %.1f ms\n", passes,
                             batch.computed(), time.count());
            if (output.json || !search || request.seed || status != 0) return;

            // 4. What became of the rest.
            const BeamText greedy = greedy_text(batch, request, ids);
            if (output.lattice_steps > 0) {
                std::printf(
                    "\nThe lattice (* on the way to the best text, g on greedy's way):\n\n");
                print_lattice(model.tokenizer, search->lattice(), texts[0].ids, greedy.ids,
                              output.lattice_steps);
            }
            print_departure(model, request, ids, greedy, *search);
            if (output.horizon > 0) print_gap(model, request, ids, output.horizon);
        });
    return ran != 0 ? ran : status;
}
