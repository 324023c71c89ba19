// generation_config.json as defaults.
#include "tests/catch.hpp"

#include "chapters/10_generate/generation_config.hpp"
#include "chapters/10_generate/options.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/small_model.hpp"

using namespace tbt;
using test::contains;
using test::error_of;

namespace {

// The chain of a model whose file says this.
std::string chain_with(const std::string& config, GenerateOptions o = {}) {
    static const Model model = small_model();
    const test::TemporaryFolder folder;
    folder.write("generation_config.json", config);
    o.model = folder.path();
    use_generation_config(o);
    return request_of(o, model).chain.to_string();
}

GenerateOptions options_with(const std::string& config, GenerateOptions o = {},
                             bool searches = false) {
    const test::TemporaryFolder folder;
    folder.write("generation_config.json", config);
    o.model = folder.path();
    use_generation_config(o, searches);
    return o;
}

const char* const file =
    R"({"do_sample": true, "temperature": 0.6, "top_p": 0.9, "repetition_penalty": 1.1,
        "max_new_tokens": 30, "transformers_version": "4.46.0"})";

}  // namespace

TEST_CASE("what the command line does not say, the model's file says") {
    REQUIRE(chain_with("{}") == "temperature 0.8 → top-p 0.9 → draw");
    REQUIRE(chain_with(file) == "repetition 1.1 → temperature 0.6 → top-k 50 → top-p 0.9 → draw");
    REQUIRE(options_with(file).max_new_tokens == 30);
    GenerateOptions o;
    o.temperature = 1.2, o.repetition_penalty = 1, o.max_new_tokens = 5;
    REQUIRE(chain_with(file, o) == "temperature 1.2 → top-k 50 → top-p 0.9 → draw");
    REQUIRE(options_with(file, o).max_new_tokens == 5);
}

TEST_CASE("the file's cuts are left alone where they would change nothing") {
    GenerateOptions greedy, zero, preset, steered;
    greedy.greedy = true, zero.temperature = 0, preset.preset = "factual", steered.mirostat = 2;
    REQUIRE(chain_with(file, greedy) == "repetition 1.1 → temperature 0 → draw");
    REQUIRE(chain_with(file, zero) == "repetition 1.1 → temperature 0 → draw");
    REQUIRE(chain_with(file, preset) ==
            "repetition 1.1 → temperature 0.2 → top-k 15 → top-p 0.6 → draw");
    REQUIRE(contains(chain_with(file, steered), "mirostat"));
    preset.preset = "conservative";  // has a repetition penalty of its own
    REQUIRE(chain_with(R"({"repetition_penalty": 1.3})", preset) == chain_with("{}", preset));
    // A search draws nothing unless somebody says so: the file does here.
    REQUIRE(options_with(R"({"top_k": 5})", {}, true).top_k == std::nullopt);
    REQUIRE(options_with(R"({"do_sample": true, "top_k": 5})", {}, true).top_k == 5);
    REQUIRE(options_with(R"({"do_sample": true})", {}, true).do_sample);
}

TEST_CASE("a file that draws nothing means greedy decoding, unless an option draws") {
    REQUIRE(chain_with(R"({"do_sample": false})") == "temperature 0 → draw");
    GenerateOptions o;
    o.top_k = 3;
    REQUIRE(chain_with(R"({"do_sample": false})", o) ==
            "temperature 0.8 → top-k 3 → top-p 0.9 → draw");
    // So does each rarer one, and nobody is refused for a --greedy that nobody typed.
    const auto draws = [](auto change) {
        GenerateOptions options;
        change(options);
        return chain_with(R"({"do_sample": false})", options);
    };
    using O = GenerateOptions;
    REQUIRE(draws([](O& x) { x.top_n_sigma = 1; }) ==
            "temperature 0.8 → top-n-sigma 1 → top-p 0.9 → draw");
    REQUIRE(draws([](O& x) { x.xtc_probability = .5; }) ==
            "temperature 0.8 → top-p 0.9 → xtc 0.5/0.1 → draw");
    REQUIRE(draws([](O& x) { x.dynatemp_range = .5; }) ==
            "dynamic-temperature 0.8±0.5 → top-p 0.9 → draw");
    REQUIRE(draws([](O& x) { x.min_tokens_to_keep = 3; }) ==
            "min-tokens-to-keep 3 → temperature 0.8 → top-p 0.9 → draw");
    REQUIRE(draws([](O& x) { x.watermark = 7; }) ==
            "temperature 0.8 → top-p 0.9 → watermark → draw");
}

