#include "chapters/23_text_generator/aliases.hpp"

#include <algorithm>
#include <cstdio>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

namespace {

constexpr const char* processor = "this course computes on the processor";
constexpr const char* ignored = "";

// In a row: all names that say the same.
const Alias same_names[] = {
    // llama.cpp
    {"--temp", "--temperature"},
    {"-s", "--seed"},
    {"-t", "--threads"},
    {"--n-predict --predict", "--max-new-tokens"},
    {"--repeat-penalty", "--repetition-penalty"},
    {"--typical --typ-p", "--typical-p"},
    {"-l", "--logit-bias"},
    {"-r --reverse-prompt", "--stop-strings"},
    {"--grammar-file", "--grammar"},
    {"-j -jf --json-schema-file", "--json-schema"},
    {"--file", "--prompt-file"},
    {"-cnv --conversation -i --interactive", "--chat"},
    {"-sys --system-prompt", "--system"},
    {"--chat-template-file", "--chat-template"},
    {"-md --model-draft", "--assistant-model"},
    {"--draft --draft-max", "--num-assistant-tokens"},
    {"-ctk --cache-type-k -ctv --cache-type-v", "--cache"},
    {"-np --parallel", "--num-return-sequences"},
    {"--perf --show-timings", "--stats"},
    {"--dynatemp-exponent", "--dynatemp-exp"},  // the last two in bodies of its server
    {"--dry-sequence-breakers", "--dry-sequence-breaker"},
    // vLLM, transformers and OpenAI
    {"--max-tokens", "--max-new-tokens"},
    {"--stop", "--stop-strings"},
    {"--min-tokens", "--min-new-tokens"},
    {"--guided-json", "--json-schema"},
    {"--guided-regex", "--regex"},
    {"--guided-choice", "--choice"},
    {"--guided-grammar", "--grammar"},
    {"--dtype --torch-dtype", "--weights"},

    // What always happens here, or changes neither text nor speed.
    {"--jinja -e --escape -no-cnv --no-conversation", ignored},
    {"--color -co --stream --use-cache -fa --flash-attn", ignored, nullptr, Alias::maybe},
    {"--warmup --no-warmup --log-disable --no-perf --simple-io -mli --multiline-input "
     "--no-context-shift -cb --cont-batching --no-repack",
     ignored},
    {"-lv --log-verbosity", ignored, nullptr, Alias::one},
    {"--verbose-prompt --verbose", ignored},
    // The rest is ignored with a line.
    {"-c --ctx-size --max-model-len", ignored,
     "the context is the model's own (--context slide goes on when it is full)", Alias::one},
    {"-b --batch-size -ub --ubatch-size", ignored, "prompts are read in batches by themselves",
     Alias::one},
    {"--mlock --mmap --no-mmap", ignored, "weights are read from the file as they are needed"},
    {"--numa", ignored, "threads stay on the cores that the system gives them", Alias::one},
    {"-tb --threads-batch", ignored, "--threads N is for prompts and new tokens alike", Alias::one},
    {"--prio --poll", ignored, "the system decides which threads run", Alias::one},
    {"-ngl --n-gpu-layers --gpu-layers -dev --device --device-map -mg --main-gpu -sm --split-mode "
     "-ts --tensor-split",
     ignored, processor, Alias::one},
    {"-nkvo --no-kv-offload --no-op-offload", ignored, processor},
    {"-ngld", ignored, processor, Alias::one},
    {"--draft-min --draft-p-min", ignored, "the draft's length is --num-assistant-tokens",
     Alias::one},
    {"--samplers --sampling-seq --sampler-seq", ignored,
     "the order of the steps is that of --dialect: ours, llama.cpp, transformers or vllm",
     Alias::one},
    {"--log-file", ignored, "errors and figures go to stderr; 2> FILE keeps them", Alias::one},
    {"--special -sp", ignored, "special tokens are not shown"},

    // What would change the text, and cannot be done.
    {"-hf -hfr --hf-repo", nullptr,
     "nothing is fetched here; hf download NAME does it, then --model NAME"},
    {"--max-length", nullptr,
     "it counts the prompt's tokens too; say with --max-new-tokens how many are to be written"},
    {"--min-length", nullptr, "it counts the prompt's tokens too; take --min-new-tokens"},
};

const std::vector<Alias> all_aliases = [] {
    std::vector<Alias> all;
    for (const Alias& row : same_names)
        for (const std::string& name : words_in(row.typed))
            all.push_back({name, row.option, row.answer, row.value});
    return all;
}();

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

// A word of a command line: an option, with the value after its sign (=) if it has one there.
struct Typed {
    std::string name, value;
    bool has_value = false;
};

Typed typed(const std::string& word) {
    const std::size_t sign = std::min(word.find('='), word.size());
    Typed t{word.substr(0, sign), word.substr(std::min(sign + 1, word.size())), sign < word.size()};
    if (t.name.starts_with("--")) std::replace(t.name.begin(), t.name.end(), '_', '-');
    return t;
}

// Reads the words one after the other.
class Translation {
public:
    Translation(const std::vector<std::string>& words, std::vector<std::string>& notes)
        : words_(words), notes_(notes) {}

