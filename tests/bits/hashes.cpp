// The same bits everywhere: logits of models and texts of all decoders against hashes that are kept
// in tests/data/hashes.txt. Whatever the processor (AVX-512, AVX2, NEON), the compiler, its
// optimisation or the number of threads: the hashes are these.
//
//   make test ONLY=bits     compares (make test-bits: in several builds)
//   make hashes             writes them anew, after a change that is meant
#include "tests/catch.hpp"

#include <bit>
#include <cstdlib>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

constexpr const char* hashes_file = "tests/data/hashes.txt";

// What is wanted, by name; empty while it is written anew.
using Hashes = std::map<std::string, std::string>;

Hashes read_hashes() {
    Hashes hashes;
    std::istringstream lines(read_file(hashes_file));
    for (std::string line; std::getline(lines, line);) {
        const std::size_t space = line.find(' ');
        if (line.empty() || line[0] == '#' || space == std::string::npos) continue;
        hashes[line.substr(space + 1)] = line.substr(0, space);
    }
    return hashes;
}

const bool writes = std::getenv("TBT_WRITE_HASHES") != nullptr;

// The lines for one subject, compared or written in the place of those that begin with its name.
class Lines {
public:
    explicit Lines(std::string subject) : subject_(std::move(subject)), kept_(read_hashes()) {}
    ~Lines() {
        if (!writes) return;
        std::erase_if(kept_, [&](const auto& line) { return line.first.starts_with(subject_); });
        kept_.insert(now_.begin(), now_.end());
        std::string text =
            "# FNV-1a of logits, bit by bit, and of texts; written by make hashes, checked by\n"
            "# make test ONLY=bits. A change of these is a change for CHANGELOG.md.\n";
        for (const auto& [name, hash] : kept_) text.append(hash).append(" ").append(name) += '\n';
        write_file(hashes_file, text);
    }
    void add(const std::string& what, const Hash& hash) {
        const std::string name = subject_ + ": " + what;
        now_[name] = hash.text();
        if (writes) return;
        const auto wanted = kept_.find(name);
        INFO(name << ": if the model was exchanged, or the change is meant: make hashes");
        CHECK((wanted == kept_.end() ? "no hash is kept" : wanted->second) == hash.text());
    }

private:
    std::string subject_;
    Hashes kept_, now_;
};

Hash hash_of(std::span<const float> values) {
    Hash hash;
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        for (int shift = 0; shift < 32; shift += 8)
            hash.add(static_cast<unsigned char>(bits >> shift & 0xff));
    }
    return hash;
}

// Logits of some tokens read together and of one after them, for each way to keep the weights,
// and keys and values.
void add_logits(Lines& lines, const std::string& name, const std::string& directory) {
    for (const TransformerOptions& options :
         {TransformerOptions{0, WeightType::f32}, TransformerOptions{0, WeightType::f16},
          TransformerOptions{0, WeightType::bf16}, TransformerOptions{0, WeightType::int8},
          TransformerOptions{0, WeightType::int4},
          TransformerOptions{0, WeightType::f32, WeightType::f16}}) {
        Transformer gpt = load_transformer(directory, options);
        std::vector<int> ids;
        for (int i = 0; i < 37; ++i) ids.push_back(i * i * 7 % gpt.config().vocab_size);
        KvCache cache(gpt.config());
        Hash all = hash_of(gpt.forward_all(cache, ids).values);
        all.add(hash_of(gpt.forward(cache, std::vector<int>{3})).text());
        const std::string kept = options.cache == WeightType::f16 ? ", cache f16" : "";
        lines.add(name + "logits " + std::string(names_of(*options.weights).option) + kept, all);
    }
}

using Ask = std::function<void(TextOptions&)>;
struct Decoder {
    const char* name;
    Ask ask;
};