TEST_CASE("lists of the file become options") {
    const GenerateOptions o = options_with(
        R"({"suppress_tokens": [3, 4], "begin_suppress_tokens": [5], "bad_words_ids": [[6, 7], [8]],
            "stop_strings": ["\n", "end"],
            "exponential_decay_length_penalty": [4, 1.00000025],
            "sequence_bias": [[[1, 2], -1.2345678]], "forced_bos_token_id": 9,
            "renormalize_logits": true, "min_new_tokens": 2,
            "no_repeat_ngram_size": 3, "num_return_sequences": 2})");
    REQUIRE(o.suppress == std::vector<std::string>{"3,4"});
    REQUIRE(o.begin_suppress == std::vector<std::string>{"5"});
    REQUIRE(o.bad_words_ids == std::vector<std::vector<int>>{{6, 7}, {8}});
    REQUIRE(o.stop_strings == std::vector<std::string>{"\n", "end"});
    REQUIRE(o.exponential_decay == "4,1.00000025");
    REQUIRE(o.sequence_bias == std::vector<std::string>{"1,2=-1.2345678"});
    REQUIRE(o.forced_bos == 9);
    REQUIRE_FALSE(o.renormalize);  // changes scores of beams only
    REQUIRE(options_with(R"({"renormalize_logits": true})", {}, true).renormalize);
    REQUIRE(o.min_new_tokens == 2);
    REQUIRE(o.no_repeat_ngram_size == 3);
    REQUIRE(o.samples == 2);
    REQUIRE(options_with(R"({"stop_strings": "end"})").stop_strings ==
            std::vector<std::string>{"end"});
}

TEST_CASE("what is typed is stronger than the file") {
    GenerateOptions one, five, counted, scoped;
    one.samples_given = true;  // --num-return-sequences 1
    REQUIRE(options_with(R"({"num_return_sequences": 2})", one).samples == 1);
    five.max_new_tokens = 5;
    REQUIRE(options_with(R"({"min_new_tokens": 8})", five).min_new_tokens == 5);
    REQUIRE(options_with(R"({"min_new_tokens": 3})", five).min_new_tokens == 3);
    five.max_new_tokens = -1;
    REQUIRE(options_with(R"({"min_new_tokens": 8})", five).min_new_tokens == 8);
    // transformers' repetition penalty looks at the prompt, too; typed, it looks at the text alone.
    REQUIRE(options_with(file).penalty_scope == "all");
    GenerateOptions typed;
    typed.repetition_penalty = 1.1;
    REQUIRE(options_with(file, typed).penalty_scope == std::nullopt);
    counted.frequency_penalty = 1, scoped.penalty_scope = "last-64";
    REQUIRE(options_with(file, counted).penalty_scope == std::nullopt);
    REQUIRE(options_with(file, scoped).penalty_scope == "last-64");
    REQUIRE(options_with(R"({"repetition_penalty": 1.0})").penalty_scope == std::nullopt);
}

TEST_CASE("a value of the wrong kind is named, with its file") {
    const auto error = [](const std::string& config) {
        return error_of([&] { options_with(config); });
    };
    REQUIRE(contains(error(R"({"temperature": "warm"})"),
                     "generation_config.json: temperature is the string \"warm\", expected"));
    REQUIRE(contains(error(R"({"do_sample": 1})"), "do_sample"));
    REQUIRE(contains(error(R"({"bad_words_ids": [3]})"), "bad_words_ids"));
    REQUIRE(contains(error(R"({"sequence_bias": [[1, 2]]})"), "sequence_bias"));
    REQUIRE(contains(error(R"({"sequence_bias": 7})"), "sequence_bias"));
    REQUIRE(contains(error(R"({"exponential_decay_length_penalty": [1]})"), "[START, FACTOR]"));
    REQUIRE(contains(error("[]"), "expected an object"));
    // Numbers that no int holds are not taken for others.
    REQUIRE(contains(error(R"({"top_k": 4294967297})"),
                     "top_k is the integer 4294967297, expected an integer from"));
    REQUIRE(contains(error(R"({"max_new_tokens": 1e30})"), "max_new_tokens"));
    REQUIRE(contains(error(R"({"suppress_tokens": [4294967297]})"), "suppress_tokens"));
    for (const char* start : {"611111111111111111", "-1e300", "1.5"})
        REQUIRE(contains(
            error("{\"exponential_decay_length_penalty\": [" + std::string(start) + ", 1.2]}"),
            "[START, FACTOR]"));
    REQUIRE(error(R"({"temperature": null, "unheard_of": {"a": 1}})") == "");
}

