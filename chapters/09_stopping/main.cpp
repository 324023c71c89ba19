// Chapter 09: when a text ends, and what may be shown while it is written.
//
// Shows a stop string that lies across tokens, characters that do, what it costs to slide the
// context window, and one text of the model ended in six ways. Run it: make run-09, or one part:
// make run-09 ARGS="--part 1". Look for: the column "waiting", which holds just what could still
// become a stop string, and the price of forgetting one token at a time.
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "lib/core/error.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

// 1. and 2. What each token adds, what is shown, what waits.
void print_stream(const std::vector<std::string>& tokens, const std::vector<std::string>& strings,
                  const char* naive_title) {
    const StopStrings stops(strings);
    TextStream stream(stops);
    std::printf("   token         shown         waiting          %s\n", naive_title);
    const auto row = [&](const std::string& token, const std::string& shown,
                         const std::string& waiting, const std::string& naive) {
        std::printf("   %s  %s  %s  %s\n", padded(token, 12).c_str(),
                    padded(visible(shown), 12).c_str(), padded(visible(waiting), 15).c_str(),
                    naive.c_str());
    };
    for (const std::string& token : tokens) {
        const bool over = stream.stopped();
        const std::string shown = stream.push(token);
        std::string naive =
            valid_text(token);  // a token decoded alone: half a character is a U+FFFD
        for (const std::string& s : strings)
            naive = token.find(s) == std::string::npos ? "goes on" : "stops";
        row(visible(token), shown, stream.stopped() ? (over ? "" : "cut off") : stream.waiting(),
            naive);
    }
    if (const std::string rest = stream.finish(); !rest.empty()) row("(end)", rest, "", "");
    std::printf("   the text: \"%s\"\n", visible(stream.text()).c_str());
}

struct SlideCost {
    double positions = 0;     // computed, per token
    double microseconds = 0;  // of processor time per token, all threads together; 0: not measured
};

// 3. Writes on when the context is full, for whole rounds of the window.
SlideCost slide_cost(int context, int keep, GptModel* model) {
    Window window(context, keep);
    // A text without repetitions: in one that repeats itself, what is kept may happen to stand
    // where it stood.
    Rng rng(1);
    std::vector<int> ids(index(context));
    for (int& id : ids) id = to_int(rng.below(256));
    std::optional<CachedModel<Gpt>> gpt;
    if (model) gpt.emplace(model->gpt), (*gpt)(window.view(ids));
    const int round = context - keep + 1, tokens = round * std::max(1, 16 / round);
    long positions = 0;
    const std::clock_t started = std::clock();
    for (int i = 0; i < tokens; ++i) {
        ids.push_back(to_int(rng.below(256)));
        const int before = window.slides();
        const std::span<const int> view = window.view(ids);
        positions += window.slides() > before ? count(view) : 1;
        if (gpt) (*gpt)(view);
    }
    const double seconds = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
    return {static_cast<double>(positions) / tokens, model ? 1e6 * seconds / tokens : 0};
}

void print_slide_costs(int context, GptModel* model) {
    std::printf("   kept   positions computed a token%s\n",
                model ? "   processor time, microseconds a token" : "");
    for (const int keep :
         {context, context - 1, context * 7 / 8, context * 3 / 4, context / 2, context / 4, 1}) {
        const SlideCost cost = slide_cost(context, keep, model);
        std::printf("   %4d  %8.2f", keep, cost.positions);
        if (model) std::printf("                     %8.0f", cost.microseconds);
        std::printf("%s\n", keep == context ? "   one token is dropped at a time"
                            : keep == 1     ? "  like starting a new text"
                                            : "");
    }
}

