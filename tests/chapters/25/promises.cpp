// What chapter 23 promises holds for every architecture, however its weights are kept: a text is
// the same alone or beside others, on any number of threads, and whoever guesses it; a grammar
// holds; a search finds the same. Bit for bit: log-probabilities are compared, too. On models with
// the reference models' config.json, random weights and 300 tokens; prompts are longer than their
// windows.

#include "chapters/23_text_generator/text_generator.hpp"
#include "lib/files/random_model.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "tests/catch.hpp"
#include "tests/support/random_heads.hpp"
#include "tests/support/same_text.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

const char* const names[] = {"tiny-gpt2",         "tiny-llama",        "tiny-llama-bf16-sharded",
                             "tiny-llama3",       "tiny-qwen2",        "tiny-qwen3",
                             "tiny-qwen2-window", "tiny-smollm2",      "tiny-smollm3",
                             "tiny-gemma3",       "tiny-gemma3-types", "tiny-mistral",
                             "tiny-phi3",         "tiny-olmo2"};

struct Way {
    const char *weights, *cache;
};
constexpr Way ways[] = {
    {"f32", "f32"}, {"f16", "f16"}, {"bf16", "f32"}, {"int8", "f32"}, {"int4", "f16"}};

// A target and a draft of the same shape and words.
struct Models {
    test::TemporaryFolder folder;
    std::string target = folder.file("target"), draft = folder.file("draft"),
                heads = folder.file("heads");
    bool tied;  // what heads need
    explicit Models(const std::string& golden) {
        TransformerConfig config = read_config_file("tests/data/" + golden + "/config.json");
        config.vocab_size = 300;
        config.bos_token_id.reset();
        config.eos_token_ids.clear();
        tied = config.tie_word_embeddings;
        write_random_model(target, config, {1, WeightType::f32});
        write_random_model(draft, config, {2, WeightType::f32});
        test::write_random_heads(heads, target, 2, 3);
    }
};

const std::vector<std::string> prompts = {
    "A model reads these words, more of them than any of its windows holds, and goes on.", "Go"};

struct Case {
    const Models& models;
    Way way;
    TextOptions options(int threads) const {
        TextOptions o;
        o.model = models.target;
        o.weights = way.weights, o.cache = way.cache, o.threads = threads;
        o.max_new_tokens = 20, o.temperature = 0.9, o.seed = 5, o.traced_tokens = 1;
        return o;
    }
};

double score_of(const GeneratedText& t) { return t.score ? t.score->sum : 0; }

bool same(const std::vector<GeneratedText>& a, const std::vector<GeneratedText>& b) {
    if (a.size() != b.size() || a.empty()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!test::same(a[i], b[i]) || score_of(a[i]) != score_of(b[i])) return false;
    return true;
}

using Change = std::function<void(TextOptions&)>;

// Sampled texts, whichever way they were sped up.
void check_texts(const Case& c, TextGenerator& one, TextGenerator& three) {
    TextOptions o = c.options(1);
    o.samples = 2;
    const std::vector<GeneratedText> together = one.generate(prompts, o);
    REQUIRE(together.size() == 4);
    CHECK(together[0].ids != together[1].ids);
    CHECK(same(together, three.generate(prompts, o)));
    for (std::size_t i = 0; i < prompts.size(); ++i)
        CHECK(same({together[2 * i], together[2 * i + 1]}, one.generate(prompts[i], o)));
    o.samples = 1;
    const std::vector<GeneratedText> plain = one.generate(prompts[0], o);
    CHECK(same(plain, {together[0]}));
    std::vector<Change> guesses = {
        [&](TextOptions& t) { t.assistant_model = c.models.draft; },
        [&](TextOptions& t) { t.assistant_model = c.models.target; },  // always right
        [&](TextOptions& t) { t.prompt_lookup_num_tokens = 4; }};
    if (c.models.tied)
        guesses.push_back(
            [&](TextOptions& t) { t.medusa = true, t.medusa_heads = c.models.heads; });
    for (const Change& guess : guesses) {
        TextOptions guessed = o;
        guess(guessed);
        CHECK(same(plain, three.generate(prompts[0], guessed)));
    }
}

// Under a grammar: it holds, and runs that it knows and guesses change nothing.
void check_grammar(const Case& c, TextGenerator& one, TextGenerator& three) {
    TextOptions o = c.options(1);
    o.max_new_tokens = 40;
    o.guide.regex = "(ab|ac)*[0-9]{2,5}(xyz){1,3}";
    const std::vector<GeneratedText> plain = one.generate(prompts[0], o);
    CHECK(accepts_text(*recognizer_for(o.guide), plain[0].text));
    CHECK(same(plain, three.generate(prompts[0], o)));
    o.known_runs = false;
    CHECK(one.generate(prompts[0], o)[0].ids == plain[0].ids);
    o.known_runs = true, o.assistant_model = c.models.draft;
    CHECK(same(plain, one.generate(prompts[0], o)));
}

void check_beams(const Case& c, TextGenerator& one, TextGenerator& three) {
    TextOptions o = c.options(1);
    o.temperature.reset(), o.seed.reset(), o.traced_tokens = -1;
    o.num_beams = 4, o.samples = 2;
    CHECK(same(one.generate(prompts[0], o), three.generate(prompts[0], o)));
    // Two searches in the same passes.
    const std::vector<GeneratedText> both = one.generate(prompts, o);
    CHECK(same({both[2], both[3]}, one.generate(prompts[1], o)));
}

}  // namespace

TEST_CASE("every architecture, in every type of weights, keeps the generator's promises") {
    const test::FullTeams full;
    for (const std::string name : names) {
        const Models models(name);
        for (const Way& way : ways) {
            INFO(name << ", weights " << way.weights << ", cache " << way.cache);
            const Case c{models, way};
            TextGenerator one(c.options(1)), three(c.options(3));
            check_texts(c, one, three);
            check_grammar(c, one, three);
            check_beams(c, one, three);
        }
    }
}

TEST_CASE("the types of weights and of caches are other models, with other bits") {
    const Models models("tiny-qwen3");
    std::vector<double> first;
    for (const Way& way : ways) {
        const Case c{models, way};
        TextGenerator generator(c.options(1));
        const double p =
            generator.generate(prompts[0], c.options(1))[0].traces[0].raw_log_probability;
        for (const double other : first) CHECK(p != other);
        first.push_back(p);
    }
}