TEST_CASE("a file that only says that it draws has transformers' values for the rest") {
    REQUIRE(chain_with(R"({"do_sample": true})") == "top-k 50 → draw");
    REQUIRE(chain_with(R"({"do_sample": true, "top_k": 7, "temperature": 0.5})") ==
            "temperature 0.5 → top-k 7 → draw");
    // A dialect has values of its own, and without do_sample: true ours stay.
    GenerateOptions vllm, steered;
    vllm.dialect = "vllm", steered.mirostat = 2;
    REQUIRE(chain_with(R"({"do_sample": true})", vllm) == "draw");
    REQUIRE(options_with(R"({"do_sample": true})", steered).temperature == std::nullopt);
    REQUIRE(options_with(R"({"top_p": 0.5})").top_k == std::nullopt);
    REQUIRE(chain_with(R"({"top_p": 0.5})") == "temperature 0.8 → top-p 0.5 → draw");
}

TEST_CASE("every cut of the file is taken, each into its own option") {
    const GenerateOptions o = options_with(
        R"({"do_sample": true, "top_k": 11, "top_p": 0.9, "min_p": 0.1, "typical_p": 0.8,
            "epsilon_cutoff": 0.01, "eta_cutoff": 0.002, "forced_eos_token_id": 7})");
    REQUIRE((o.top_k == 11 && o.top_p == 0.9 && o.min_p == 0.1 && o.typical_p == 0.8));
    REQUIRE((o.epsilon_cutoff == 0.01 && o.eta_cutoff == 0.002));
    REQUIRE(o.forced_eos == 7);
    // Mirostat truncates by itself.
    GenerateOptions steered;
    steered.mirostat = 2;
    const GenerateOptions s =
        options_with(R"({"do_sample": true, "min_p": 0.1, "top_k": 5})", steered);
    REQUIRE((s.min_p == std::nullopt && s.top_k == std::nullopt));
}

TEST_CASE("lists that are typed are stronger than the file's") {
    GenerateOptions o;
    o.suppress = {"1"}, o.begin_suppress = {"2"}, o.bad_words = {"no"}, o.stop_strings = {"x"};
    o.exponential_decay = "9,2", o.sequence_bias = {"1=2"}, o.no_repeat_ngram_size = 4;
    o.forced_bos = 3, o.forced_eos = 4;
    const GenerateOptions typed = options_with(
        R"({"suppress_tokens": [3, 4], "begin_suppress_tokens": [5], "bad_words_ids": [[6, 7]],
            "stop_strings": ["end"], "exponential_decay_length_penalty": [4, 1.25],
            "sequence_bias": [[[1, 2], -1.5]], "no_repeat_ngram_size": 3,
            "forced_bos_token_id": 9, "forced_eos_token_id": 9})",
        o);
    using Texts = std::vector<std::string>;
    REQUIRE(typed.suppress == Texts{"1"});
    REQUIRE(typed.begin_suppress == Texts{"2"});
    REQUIRE(typed.bad_words_ids.empty());
    REQUIRE(typed.stop_strings == Texts{"x"});
    REQUIRE(typed.exponential_decay == "9,2");
    REQUIRE(typed.sequence_bias == Texts{"1=2"});
    REQUIRE(typed.no_repeat_ngram_size == 4);
    REQUIRE((typed.forced_bos == 3 && typed.forced_eos == 4));
}

TEST_CASE("what changes texts in transformers and is not known here is said, where it is on") {
    const auto said = [](const std::string& config) {
        return test::written_to(2, [&] { options_with(config); });
    };
    REQUIRE(said(R"({"max_length": null, "penalty_alpha": 0, "token_healing": false,
                     "transformers_version": "4.46", "pad_token_id": 0})") == "");
    const std::string two = said(R"({"max_length": 20, "dola_layers": "high"})");
    REQUIRE(contains(two, "generation_config.json: max_length is not supported, and ignored\n"));
    REQUIRE(contains(two, "generation_config.json: dola_layers is not supported, and ignored\n"));
    REQUIRE(std::count(two.begin(), two.end(), '\n') == 2);
}
