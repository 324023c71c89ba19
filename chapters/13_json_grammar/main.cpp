// Chapter 13: JSON that is always valid and always ends.
//
// Shows the byte recognizer reading a text; masks over a vocabulary, and how they are made;
// the tutorial's recognizer of required keys, corrected; how a mask changes the distribution over
// texts, by enumeration; then the model writing under the mask: the token it wanted, the token
// drawn, and how the text is closed before the budget ends. Run it:
// make run-13, or make run-13 ARGS='--part model --temperature 2 --max-new-tokens 30 "{\"name\":"'.
// Look for: the number of allowed tokens: nearly all in a string, a few dozen between strings.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/guided_page.hpp"
#include "chapters/13_json_grammar/plain_mask.hpp"
#include "chapters/13_json_grammar/required_keys.hpp"
#include "chapters/13_json_grammar/show.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

// 1. Byte by byte: the mode, the stack, how many bytes may follow, and the shortest way to the end.
void show_recognizer(const std::string& text) {
    JsonRecognizer recognizer;
    std::printf(
        "1. The recognizer reads bytes. %s\n\n   byte  then it expects   open  bytes  to close\n",
        visible(text).c_str());
    Recognizer::State state = recognizer.start();
    for (const char c : text) {
        state = recognizer.next(state, static_cast<unsigned char>(c));
        if (state == Recognizer::dead) {
            std::printf("   %s  refused: no JSON text goes on like this\n",
                        padded(visible(std::string(1, c)), 4).c_str());
            return;
        }
        int next = 0;
        for (int byte = 0; byte < 256; ++byte)
            next += recognizer.next(state, static_cast<unsigned char>(byte)) != Recognizer::dead;
        std::printf("   %s  %s  %s  %4d  %8d%s\n", padded(visible(std::string(1, c)), 4).c_str(),
                    padded(JsonRecognizer::name(JsonRecognizer::unpack(state).mode), 16).c_str(),
                    padded(recognizer.stack(state), 5).c_str(), next,
                    recognizer.closing_bytes(state), recognizer.accepts(state) ? "  may end" : "");
    }
}

// 2. From bytes to tokens, on a vocabulary small enough to print.
void show_masks() {
    const std::vector<std::string> tokens = {"{",   "}",   "[",    "]",   "\"", ":",    ",",
                                             "{\"", "\":", "\",",  "\"}", "]}", "name", "Ada",
                                             "1",   "23",  "true", "tr",  "ue", " ",    ""};
    const std::size_t end = tokens.size() - 1;
    JsonRecognizer recognizer(JsonOptions{1, false, false});
    std::printf(
        "\n2. A token is legal if the recognizer accepts all its bytes (20 tokens and "
        "<end>):\n\n");
    for (const char* text :
         {"", "{", "{\"", "{\"name", "{\"name\":", "{\"name\":\"Ada", "[1", "[t", "[1]"}) {
        const Recognizer::State state = read_bytes(recognizer, recognizer.start(), text);
        const std::vector<bool> legal = plain_mask(recognizer, state, tokens, to_int(end));
        std::printf("   %s ", padded(visible(text), 14).c_str());
        for (std::size_t id = 0; id <= end; ++id) {
            if (legal[id]) std::printf(" %s", id == end ? "<end>" : visible(tokens[id]).c_str());
        }
        std::printf("\n");
    }
}

// 3. A recognizer of required keys.
void show_keys() {
    const std::vector<std::string> keys = {"name", "score", "passed"};
    RequiredKeys recognizer(keys);
    std::printf("\n3. Required keys name, score, passed. After each symbol, what is allowed:\n\n");
    for (const char* symbol : {"{", "\"score\"", ":", "number", ","}) {
        recognizer.advance(symbol);
        std::printf("   %s", padded(symbol, 9).c_str());
        for (const std::string& s : recognizer.allowed()) std::printf(" %s", s.c_str());
        std::printf("\n");
    }
    std::printf("   Orders of the keys: %d. If keys could be repeated: %d.\n",
                RequiredKeys(keys).orders(), RequiredKeys(keys, true).orders());
}

// 4. A mask changes the distribution. All texts of two tokens, with their probabilities: under the
//    model alone; for its complete texts, renormalised; and under the mask, which keeps the ratios
//    between the legal tokens at each step.
void show_distribution() {
    const std::vector<std::string> tokens = {"[", "]", "1"};
    const double first[] = {0.6, 0.0, 0.4},
                 after[] = {0.0, 0.1, 0.9};  // after [; a number is already complete
    const auto language = std::make_shared<CompiledGrammar>(
        std::make_shared<JsonRecognizer>(JsonOptions{0, false, false}),
        std::make_shared<const TokenTrie>(tokens, -1));
    const auto under = [](const double* p, const TokenMask& mask, int id) {
        double sum = 0;
        for (int i = 0; i < mask.size(); ++i) sum += mask.test(i) ? p[i] : 0;
        return mask.test(id) ? p[id] / sum : 0;
    };
    GrammarMatcher constraint(language, 2);
    const double number = under(first, constraint.mask(), 2),
                 bracket = under(first, constraint.mask(), 0);
    constraint.advance(0);
    const double closed = bracket * under(after, constraint.mask(), 1),
                 open = bracket * under(after, constraint.mask(), 2);
    const double valid = first[0] * after[1] + first[2];
    std::printf(
        "\n4. Budget: two tokens. The model begins with [ (.6) or 1 (.4), and goes on after [ "
        "with 1 (.9) or ] "
        "(.1).\n\n"
        "   text    model alone   its JSON texts, renormalised   under the mask\n");
    std::printf("   []      %11.4f   %28.4f   %14.4f\n", first[0] * after[1],
                first[0] * after[1] / valid, closed);
    std::printf("   1       %11.4f   %28.4f   %14.4f\n", first[2], first[2] / valid, number);
    std::printf("   [1      %11.4f   %28.4f   %14.4f\n", first[0] * after[2], 0.0, open);
}

