// Chapter 11: beam search.
//
// Searches for probable continuations of a prompt with the options of chapter 10 and transformers'
// beam options, and shows the search: texts with scores, the lattice of all hypotheses,
// where greedy decoding and the beams part, and how far from the proven optimum they end.
//
//   make run-11
//   make run-11 ARGS='"Explain gravity:" --num-beams 8 --num-return-sequences 3'
//   make run-11 ARGS="--part 1"        a demonstration
//
// Look for: a best text whose first word is only the third best; and a prompt where more beams
// find less.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/11_beam_search/diverse_beams.hpp"
#include "chapters/11_beam_search/options.hpp"
#include "chapters/11_beam_search/tools/report.hpp"
#include "chapters/11_beam_search/tools/tour.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int default_max_new_tokens = 40;

struct BeamOutput {
    std::string format = "text";
    bool stats = false;

    int lattice_steps = 3, horizon = 6, part = 0;
    bool lattice_given = false, horizon_given = false;
    std::string trace_file, figure, html;
};

void check_output(const BeamOutput& o, const BeamSettings& s) {
    check_files(o.html, o.trace_file, o.figure);
    if (s.num_beam_groups > 1 && (!o.trace_file.empty() || !o.figure.empty()))
        throw UsageError(
            "--num-beam-groups: each group is a search of its own, without a common lattice; leave "
            "out " +
            std::string(o.trace_file.empty() ? "--figure" : "--trace"));
}

// What became of the other candidates is shown of one search that takes the best, as text. A line
// for each option that was given for it in vain.
std::vector<std::string> without_rest(const BeamOutput& o, const BeamSettings& s, bool draws) {
    const char* why = o.format == "json"      ? "--output-format json"
                      : s.num_beam_groups > 1 ? "--num-beam-groups"
                      : draws                 ? "--do-sample"
                                              : nullptr;
    std::vector<std::string> notes;
    if (why && o.lattice_given && o.lattice_steps > 0)
        notes.push_back(std::string("--lattice has no effect with ") + why);
    if (why && o.horizon_given && o.horizon > 0)
        notes.push_back(std::string("--horizon has no effect with ") + why);
    return notes;
}

void refuse(const std::vector<DeclaredOption>& ignored, const std::string& why) {
    for (const DeclaredOption& o : ignored)
        if (o.given()) throw UsageError(why + "; leave out " + o.name());
}

// Everything on the command line, and which options a demonstration would ignore.
struct Settings {
    std::string prompt = "The old lighthouse keeper";
    BeamSettings beams;
    GenerateOptions options;
    BeamOutput output;
    std::vector<DeclaredOption> others;    // all but --part and the model's
    std::vector<DeclaredOption> of_model;  // the first demonstration needs none
    std::string command;                   // as it was typed
};

// A demonstration has settings of its own: what it would ignore is refused.
void demonstrate(const Settings& line) {
    const int part = line.output.part;
    refuse(line.others, "--part: a demonstration has its own texts and settings");
    if (part == 1) return refuse(line.of_model, "--part 1: it uses no model"), show_trees();
    Model model = open_model(line.options);
    if (part == 2) show_probes(model);
    else if (part == 3) show_lengths(model);
    else if (part == 4) show_blandness(model);
    else show_diversity(model);
}

void add_options(OptionTable& app, Settings& s) {
    BeamOutput& output = s.output;
    CommandLine line(app);
    prompt_option(line, s.prompt);
    add_beam_options(app, s.beams);
    add_sampling_options(app, s.options);
    add_samples_option(app, s.options);
    line.declared("--do-sample").says("beam sampling: the candidates are drawn");
    line.declared("--greedy").says("refused: it is --num-beams 1");
    CommandLine shown(app, "What is shown");
    shown.option("--lattice", output.lattice_steps, "steps of the lattice to show; 0: none")
        .shows_default()
        .between(0, 100000)
        .marks(output.lattice_given);
    shown
        .option("--horizon", output.horizon,
                "find the best of all texts of up to this many tokens, and compare; 0: off")
        .shows_default()
        .between(0, 64)
        .marks(output.horizon_given);
    shown.option("--trace", output.trace_file, "write the lattice as JSON lines to a file");
    shown.option("--figure", output.figure, "write the lattice as a picture (SVG)");
    page_option(shown, output.html);
    shown.option("--output-format", output.format, "text or json")
        .shows_default()
        .one_of({"text", "json"});
    shown.option("--stats", output.stats, "passes, positions and time, on stderr");
    s.others = line.options();
    shown.option("--part", output.part, "instead, a demonstration: 1 to 5").between(1, 5);
    add_model_options(app, s.options);
    const std::vector<DeclaredOption> all = line.options();
    s.of_model.assign(all.begin() + count(s.others) + 1, all.end());  // after --part
}