    std::vector<std::string> run() {
        for (; at_ < words_.size() && words_[at_] != "--"; ++at_) translate(typed(words_[at_]));
        ours_.insert(ours_.end(), words_.begin() + static_cast<std::ptrdiff_t>(at_), words_.end());
        return ours_;
    }

private:
    void translate(const Typed& t) {
        if (special(t)) return;
        const auto alias = std::find_if(aliases().begin(), aliases().end(),
                                        [&](const Alias& a) { return t.name == a.typed; });
        if (alias == aliases().end()) return ours_.push_back(words_[at_]);
        if (!alias->option) throw UsageError(t.name + ": " + alias->answer);
        if (*alias->option) return add(alias->option, t);
        const bool next_is_value = alias->value == Alias::one ||
                                   (alias->value == Alias::maybe && at_ + 1 < words_.size() &&
                                    is_one_of(words_[at_ + 1], {"on", "off", "auto", "0", "1",
                                                                "true", "false", "True", "False"}));
        if (next_is_value && !t.has_value) next(t.name);
        if (alias->answer) notes_.push_back(t.name + " is ignored: " + alias->answer);
    }

    // Our name for a type of torch's.
    static std::string weights_of(const std::string& given) {
        const std::string type = given.substr(given.find('.') + 1);  // torch.float16
        if (is_one_of(type, {"float16", "half", "fp16"})) return "f16";
        if (is_one_of(type, {"bfloat16", "bf16"})) return "bf16";
        if (is_one_of(type, {"float32", "float", "fp32"})) return "f32";
        return type == "auto" ? "stored" : type;
    }

