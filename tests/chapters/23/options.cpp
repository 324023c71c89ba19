// Every option of the command line, one by one: it changes what is shown, or it is refused, or the
// list below says why it changes nothing.
#include "tests/catch.hpp"

#include <filesystem>
#include <sstream>

#include <fcntl.h>
#include <unistd.h>

#include "chapters/23_text_generator/writing.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"
#include "tests/support/words.hpp"

using namespace tbt;
using test::words_of;

namespace {

using Words = std::vector<std::string>;

Words operator+(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}

// What goes to a descriptor while this lives is collected in a file.
class Collected {
public:
    Collected(int descriptor, std::string file) : descriptor_(descriptor), file_(std::move(file)) {
        std::fflush(nullptr);
        before_ = ::dup(descriptor);
        const int opened = ::open(file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
        ::dup2(opened, descriptor);
        ::close(opened);
    }
    ~Collected() { restore(); }
    std::string text() {
        restore();
        return read_file(file_);
    }

private:
    void restore() {
        if (before_ < 0) return;
        std::fflush(nullptr);
        ::dup2(before_, descriptor_);
        ::close(before_);
        before_ = -1;
    }
    int descriptor_, before_ = -1;
    std::string file_;
};

struct Outcome {
    bool refused = false;
    std::string shown;  // stdout, stderr without times, and which files there are; or the refusal
};

const test::TemporaryFolder& folder() {
    static const test::TemporaryFolder files;
    return files;
}
const std::vector<std::string> written_files = {"t.jsonl", "f.svg", "h.html"};

// Without the lines that tell times: never twice the same.
std::string without_times(const std::string& text) {
    std::string out;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);)
        if (line.find(" ms") == std::string::npos) out += line + "\n";
    return out;
}

Outcome run(const Words& words) {
    for (const std::string& name : written_files) std::filesystem::remove(folder().file(name));
    Outcome outcome;
    Collected out(STDOUT_FILENO, folder().file("out")), err(STDERR_FILENO, folder().file("err"));
    try {
        Settings settings;
        read_command_line(
            words, [&](OptionTable& app) { add_options(app, settings); },
            [&] {
                complete(settings);
                write(settings);
            });
    } catch (const Error& e) {
        outcome.refused = true;
        out.text(), err.text();
        outcome.shown = e.what();
        return outcome;
    }
    outcome.shown = out.text() + without_times(err.text());
    for (const std::string& name : written_files)
        outcome.shown += std::filesystem::exists(folder().file(name)) ? "+" : "-";
    return outcome;
}

const std::string prompt = "It was";
const Words draws = {prompt, "-n", "40", "--seed", "1"}, certain = draws + Words{"--greedy"},
            beams = draws + Words{"--num-beams", "3"},
            fills = {prompt, "-n", "5", "--infill", " and then."};

// How an option is typed, and a run that it must change.
struct Typed {
    Words words, in = draws;
};

const std::string schema =
    R"({"type":"object","properties":{"name":{"type":"string","maxLength":9}},)"
    R"("required":["name"]})";