struct Settings : GuidedOptions {
    std::string text = "{\"a\":[1,-2e3]}", part = "all";
    int max_whitespace = 12;
    Settings() : GuidedOptions("{\"name\":", 1) { max_new_tokens = 40, shown = 12; }
};

// 5. A model under the mask. The prompt is the beginning of the JSON text.
void show_model(const Settings& settings, Model& model) {
    const auto trie = std::make_shared<const TokenTrie>(model.tokenizer);
    const auto recognizer =
        std::make_shared<JsonRecognizer>(JsonOptions{settings.max_whitespace, false, true});
    const auto language = std::make_shared<CompiledGrammar>(recognizer, trie);
    const std::vector<int> prompt = encode_prompt(model, settings.prompt, settings.max_new_tokens);
    GrammarMatcher constraint(language, settings.max_new_tokens, settings.prompt);

    const Chain chain(truncation_steps(settings.sampling, Dialect::ours));
    Candidates scratch;
    Rng rng(settings.seed);
    CachedModel gpt(model.transformer);
    MaskTrace trace(model.tokenizer, constraint, settings.shown);
    std::printf(
        "5. The model writes, chain: mask → %s; seed %llu; budget %d tokens.\n   Prompt: %s\n\n",
        chain.to_string().c_str(), static_cast<unsigned long long>(settings.seed),
        settings.max_new_tokens, visible(settings.prompt).c_str());
    if (settings.shown > 0) trace.print_header();
    const auto pick = [&](std::span<const float> legal, std::span<const int> ids) {
        const int id = chain.pick(legal, {ids, prompt.size()}, rng.uniform(), scratch);
        trace.step(gpt(ids), legal, id);
        return id;
    };
    const PageFile page(settings.html, settings.trace_file);
    const GrammarMatcher start = constraint;
    const GuidedText text = generate_guided([&](std::span<const int> ids) { return gpt(ids); },
                                            prompt, constraint, pick, [&](int) { return true; });
    trace.print_rest();
    const std::vector<int> fresh(text.ids.begin() + static_cast<std::ptrdiff_t>(prompt.size()),
                                 text.ids.end());
    std::printf("\n   %s%s\n   %s; %zu tokens, %d forward passes, %d tokens forced\n",
                settings.prompt.c_str(), model.tokenizer.decode(fresh).c_str(),
                text.complete ? "complete JSON" : "not complete", fresh.size(), text.forward_passes,
                text.forced);
    if (!settings.figure.empty()) trace.write_figure(settings.figure);
    if (page.wanted())
        page.write(guided_trace(settings, "--json", model, chain, start, text, constraint.ended()));
}

// The options that one of the two halves does not use.
struct HalfOptions {
    std::vector<DeclaredOption> of_recognizer, of_model;

    void check(const std::string& part) const {
        const auto refuse = [&](const std::vector<DeclaredOption>& options, const char* why) {
            for (const DeclaredOption& option : options)
                if (option.given())
                    throw UsageError("--part " + part + " and " + option.name() + ": " + why +
                                     "; leave out one of the two");
        };
        if (part == "recognizer") refuse(of_model, "no model writes there");
        if (part == "model") refuse(of_recognizer, "the recognizer alone reads it");
    }
};

void add_options(CommandLine& line, Settings& s, HalfOptions& half) {
    half.of_model = s.declare(line);
    half.of_recognizer.push_back(
        line.option("--text", s.text, "what the recognizer reads in part 1").shows_default());
    line.option("--part", s.part, "what to show: recognizer (parts 1 to 4), model (part 5) or all")
        .shows_default()
        .one_of({"recognizer", "model", "all"});
    half.of_model.push_back(line.option("--max-whitespace", s.max_whitespace,
                                        "white space characters in a row at most, -1: any number")
                                .shows_default()
                                .between(-1, 255));
    half.of_model.push_back(
        figure_option(line, s.figure, "the number of allowed tokens at each step"));
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    HalfOptions half;
    settings.command = shell_line(argc, argv);
    return run_program(
        argc, argv,
        "Chapter 13: a JSON recognizer over bytes, masks over tokens, and texts that always close.",
        [&](CommandLine line) { add_options(line, settings, half); },
        [&] {
            half.check(settings.part);
            // The model is opened first, so that errors are reported before any output.
            std::optional<Model> model;
            if (settings.part != "recognizer")
                model = load_model(settings.model),
                encode_prompt(*model, settings.prompt, settings.max_new_tokens);
            if (settings.part != "model") {
                show_recognizer(settings.text);
                show_masks();
                show_keys();
                show_distribution();
            }
            if (settings.part == "all") std::printf("\n");
            if (model) show_model(settings, *model);
        });
}