    // Options whose values have other names here.
    bool special(const Typed& t) {
        const auto switched = [&](std::string_view word) {
            return is_one_of(word, {"True", "False", "true", "false"});
        };
        const bool next_switches = at_ + 1 < words_.size() && switched(words_[at_ + 1]);
        // transformers' flags have a value, as Python's parsers of options want it.
        if (is_one_of(t.name,
                      {"--do-sample", "--ignore-eos", "--renormalize-logits", "--greedy"}) &&
            (t.has_value ? switched(t.value) : next_switches)) {
            const std::string value = t.has_value ? t.value : words_[++at_];
            if (value[0] == 'T' || value[0] == 't') ours_.push_back(t.name);
            else if (t.name == "--do-sample" && !searches()) ours_.emplace_back("--greedy");
            return true;
        }
        if (t.name == "--early-stopping" && (t.has_value ? switched(t.value) : next_switches)) {
            std::string value = t.has_value ? t.value : words_[++at_];
            value[0] = value[0] == 'T' || value[0] == 't' ? 't' : 'f';
            return add(t.name, {t.name, value, true}), true;
        }
        if (is_one_of(t.name, {"--load-in-8bit", "--load-in-4bit"})) {
            const std::string off = (t.has_value ? t.value : next_switches ? words_[++at_] : "");
            if (!is_one_of(off, {"False", "false", "0"}))
                add("--weights", {t.name, t.name == "--load-in-8bit" ? "int8" : "int4", true});
            return true;
        }
        if (is_one_of(t.name, {"--dtype", "--torch-dtype"}))
            return add("--weights",
                       {t.name, weights_of(t.has_value ? t.value : next(t.name)), true}),
                   true;
        if (t.name == "--context-shift") return ours_.emplace_back("--context=slide"), true;
        // Keys and values have one type here.
        if (is_one_of(t.name, {"-ctk", "-ctv", "--cache-type-k", "--cache-type-v"})) {
            const std::string type = t.has_value ? t.value : next(t.name);
            if (!cache_.empty() && cache_ != type)
                throw UsageError(t.name + ": keys and values are of one type here, " + cache_ +
                                 " or " + type + "; --cache f16 is for both");
            if (std::exchange(cache_, type).empty()) add("--cache", {t.name, type, true});
            return true;
        }
        // The system text makes it a chat, as in llama.cpp.
        if (is_one_of(t.name, {"-sys", "--system-prompt"}) &&
            !typed_anywhere({"-cnv", "--chat", "--conversation", "-i", "--interactive"}))
            ours_.emplace_back("--chat");
        // Values by which llama.cpp says that something is off.
        if (is_one_of(t.name, {"--top-nsigma", "--top-n-sigma", "--min-keep"})) {
            std::string value = t.has_value ? t.value : next(t.name);
            if (t.name == "--min-keep") value = value == "0" ? "1" : value;
            else if (value == "-1") value = "0";
            return ours_.push_back(t.name + "=" + value), true;
        }
        // It takes numbers, --penalty-scope names.
        if (t.name != "--repeat-last-n") return false;
        const std::string value = t.has_value ? t.value : next(t.name);
        if (value != "-1" &&
            (value.empty() || value.find_first_not_of("0123456789") < value.size()))
            throw UsageError(t.name + ": got '" + value +
                             "', expected a number of tokens, or -1 for all");
        add("--penalty-scope", {t.name, value == "-1" ? "all" : "last-" + value, true});
        return true;
    }

    std::string next(const std::string& name) {
        if (at_ + 1 == words_.size()) throw UsageError(name + ": expected a value");
        return words_[++at_];
    }

    void add(const std::string& option, const Typed& t) {
        ours_.push_back(t.has_value ? option + "=" + t.value : option);
    }

    bool typed_anywhere(std::initializer_list<std::string_view> names) const {
        return std::any_of(words_.begin(), words_.end(),
                           [&](const std::string& w) { return is_one_of(typed(w).name, names); });
    }
    // Are several beams asked for? Then to draw nothing is the default.
    bool searches() const {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            const Typed t = typed(words_[i]);
            if (t.name == "--num-beams")
                return (t.has_value ? t.value : i + 1 < words_.size() ? words_[i + 1] : "") != "1";
        }
        return false;
    }

    const std::vector<std::string>& words_;
    std::vector<std::string>& notes_;
    std::size_t at_ = 0;
    std::vector<std::string> ours_;
    std::string cache_;  // the type of keys and values that was asked for
};

}  // namespace

const std::vector<Alias>& aliases() { return all_aliases; }

std::vector<std::string> translated(const std::vector<std::string>& words,
                                    std::vector<std::string>& notes) {
    return Translation(words, notes).run();
}

std::vector<std::string> with_our_names(std::vector<std::string> words) {
    std::vector<std::string> notes;
    words = translated(words, notes);
    for (const std::string& note : notes) std::fprintf(stderr, "%s\n", note.c_str());
    return words;
}

}  // namespace tbt