struct Found {
    std::vector<BeamText> texts;
    std::vector<std::vector<LatticeNode>> lattices;  // of each group of beams
    int passes = 0;
    double milliseconds = 0;
};

// Ctrl-C ends the search with what it has.
Found search(const BatchLogits& model, const BeamRequest& request, const BeamSettings& settings,
             const std::vector<int>& ids) {
    Found found;
    const auto started = std::chrono::steady_clock::now();
    const auto go_on = [&] { return ++found.passes, Interrupt::count() == 0; };
    DiverseSearch groups(request, settings.num_beam_groups, settings.price(), ids);
    run_searches(model, {&groups, 1}, 0, go_on);
    found.texts = groups.results();
    for (const BeamSearch& group : groups.groups()) found.lattices.push_back(group.lattice());
    found.milliseconds =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - started)
            .count();
    return found;
}

// What became of the candidates that are not among the texts.
void show_rest(Model& model, CachedBatch& batch, const BeamRequest& request,
               const std::vector<int>& ids, const Found& found, const BeamOutput& output) {
    const BeamText greedy = greedy_text(batch, request, ids);
    if (output.lattice_steps > 0) {
        std::printf("\nThe lattice (* on the way to the best text, g on greedy's way):\n\n");
        print_lattice(model.tokenizer, found.lattices[0], found.texts[0].ids, greedy.ids,
                      output.lattice_steps);
    }
    print_departure(model, request, ids, greedy, found.texts[0], found.lattices[0]);
    if (output.horizon > 0) print_gap(model, request, ids, output.horizon);
}

// Returns the exit status: 130, as a shell reports Ctrl-C, or 0.
int show_search(const Settings& line) {
    // 1. Model and request.
    const BeamOutput& output = line.output;
    const bool json = output.format == "json";
    const std::string& name = line.options.model;
    Model model = open_model(line.options);
    const std::vector<int> ids = prompt_ids(line.options, model, line.prompt);
    BeamRequest request =
        beam_request_of(line.options, line.beams, model, ids.size(), default_max_new_tokens);
    request.keep_lattice = true;
    const std::string shown = line.options.no_escape ? line.prompt : unescaped(line.prompt);

    // 2. The search.
    CachedBatch batch(model.transformer);
    const PageFile page(output.html);
    std::vector<RecordedPass> passes;
    const Interrupt interrupt;
    const Found found = search(watched(batch, passes), request, line.beams, ids);
    const int status = Interrupt::count() > 0 ? 130 : 0;
    print_notes(fewer_texts(found.texts.size(), request.beams.num_return_sequences));

    // 3. What came out. Time depends on the machine, so it goes to stderr.
    if (!output.trace_file.empty())
        write_file(output.trace_file, beam_trace(name, shown, request, ids, model.tokenizer,
                                                 found.lattices[0], found.texts));
    if (!output.figure.empty())
        write_lattice_figure(
            output.figure, model.tokenizer,
            "“" + shown + "”, " + std::to_string(request.beams.num_beams) + " beams",
            found.lattices[0], found.texts[0].ids);
    if (page.wanted())
        page.write(search_trace({line.command, name, "beams", request.seed.value_or(0), 1, 1},
                                model, line.beams, request, {shown, ids}, found.lattices,
                                found.texts, passes));
    if (json) std::fputs(beam_json(name, shown, request, ids, found.texts).c_str(), stdout);
    else print_beam_texts(found.texts, shown);
    if (output.stats)
        std::fprintf(stderr, "%d passes over %ld positions, %.1f ms\n", found.passes,
                     batch.computed(), found.milliseconds);

    // 4. What became of the rest.
    if (!json && found.lattices.size() == 1 && !request.seed && status == 0)
        show_rest(model, batch, request, ids, found, output);
    return status;
}

}  // namespace

int main(int argc, char** argv) {
    Settings line;
    line.command = shell_line(argc, argv);
    int status = 0;
    const int ran = run_program(
        argc, argv, "Chapter 11: beam search; continues a text by 40 tokens unless told otherwise.",
        [&](OptionTable& app) { add_options(app, line); },
        [&] {
            use_generation_config(line.options, true);
            check_output(line.output, line.beams);
            if (line.output.part != 0) return demonstrate(line);
            print_notes(without_effect(line.options, line.beams));
            print_notes(without_rest(line.output, line.beams, line.options.do_sample));
            status = show_search(line);
        });
    return ran != 0 ? ran : status;
}