const std::map<std::string, Typed>& options() {
    const Words cold = draws + Words{"--temperature", "0.2"};
    const Words steered = draws + Words{"--mirostat", "2"};
    const Words loops = {"The sun is shining and the sky is clear. The sun is", "-n", "20",
                         "--greedy"};
    const Words dry = loops + Words{"--dry-multiplier", "2"};
    const Words json = {"A name:", "-n", "30", "--json-schema", schema};
    const Words lookup =
        Words{
            "The sun is shining and the sky is clear. The weather today is sunny. The sun is "
            "shining and the sky is"} +
        words_of("-n 40 --coupling rejection --temperature 1 --prompt-lookup-num-tokens 3");
    const Words drafts = draws + Words{"--assistant-model", "sketch", "--stats"};
    const Words heads = draws + Words{"--medusa", "--stats"};
    const Words stats = draws + Words{"--stats"};
    const auto file = [](const char* name) { return folder().file(name); };
    static const std::map<std::string, Typed> all = {
        {"--prompt", {{"--prompt", "The old"}, {"-n", "10"}}},
        {"prompt", {{"The old"}, {"-n", "10"}}},
        {"--prompt-file", {{"-f", file("prompts")}, {"-n", "10"}}},
        {"--model", {{"-m", "data/models/sketch"}}},
        {"--weights", {{"--weights", "int4"}}},
        {"--cache", {{"--cache", "f16"}, draws + Words{"--logprobs", "3"}}},
        {"--strategy", {{"--strategy", "greedy"}}},
        {"--temperature", {{"--temperature", "0.2"}}},
        {"--top-k", {{"--top-k", "1"}}},
        {"--top-p", {{"--top-p", "0.05"}}},
        {"--min-p", {{"--min-p", "0.9"}}},
        {"--typical-p", {{"--typical-p", "0.1"}}},
        {"--epsilon-cutoff", {{"--epsilon-cutoff", "0.3"}}},
        {"--eta-cutoff", {{"--eta-cutoff", "0.9"}}},
        {"--repetition-penalty", {{"--repetition-penalty", "50"}, loops}},
        {"--frequency-penalty", {{"--frequency-penalty", "50"}, loops}},
        {"--presence-penalty", {{"--presence-penalty", "50"}, loops}},
        {"--penalty-scope",
         {{"--penalty-scope", "all"}, loops + Words{"--repetition-penalty", "9"}}},
        {"--no-repeat-ngram-size", {{"--no-repeat-ngram-size", "1"}, loops}},
        {"--logit-bias", {{"--logit-bias", "13=60"}}},
        {"--preset", {{"--preset", "factual"}}},
        {"--dialect", {{"--dialect", "transformers"}}},
        {"--greedy", {{"--greedy"}}},
        {"--do-sample", {{"--do-sample"}, {prompt, "-n", "40", "--num-beams", "3", "--seed", "2"}}},
        {"--seed", {{"--seed", "9"}, {prompt, "-n", "40"}}},
        {"--bad-words", {{"--bad-words", "dark"}}},
        {"--ban-text", {{"--ban-text", "dark"}}},
        {"--guidance-scale", {{"--guidance-scale", "3"}}},
        {"--negative-prompt",
         {{"--negative-prompt", "No"}, draws + Words{"--guidance-scale", "3"}}},
        {"--contrast-model", {{"--contrast-model", "sketch"}}},
        {"--contrast-strength",
         {{"--contrast-strength", "4"}, draws + Words{"--contrast-model", "sketch"}}},
        {"--contrast-plausible",
         {{"--contrast-plausible", "0.9"}, draws + Words{"--contrast-model", "sketch"}}},
        {"--max-new-tokens", {{"-n", "2"}, {prompt, "--stop-strings", "."}}},
        {"--min-new-tokens", {{"--min-new-tokens", "9"}, draws + Words{"--logit-bias", "8191=30"}}},
        {"--stop-strings", {{"--stop-strings", "a"}}},
        {"--context", {{"--context", "slide"}, {prompt, "-n", "600", "--greedy"}}},
        {"--keep", {{"--keep", "4"}, {prompt, "-n", "620", "--ignore-eos", "--context", "slide"}}},
        {"--no-escape", {{"--no-escape"}, {"a\\nb", "-n", "4"}}},
        {"--stop-token-ids", {{"--stop-token-ids", "13"}, loops}},
        {"--ignore-eos", {{"--ignore-eos"}, draws + Words{"--logit-bias", "8191=30"}}},
        {"--dynatemp-range", {{"--dynatemp-range", "0.7"}}},
        {"--dynatemp-exp", {{"--dynatemp-exp", "9"}, draws + Words{"--dynatemp-range", "0.8"}}},
        {"--top-n-sigma", {{"--top-n-sigma", "0.01"}}},
        {"--xtc-probability", {{"--xtc-probability", "1"}}},
        {"--xtc-threshold", {{"--xtc-threshold", "0.5"}, draws + Words{"--xtc-probability", "1"}}},
        {"--mirostat", {{"--mirostat", "2"}}},
        {"--mirostat-tau", {{"--mirostat-tau", "0.1"}, steered}},
        {"--mirostat-eta", {{"--mirostat-eta", "3"}, steered + Words{"--mirostat-tau", "1"}}},
        {"--dry-multiplier", {{"--dry-multiplier", "50"}, loops}},
        {"--dry-base", {{"--dry-base", "9"}, loops + Words{"--dry-multiplier", "0.1"}}},
        {"--dry-allowed-length", {{"--dry-allowed-length", "9"}, dry}},
        {"--dry-sequence-breaker", {{"--dry-sequence-breaker", " "}, dry}},
        {"--suppress-tokens", {{"--suppress-tokens", "13,308"}, loops}},
        {"--begin-suppress-tokens", {{"--begin-suppress-tokens", "2114"}, loops}},
        {"--forced-bos-token-id", {{"--forced-bos-token-id", "300"}}},
        {"--forced-eos-token-id",
         {{"--forced-eos-token-id", "300"}, {prompt, "-n", "9", "--seed", "1"}}},
        {"--exponential-decay-length-penalty", {{"--exponential-decay-length-penalty", "2,9"}}},
        {"--sequence-bias", {{"--sequence-bias", "13=60"}}},
        {"--min-tokens-to-keep", {{"--min-tokens-to-keep", "2000"}}},
        {"--watermark", {{"--watermark", "7"}}},
        {"--renormalize-logits",
         {{"--renormalize-logits"},
          beams + Words{"--repetition-penalty", "3", "--output-format", "json"}}},
        {"--decoder", {{"--decoder", "diffusion"}}},
        {"--infill", {{"--infill", " x"}}},
        {"--diffusion-steps", {{"--diffusion-steps", "1"}, fills}},
        {"--diffusion-order", {{"--diffusion-order", "confidence"}, fills}},
        {"--block-length", {{"--block-length", "1"}, fills}},
        {"--diffusion-best-of", {{"--diffusion-best-of", "9"}, fills}},
        {"--num-beams", {{"--num-beams", "3"}}},
        {"--length-penalty",
         {{"--length-penalty", "-3"}, beams + Words{"--output-format", "json"}}},
        {"--early-stopping",
         {{"--early-stopping", "true"},
          {"Explain gravity:", "-n", "80", "--num-beams", "6", "--output-format", "json"}}},
        {"--num-beam-groups",
         {{"--num-beam-groups", "3"},
          beams + Words{"--output-format", "json", "--num-return-sequences", "3"}}},
        {"--diversity-penalty",
         {{"--diversity-penalty", "99"},
          beams + Words{"--num-beam-groups", "3", "--num-return-sequences", "3"}}},
        {"--assistant-model", {{"--assistant-model", "sketch"}, stats}},
        {"--num-assistant-tokens", {{"--num-assistant-tokens", "1"}, drafts}},
        {"--num-assistant-tokens-schedule",
         {{"--num-assistant-tokens-schedule", "adaptive"},
          drafts + Words{"--coupling", "rejection"}}},
        {"--prompt-lookup-num-tokens", {{"--prompt-lookup-num-tokens", "4"}, stats}},
        {"--max-matching-ngram-size", {{"--max-matching-ngram-size", "1"}, lookup}},
        {"--coupling", {{"--coupling", "rejection"}, drafts}},
        {"--medusa", {{"--medusa"}, stats}},
        {"--medusa-heads", {{"--medusa-heads", "data/models/none"}, heads}},
        {"--medusa-nodes", {{"--medusa-nodes", "1"}, heads}},
        {"--grammar", {{"--grammar", "root ::= \"ab\" [a-z]{3}"}}},
        {"--regex", {{"--regex", "(ab|ac)[0-9]{2}"}}},
        {"--json-schema", {{"--json-schema", "{\"type\":\"integer\",\"maximum\":99}"}}},
        {"--tools", {{"--tools", "data/schemas/tools.json"}, {prompt, "-n", "40"}}},
        {"--choice", {{"--choice", "yes,no"}}},
        {"--integer", {{"--integer", "1:10"}}},
        {"--json", {{"--json"}}},
        {"--strict", {{"--strict"}, {prompt, "--json-schema", "{\"const\":1,\"colour\":2}"}}},
        {"--max-whitespace",
         {{"--max-whitespace", "0"},
          {prompt, "-n", "30", "--json-layout", "any", "--json-schema", schema, "--logit-bias",
           "200=0"}}},
        {"--json-layout", {{"--json-layout", "pretty"}, json}},
        {"--max-string",
         {{"--max-string", "3"}, {prompt, "-n", "30", "--json-schema", "{\"type\":\"string\"}"}}},
        {"--open", {{"--open"}, json}},
        {"--nullable",
         {{"--nullable"},
          {prompt, "--greedy", "--json-schema",
           R"({"type":"integer","enum":[null,98765],"nullable":true})"}}},
        {"--continue", {{"--continue"}, {"{\"name\"", "-n", "30", "--json-schema", schema}}},
        {"--num-return-sequences", {{"--num-return-sequences", "2"}}},
        {"--output-format", {{"--output-format", "json"}}},
        {"--explain", {{"--explain"}}},
        {"--logprobs", {{"--logprobs", "2"}}},
        {"--prompt-logprobs", {{"--prompt-logprobs", "2"}}},
        {"--trace", {{"--trace", file("t.jsonl")}}},
        {"--figure", {{"--figure", file("f.svg")}}},
        {"--html", {{"--html", file("h.html")}}},
        {"--no-display-prompt", {{"--no-display-prompt"}}},
        {"--stats", {{"--stats"}}},
        {"--compare", {{"--compare", "x"}}},
        {"--attention", {{"--attention", "0.0"}}},
    };
    return all;
}

