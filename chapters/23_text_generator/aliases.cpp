#include "chapters/23_text_generator/aliases.hpp"

#include <algorithm>
#include <string_view>

#include "lib/core/error.hpp"

namespace tbt {

namespace {

constexpr const char* processor =
    "this course computes on the processor; --threads N says on how many cores";
constexpr const char* by_itself = "that happens by itself here, with the same bits; leave it out";
constexpr const char* weights =
    "weights are kept as they are stored; --weights f32, f16, bf16, int8 or int4 says otherwise";
constexpr const char* both = "--cache f16 (or -ctk f16) is for keys and values alike";
constexpr const char* hub =
    "nothing is fetched here; hf download NAME --local-dir DIR does it, then --model DIR";
constexpr const char* context =
    "the context is the model's own; --context slide goes on where it is full";

const std::vector<Alias> all_aliases = {
    // llama.cpp
    {"--temp", "--temperature"},
    {"-s", "--seed"},
    {"-t", "--threads"},
    {"--n-predict", "--max-new-tokens"},
    {"--predict", "--max-new-tokens"},
    {"--repeat-penalty", "--repetition-penalty"},
    {"--typical", "--typical-p"},
    {"-l", "--logit-bias"},
    {"-r", "--stop-strings"},
    {"--reverse-prompt", "--stop-strings"},
    {"--grammar-file", "--grammar"},
    {"-j", "--json-schema"},
    {"-jf", "--json-schema"},
    {"--json-schema-file", "--json-schema"},
    {"--file", "--prompt-file"},
    {"-cnv", "--chat"},
    {"--conversation", "--chat"},
    {"-i", "--chat"},
    {"--interactive", "--chat"},
    {"-sys", "--system"},
    {"--system-prompt", "--system"},
    {"--chat-template-file", "--chat-template"},
    {"--jinja", ""},
    {"-md", "--assistant-model"},
    {"--model-draft", "--assistant-model"},
    {"--draft", "--num-assistant-tokens"},
    {"--draft-max", "--num-assistant-tokens"},
    {"-ctk", "--cache"},
    {"--cache-type-k", "--cache"},
    {"-np", "--num-return-sequences"},
    {"--perf", "--stats"},
    {"-e", ""},
    {"--escape", ""},
    {"-no-cnv", ""},
    {"--no-conversation", ""},
    {"--color", ""},
    // vLLM and OpenAI
    {"--max-tokens", "--max-new-tokens"},
    {"--stop", "--stop-strings"},
    {"--min-tokens", "--min-new-tokens"},
    {"--guided-json", "--json-schema"},
    {"--guided-regex", "--regex"},
    {"--guided-choice", "--choice"},
    {"--guided-grammar", "--grammar"},
    {"--stream", ""},
    // options that do not exist here
    {"-ngl", nullptr, processor},
    {"--n-gpu-layers", nullptr, processor},
    {"--gpu-layers", nullptr, processor},
    {"--device", nullptr, processor},
    {"-dev", nullptr, processor},
    {"-hf", nullptr, hub},
    {"-hfr", nullptr, hub},
    {"--hf-repo", nullptr, hub},
    {"-ctv", nullptr, both},
    {"--cache-type-v", nullptr, both},
    {"--main-gpu", nullptr, processor},
    {"-mg", nullptr, processor},
    {"--split-mode", nullptr, processor},
    {"-sm", nullptr, processor},
    {"-fa", nullptr, by_itself},
    {"--flash-attn", nullptr, by_itself},
    {"--mlock", nullptr, by_itself},
    {"--no-mmap", nullptr, by_itself},
    {"--numa", nullptr, by_itself},
    {"-b", nullptr, by_itself},
    {"--batch-size", nullptr, by_itself},
    {"-ub", nullptr, by_itself},
    {"--ubatch-size", nullptr, by_itself},
    {"--dtype", nullptr, weights},
    {"--torch-dtype", nullptr, weights},
    {"--load-in-8bit", nullptr, weights},
    {"--load-in-4bit", nullptr, weights},
    {"-c", nullptr, context},
    {"--ctx-size", nullptr, context},
    {"--max-length", nullptr,
     "it counts the prompt's tokens too; say with --max-new-tokens how many are to be written"},
};

}  // namespace

const std::vector<Alias>& aliases() { return all_aliases; }

// --repeat-last-n takes numbers, --penalty-scope names.
static std::vector<std::string> scope_words(const std::string& value) {
    if (value == "64") return {"--penalty-scope", "last-64"};
    if (value == "-1") return {"--penalty-scope", "all"};
    throw UsageError("--repeat-last-n: got '" + value +
                     "', expected 64 (--penalty-scope last-64) or -1 (--penalty-scope all)");
}

std::vector<std::string> with_our_names(std::vector<std::string> words) {
    std::vector<std::string> ours;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "--") {
            ours.insert(ours.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        const std::size_t sign = std::min(words[i].find('='), words[i].size());
        std::string name = words[i].substr(0, sign);
        if (name.starts_with("--")) std::replace(name.begin(), name.end(), '_', '-');
        if (name == "--repeat-last-n") {
            const bool apart = sign == words[i].size();
            if (apart && i + 1 == words.size()) throw UsageError(name + ": expected a number");
            for (std::string& word : scope_words(apart ? words[++i] : words[i].substr(sign + 1)))
                ours.push_back(std::move(word));
            continue;
        }
        const auto alias = std::find_if(aliases().begin(), aliases().end(),
                                        [&](const Alias& a) { return name == a.typed; });
        if (alias == aliases().end()) ours.push_back(words[i]);
        else if (alias->answer) throw UsageError(name + ": " + alias->answer);
        else if (*alias->option) ours.push_back(alias->option + words[i].substr(sign));
    }
    return ours;
}

}  // namespace tbt