// 4. One text, greedily, under different rules. A minimum is a step of the chain:
//    the EOS is banned before the draw; throwing it away afterwards would make the model continue a
//    text that it had finished.
void write_until(GptModel& model, const std::string& prompt, const std::string& title,
                 const StopRules& rules, int min_new_tokens = 0) {
    SamplingOptions greedy;
    greedy.temperature = 0;
    greedy.min_new_tokens = min_new_tokens;
    PenaltyOptions more;
    more.eos = rules.eos;
    const Chain chain = full_chain(greedy, Dialect::ours, more);
    Candidates scratch;
    CachedModel gpt(model.gpt);
    Window window(std::min(rules.context, model.config().n_positions),
                  default_keep(std::min(rules.context, model.config().n_positions)));
    TextStream stream(rules.strings);
    std::vector<int> ids = encode_prompt(model, prompt);
    const std::size_t prompt_length = ids.size();
    if (rules.policy == ContextPolicy::refuse && count(ids) >= rules.context)
        return (void)std::printf("   %s the prompt alone fills it\n", padded(title, 24).c_str());
    std::optional<FinishReason> reason;
    int generated = 0;
    while (!reason) {
        const int id = chain.pick(gpt(window.view(ids)), {ids, prompt_length}, 0.0, scratch);
        ids.push_back(id);
        ++generated;
        if (!rules.is_eos(id)) stream.push(model.tokenizer.token_bytes(id));
        reason = why_stop(rules, id, stream, generated, count(ids));
    }
    stream.finish();
    const std::string text = visible(stream.text());
    std::size_t tail = text.size() > 26 ? text.size() - 26 : 0;
    while (tail < text.size() && decode_utf8(text, tail).value < 0) ++tail;
    std::printf("   %s %s %6d   %s%s\n", padded(title, 24).c_str(),
                padded(to_string(*reason), 12).c_str(), generated, tail ? "…" : "",
                text.substr(tail).c_str());
}

// The figure: bytes, the tokens they came in, and how many wait after each.
void write_figure(const std::string& file) {
    const std::vector<std::string> tokens = {"ok", "\nUs", "ed", "\n", "Us", "er", ": hi"};
    const StopStrings stops({"\nUser:"});
    constexpr double cell = 37, left = 34, cells_y = 92, base = 262;
    std::string out = svg_text(left, 26, "Stop at \"⏎User:\". How many bytes must wait?", "start",
                               16, "font-weight=\"bold\"");
    int state = StopStrings::start, column = 0, number = 0;
    bool stopped = false;
    for (const std::string& token : tokens) {
        const double width = cell * static_cast<double>(token.size());
        out += svg_rect(left + cell * column + 2, 50, width - 4, 24, "none",
                        "stroke=\"" + svg_grey + "\" rx=\"5\"");
        out += svg_text(left + cell * column + width / 2, 67,
                        (number == 0 ? "token " : "") + std::to_string(number + 1), "middle", 12);
        for (const char byte : token) {
            const double x = left + cell * column++;
            if (!stopped) state = stops.next(state, byte);
            const auto waits = static_cast<double>(stops.held_back(state));
            const std::string& colour = stopped ? svg_grey : svg_colour(waits > 0 ? 1 : 0);
            out += svg_rect(x + 2, cells_y, cell - 4, 30, colour,
                            stopped ? "opacity=\"0.25\" rx=\"3\"" : "opacity=\"0.85\" rx=\"3\"");
            out += svg_text(x + cell / 2, cells_y + 20, visible({&byte, 1}), "middle", 15,
                            stopped ? "" : "style=\"fill:#fff\"");
            if (!stopped && waits > 0)
                out += svg_rect(x + 6, base - 20 * waits, cell - 12, 20 * waits, svg_colour(1),
                                "opacity=\"0.85\"");
            if (!stopped)
                out += svg_text(x + cell / 2, base + 17, std::to_string(static_cast<int>(waits)),
                                "middle", 13);
            stopped = stopped || stops.complete(state) >= 0;
        }
        ++number;
    }
    out += svg_line(left, base, left + cell * column, base, svg_grey);
    out += svg_text(left, base + 40,
                    "The state of the automaton is the number of bytes at the end that could begin "
                    "a stop string. "
                    "At \"d\" it falls",
                    "start", 12);
    out += svg_text(
        left, base + 56,
        "to 0 and what waited is shown; at the last \":\" it is 6, the whole string, and those 6 "
        "bytes are cut off.",
        "start", 12);
    write_svg(file, "Stop at \"⏎User:\". How many bytes must wait?", 720, 330, out);
}