// No text depends on these, by design.
const std::map<std::string, std::string> of_no_text = {
    {"--threads", "no bit depends on the number of threads"},
    {"--no-stream", "says when the text is shown, not what"},
    {"--chat", "reads lines; tests of talk.cpp and chapter 10"},
    {"--echo", "the same"},
    {"--system", "the same"},
    {"--chat-template", "the same"},
};

std::set<std::string> names(const std::string& list) {
    const Words words = words_of(list);
    return {words.begin(), words.end()};
}

// Alone, without what it works on, an option may still wait for its occasion.
const std::set<std::string> waits = names(
    "--cache "           // f16 changes logits by little, and this text not
    "--do-sample "       // what happens anyway
    "--context "         // until the context is full
    "--no-escape "       // for prompts with a backslash
    "--min-new-tokens "  // where the end comes early
    "--ignore-eos "      // where it comes at all
    // where tokens come again
    "--repetition-penalty --frequency-penalty --presence-penalty --no-repeat-ngram-size "
    "--dry-multiplier --begin-suppress-tokens --suppress-tokens --stop-token-ids --bad-words "
    "--ban-text "
    // the same text, in fewer passes
    "--assistant-model --prompt-lookup-num-tokens --medusa --num-assistant-tokens-schedule "
    "--coupling "
    "--forced-eos-token-id");  // where the limit is reached