// Each way to choose, search, draft and hold on to a form; together all steps of the chain.
std::vector<Decoder> decoders() {
    return {
        {"greedy", [](TextOptions& o) { o.greedy = true; }},
        {"temperature", [](TextOptions& o) { o.temperature = 1.3, o.top_p = 1; }},
        {"top-k, top-p, min-p",
         [](TextOptions& o) { o.top_k = 40, o.top_p = 0.9, o.min_p = 0.02, o.samples = 2; }},
        {"typical, epsilon, eta",
         [](TextOptions& o) {
             o.typical_p = 0.8, o.epsilon_cutoff = 1e-4, o.eta_cutoff = 1e-3, o.top_p = 1;
         }},
        {"top-n-sigma, XTC, DRY, dynamic temperature",
         [](TextOptions& o) {
             o.top_n_sigma = 2, o.xtc_probability = 0.5, o.dynatemp_range = 0.3;
             o.dry_multiplier = 0.8;
         }},
        {"mirostat 1", [](TextOptions& o) { o.mirostat = 1, o.mirostat_tau = 4; }},
        {"mirostat 2", [](TextOptions& o) { o.mirostat = 2, o.mirostat_tau = 4; }},
        {"penalties",
         [](TextOptions& o) {
             o.repetition_penalty = 1.3, o.frequency_penalty = 0.2, o.presence_penalty = 0.1;
             o.no_repeat_ngram_size = 3, o.logit_bias = {"100=-3"};
         }},
        {"dialect transformers", [](TextOptions& o) { o.dialect = "transformers"; }},
        {"dialect llama.cpp", [](TextOptions& o) { o.dialect = "llama.cpp"; }},
        {"dialect vllm", [](TextOptions& o) { o.dialect = "vllm"; }},
        {"context slides",
         [](TextOptions& o) { o.context = "slide", o.keep = 5, o.max_new_tokens = 40; }},
        {"beams", [](TextOptions& o) { o.num_beams = 4, o.samples = 2; }},
        {"beams, length penalty 2, never early",
         [](TextOptions& o) { o.num_beams = 3, o.length_penalty = 2, o.early_stopping = "never"; }},
        {"groups of beams", [](TextOptions& o) { o.num_beams = 4, o.num_beam_groups = 2; }},
        {"drawn beams", [](TextOptions& o) { o.num_beams = 4, o.do_sample = true; }},
        {"draft, by seed", [](TextOptions& o) { o.assistant_model = "sketch"; }},
        {"draft, by rejection",
         [](TextOptions& o) { o.assistant_model = "sketch", o.coupling = "rejection"; }},
        {"prompt lookup", [](TextOptions& o) { o.prompt_lookup_num_tokens = 4; }},
        {"guidance",
         [](TextOptions& o) { o.guidance_scale = 1.7, o.negative_prompt = "The weather"; }},
        {"any JSON", [](TextOptions& o) { o.guide.json = true; }},
        {"grammar", [](TextOptions& o) { o.guide.grammar = "data/grammars/report.gbnf"; }},
        {"regular expression",
         [](TextOptions& o) { o.guide.regex = "([A-Z][a-z]{2,9} )+[0-9]{1,4}\\."; }},
        {"JSON Schema", [](TextOptions& o) { o.guide.schema = "data/schemas/person.json"; }},
        {"weights int8", [](TextOptions& o) { o.weights = "int8"; }},
        {"cache f16", [](TextOptions& o) { o.cache = "f16"; }},
    };
}

// Of all texts: their ids, and why they end.
void add_texts(Lines& lines, const std::string& directory, const std::string& prompt) {
    std::string long_prompt = prompt;
    for (int i = 0; i < 495; ++i) long_prompt += i % 5 ? " and" : " rain";
    for (const Decoder& decoder : decoders()) {
        TextOptions o;
        o.model = directory;
        o.seed = 5, o.max_new_tokens = 24;
        decoder.ask(o);
        // A guide needs room to close; a window slides when 512 tokens are full.
        if (!o.guide.name().empty()) o.max_new_tokens = 60;
        const std::string beginning = o.context == "slide" ? long_prompt : prompt;
        TextGenerator generator(o);
        Hash hash;
        for (const GeneratedText& text : generator.generate(beginning, o)) {
            for (const int id : text.ids) hash.add(std::to_string(id) + ",");
            hash.add(text.text + "\n" + std::to_string(static_cast<int>(text.reason)));
        }
        lines.add(decoder.name, hash);
    }
}

}  // namespace

TEST_CASE("a random model of awkward sizes has the same logits on every machine") {
    Lines lines("random");
    const test::TemporaryFolder folder;
    struct Shape {
        const char* name;
        int layers, heads, channels, positions, vocabulary;
    };
    for (const Shape& s :
         {Shape{"small, ", 2, 3, 39, 64, 301}, Shape{"GPT-2's words, ", 1, 4, 64, 64, 50257},
          Shape{"wide, ", 1, 2, 272, 48, 509}}) {
        const std::string directory = folder.file(std::to_string(s.vocabulary));
        write_random_model(directory,
                           gpt_config(s.layers, s.heads, s.channels, s.positions, s.vocabulary));
        add_logits(lines, s.name, directory);
    }
}

TEST_CASE("the storyteller has the same logits on every machine") {
    Lines lines("storyteller");
    add_logits(lines, "", shipped_model("storyteller").string());
}

TEST_CASE("the sketch has the same logits on every machine") {
    Lines lines("sketch");
    add_logits(lines, "", shipped_model("sketch").string());
}

TEST_CASE("every decoder writes the same texts on every machine") {
    Lines lines("text");
    add_texts(lines, shipped_model("storyteller").string(), "Once upon a time");
}
