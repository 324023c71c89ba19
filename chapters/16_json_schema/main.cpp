// Chapter 16: one engine for grammars, regular expressions, JSON Schema, choices,
// ranges and tool calls.
//
// Shows how each of them becomes a machine over bytes, with its size and its shortest text;
// how a grammar is followed; then a model writing under one of them. Run it:
// make run-16, or for example
//   make run-16 ARGS='--json-schema data/schemas/person.json "A person: "'
//   make run-16 ARGS='--regex "[A-Z][a-z]+ is (sunny|rainy)\." --max-new-tokens 12 "The weather: "'
// Look for: required members in any order, each once; a text that closes although
// the budget is small.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/show.hpp"
#include "chapters/14_grammar/gbnf.hpp"
#include "chapters/14_grammar/grammar_machine.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "chapters/16_json_schema/schema.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/program.hpp"
#include "lib/model/model.hpp"

using namespace tbt;

namespace {

// 1. What each kind of request becomes.
void show_machines() {
    std::printf(
        "1. Every request becomes rules over bytes:\n\n   request                          rules  "
        "nodes  shortest "
        "text\n");
    const auto row = [](const std::string& what, Grammar grammar) {
        GrammarMachine machine(std::move(grammar));
        std::string shortest;
        for (ByteMachine::State state = machine.start(); machine.closing_bytes(state) > 0;) {
            for (int byte = 0; byte < 256; ++byte) {
                const ByteMachine::State next =
                    machine.next(state, static_cast<unsigned char>(byte));
                if (next == ByteMachine::dead ||
                    machine.closing_bytes(next) >= machine.closing_bytes(state))
                    continue;
                shortest += static_cast<char>(byte);
                state = next;
                break;
            }
        }
        std::printf("   %s %6d %6d  %s\n", padded(what, 32).c_str(), machine.grammar().rules(),
                    machine.grammar().nodes(), padded(visible(shortest), 30).c_str());
    };
    row("--choice yes,no,maybe", compile_choices({"yes", "no", "maybe"}));
    row("--integer -5:120", compile_integers("-5", "120"));
    row("--regex [A-Z][a-z]+ is \\d+\\.", compile_regex("[A-Z][a-z]+ is \\d+\\."));
    for (const char* name : {"arithmetic", "date", "sql", "json"}) {
        const std::string file = "data/grammars/" + std::string(name) + ".gbnf";
        row("--grammar " + std::string(name) + ".gbnf", compile_gbnf(read_file(file), file));
    }
    for (const char* name : {"person", "weather", "order"}) {
        const std::string file = "data/schemas/" + std::string(name) + ".json";
        row("--json-schema " + std::string(name) + ".json",
            compile_schema(read_file(file), {}, file));
    }
    const std::string tools = "data/schemas/tools.json";
    row("--tools tools.json", compile_schema(schema_of_tools(read_file(tools), tools), {}, tools));
}

// 2. A grammar that could go wrong: every a may be closed by b or by c,
//    so there are 2^n ways to go on.
void show_engine() {
    const char* grammar = "root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"\"";
    GrammarMachine machine(compile_gbnf(grammar));
    std::printf("\n2. %s\n\n   read          derivations  to close  may end\n", grammar);
    std::string text;
    ByteMachine::State state = machine.start();
    for (const char c : std::string("aaaaaaaabcb")) {
        state = machine.next(state, static_cast<unsigned char>(c));
        text += c;
        std::printf("   %s %11d  %8d  %s\n", padded(text, 13).c_str(), machine.derivations(state),
                    machine.closing_bytes(state), machine.accepts(state) ? "yes" : "no");
    }
}

struct Settings {
    std::string prompt = "{\"name\": \"Ada\",", model = shipped_model("storyteller").string();
    SamplingOptions sampling;
    GuideRequest guide;
    int max_new_tokens = 60, shown = 8;
    bool continue_prompt = false;
    std::uint64_t seed = 1;
};

// 3. A model under the request.
void show_model(const Settings& settings, const std::string& figure) {
    GuideRequest guide = settings.guide;
    std::string prompt = settings.prompt;
    const bool beginning = settings.continue_prompt || guide.name().empty();
    if (guide.name().empty()) guide.schema = "data/schemas/person.json";
    using Clock = std::chrono::steady_clock;
    Model model = load_model(settings.model);
    const auto started = Clock::now();
    const auto language = std::make_shared<GuidedLanguage>(
        machine_for(guide), std::make_shared<const TokenTrie>(model.tokenizer));
    TokenConstraint constraint(language, settings.max_new_tokens, beginning ? prompt : "");
    const double milliseconds =
        std::chrono::duration<double, std::milli>(Clock::now() - started).count();
    std::fprintf(stderr, "compiled %s in %.1f ms\n", guide.name().c_str(), milliseconds);

    const Closing::Minimum least = language->closing().minimum(constraint.state());
    const Chain chain(cut_steps(settings.sampling, Dialect::ours));
    std::printf(
        "3. %s\n   chain: mask → %s; seed %llu; budget %d tokens, at least %d are needed\n\n",
        guide.name().c_str(), chain.to_string().c_str(),
        static_cast<unsigned long long>(settings.seed), settings.max_new_tokens, least.tokens);
    const std::vector<int> ids = encode_prompt(model, prompt, settings.max_new_tokens);
    MaskTrace trace(model.tokenizer, constraint, settings.shown);
    if (settings.shown > 0) trace.print_header();
    Candidates scratch;
    Rng rng(settings.seed);
    CachedModel gpt(model.gpt);
    std::vector<float> raw;
    const auto predict = [&](std::span<const int> text) {
        const std::span<const float> logits = gpt(text);
        raw.assign(logits.begin(), logits.end());
        return logits;
    };
    const auto pick = [&](std::span<const float> legal, std::span<const int> text) {
        const int id = chain.pick(legal, {text, ids.size()}, rng.uniform(), scratch);
        trace.step(raw, legal, id);
        return id;
    };
    const GuidedText text =
        generate_guided(predict, ids, constraint, pick, [](int) { return true; });
    trace.print_rest();
    const std::vector<int> fresh(text.ids.begin() + static_cast<std::ptrdiff_t>(ids.size()),
                                 text.ids.end());
    std::printf("\n%s%s\n\n   %s; %zu tokens, %d forward passes, %d tokens forced\n",
                prompt.c_str(), model.tokenizer.decode(fresh).c_str(),
                text.complete ? "complete" : "not complete", fresh.size(), text.forward_passes,
                text.forced);
    if (!figure.empty()) trace.write_figure(figure);
}

}  // namespace