// The most probable token is taken, or a search made: the same text by other means.
const std::set<std::string> same_when_greedy = names(
    "--strategy --dialect --greedy --seed --top-k --top-p --min-p --typical-p --epsilon-cutoff "
    "--eta-cutoff --top-n-sigma --min-tokens-to-keep --mirostat --dynatemp-range "
    "--xtc-probability");
const std::set<std::string> same_in_beams = names(
    "--dialect --seed --renormalize-logits --length-penalty --early-stopping --num-beam-groups "
    "--stop-strings --num-beams --strategy --sequence-bias");
const std::set<std::string> same_when_filling =
    names("--decoder --diffusion-best-of --block-length --top-p");

void prepare_files() { write_file(folder().file("prompts"), "The sea\n"); }

}  // namespace

TEST_CASE("every option changes what is shown in a run where it should") {
    prepare_files();
    std::map<std::string, std::string> before;
    for (const auto& [name, typed] : options()) {
        std::string key;
        for (const std::string& word : typed.in) key += word + "\n";
        if (!before.contains(key)) before[key] = run(typed.in).shown;
        const Outcome with = run(typed.in + typed.words);
        INFO(name << ": " << with.shown);
        const bool only_refused =
            name == "--compare" || name == "--medusa-heads" || name == "--strict";
        CHECK((with.refused == only_refused && with.shown != before[key]));
    }
}

TEST_CASE(
    "every option that is given to a decoder alone changes the text, says so, or is refused") {
    prepare_files();
    const std::vector<std::tuple<std::string, Words, std::set<std::string>>> decoders = {
        {"draws", draws, {}},
        {"greedy", certain, same_when_greedy},
        {"beams", beams, same_in_beams},
        {"fills", fills, same_when_filling}};
    for (const auto& [decoder, words, same] : decoders) {
        const Outcome before = run(words);
        REQUIRE_FALSE(before.refused);
        for (const auto& [name, typed] : options()) {
            if (waits.contains(name) || same.contains(name)) continue;
            if (name == "--penalty-scope") continue;  // neutral without a penalty
            Outcome with;
            try {
                with = run(words + typed.words);
            } catch (const Error& e) {
                with = {true, e.what()};  // a budget that is too small, a model of another kind
            }
            INFO(decoder << " and " << name << ": " << with.shown);
            CHECK((with.refused || with.shown != before.shown));
        }
    }
}

TEST_CASE("the tests of options know every option that there is") {
    Settings settings;
    read_command_line({}, [&](OptionTable& app) {
        add_options(app, settings);
        for (const DeclaredOption& option : CommandLine(app).options()) {
            INFO(option.name());
            CHECK((options().contains(option.name()) || of_no_text.contains(option.name())));
        }
    });
}