void across_tokens(const PartOptions& of_part) {
    if (of_part.begin(1)) {
        std::printf("1. A stop string across tokens: stop at \"⏎User:\"\n\n");
        print_stream({"I", " used", " it.", "\n", "Used", " it", "\n", "Us", "er", ":", " hi"},
                     {"\nUser:"}, "a look at each token alone");
    }
    if (of_part.begin(2)) {
        std::printf("2. Characters across tokens\n\n");
        print_stream({"na", "\xC3", "\xAF", "ve ", "\xF0\x9F", "\x99", "\x82", " \xE2\x82"}, {},
                     "each token decoded alone");
    }
}

void check_context(int context, const GptModel& model, bool timed) {
    if (!timed || context <= model.config().n_positions) return;
    throw UsageError("--context " + std::to_string(context) + ": this model has " +
                     std::to_string(model.config().n_positions) + " positions");
}

void sliding(int context, GptModel* timed) {
    std::printf("3. A full context of %d tokens that slides\n\n", context);
    print_slide_costs(context, timed);
}

void six_ends(GptModel& model, const std::string& prompt) {
    std::printf(
        "4. \"%s\", greedily, ended in six ways\n\n   rule                     "
        "reason       tokens   the text\n",
        prompt.c_str());
    const StopRules rules{
        {model.tokenizer.eos_id()}, StopStrings{}, 200, model.config().n_positions};
    StopRules at_full_stop = rules, at_most_12 = rules, refuse = rules, slide = rules;
    at_full_stop.strings = StopStrings({"."});
    at_most_12.max_new_tokens = 12;
    refuse.context = slide.context = 32;
    slide.policy = ContextPolicy::slide;
    write_until(model, prompt, "EOS, at most 200 tokens", rules);
    write_until(model, prompt, "the string \".\"", at_full_stop);
    write_until(model, prompt, "at most 12 tokens", at_most_12);
    write_until(model, prompt, "at least 150 tokens", rules, 150);
    write_until(model, prompt, "context 32, refuse", refuse);
    write_until(model, prompt, "context 32, slide", slide);
}

struct Options {
    std::string prompt = "Once upon a time", figure, model = model_directory("storyteller");
    int part = 0, context = 512;
    bool time = false;
    PartOptions of_part{part};
};

void declare(CommandLine& line, Options& o) {
    o.of_part.add({4}, prompt_option(line, o.prompt, " in part 4"));
    part_option(line, o.part, 4);
    o.of_part.add({3}, line.option("--context", o.context, "the context of part 3, in tokens")
                           .shows_default()
                           .between(8, 100000));
    o.of_part.add({3},
                  line.option("--time", o.time, "part 3: also measure the time with the model"));
    o.of_part.add({3, 4}, model_option(line, o.model, " (parts 4, and 3 with --time)"));
    line.option("--figure", o.figure, "write the picture of the lesson (SVG)");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 09: when a text ends, and what may be shown while it is written.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            o.of_part.check();
            // Opened first: what is wrong with it is said before anything is shown.
            std::optional<GptModel> model;
            if (o.part == 0 || o.part == 4 || o.time) model = load_gpt(o.model);
            if (model) encode_prompt(*model, o.prompt), check_context(o.context, *model, o.time);
            if (!o.figure.empty()) write_figure(o.figure);
            across_tokens(o.of_part);
            if (o.of_part.begin(3)) sliding(o.context, o.time ? &*model : nullptr);
            if (o.of_part.begin(4)) six_ends(*model, o.prompt);
        });
}