int main(int argc, char** argv) {
    Settings settings;
    std::string part = "all", figure;
    return run_program(
        argc, argv, "Chapter 16: guided generation. Without a request: data/schemas/person.json.",
        [&](CLI::App& app) {
            app.add_option("prompt", settings.prompt, "what stands before the text")
                ->capture_default_str();
            settings.guide.add_options(app);
            app.add_flag(
                "--continue", settings.continue_prompt,
                "the prompt is the beginning of the text, and held to the request as well");
            app.add_option("--part", part,
                           "what to show: engine (parts 1 and 2), model (part 3) or all")
                ->capture_default_str()
                ->check(CLI::IsMember({"engine", "model", "all"}));
            app.add_option("--temperature", settings.sampling.temperature, "0 is greedy")
                ->capture_default_str();
            app.add_option("--top-k", settings.sampling.top_k,
                           "the k most probable legal tokens, 0: all")
                ->capture_default_str();
            app.add_option("--top-p", settings.sampling.top_p,
                           "the smallest set of legal tokens with this mass")
                ->capture_default_str();
            app.add_option("--max-new-tokens", settings.max_new_tokens, "the budget")
                ->capture_default_str()
                ->check(CLI::Range(0, 1000000));
            app.add_option("--steps", settings.shown, "steps to show")
                ->capture_default_str()
                ->check(CLI::Range(0, 1000000));
            app.add_option("--seed", settings.seed, "of the draws")->capture_default_str();
            app.add_option("--model", settings.model, "a model directory")->capture_default_str();
            app.add_option("--figure", figure,
                           "write the number of allowed tokens at each step as a picture (SVG)");
        },
        [&] {
            settings.guide.name();  // two requests at once are refused before anything is shown
            if (part != "model") {
                show_machines();
                show_engine();
            }
            if (part == "all") std::printf("\n");
            if (part != "engine") show_model(settings, figure);
        });
}
