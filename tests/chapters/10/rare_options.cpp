// The rarer options of the command line: what they become, what is refused, and texts under them.
#include "tests/catch.hpp"

#include <sstream>

#include "chapters/10_generate/options.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/words.hpp"

using namespace tbt;

namespace {

GenerateOptions parsed(const std::string& line) {
    GenerateOptions options;
    read_command_line(test::words_of(line),
                      [&](OptionTable& app) { add_sampling_options(app, options); });
    return options;
}

std::string chain_of(const std::string& line) {
    static const Model model = small_model();
    return request_of(parsed(line), model).chain.to_string();
}

std::string refusal(const std::string& line) {
    try {
        chain_of(line);
    } catch (const UsageError& e) {
        return e.what();
    }
    return "nothing was refused";
}

std::vector<GeneratedText> texts_of(const std::string& line, int samples = 1) {
    Model model = small_model();
    GenerateRequest request = request_of(parsed(line), model);
    request.samples = samples, request.traced_tokens = 3;
    const std::vector<int> prompt{72, 105};
    CachedBatch batch(model.transformer);
    return generate_texts(std::ref(batch), token_bytes_of(model.tokenizer), prompt, request);
}

}  // namespace

TEST_CASE("an option is no value of the one before it, unless that is said") {
    const auto said = [](const std::string& line) {
        try {
            read_command_line(test::words_of(line), [](OptionTable& app) {
                static std::string infill, prompt;
                static int seed = 0;
                static bool quiet = false;
                CommandLine(app).option("--infill", infill, "");
                CommandLine(app).option("prompt,--prompt", prompt, "");
                CommandLine(app).option("--seed,-s", seed, "");
                CommandLine(app).option("--quiet", quiet, "");
            });
        } catch (const UsageError& e) {
            return std::string(e.what());
        }
        return std::string();
    };
    const std::string refused = "--infill: got the option --seed, expected a value";
    CHECK(said("--infill --seed 3").starts_with(refused));
    CHECK(said("--infill -s").starts_with("--infill: got the option -s"));
    CHECK(said("--infill=--seed").empty());
    CHECK(said("--infill seed --seed 3").empty());
    CHECK(said("--quiet --seed 3").empty());  // a flag
    CHECK(said("--infill --speed").empty());  // no option's name
    CHECK(said("--seed 3 -- --seed").empty());
}

TEST_CASE("rare options become steps in the dialect's order") {
    REQUIRE(chain_of("--temperature 1 --top-p 1 --dynatemp-range 0.5 --top-n-sigma 1") ==
            "dynamic-temperature 1±0.5 → top-n-sigma 1 → draw");
    REQUIRE(chain_of("--dialect llama.cpp --xtc-probability 0.5 --dry-multiplier 0.8") ==
            "dry 0.8 → top-k 40 → top-p 0.95 → min-p 0.05 → xtc 0.5/0.1 → temperature 0.8 → draw");
    REQUIRE(chain_of("--mirostat 2") == "temperature 0.8 → mirostat 5/0.1 → draw");
    REQUIRE(chain_of("--mirostat 1 --mirostat-tau 4") ==
            "temperature 0.8 → mirostat version 1, 4/0.1 → draw");
    REQUIRE(chain_of("--mirostat 2 --mirostat-ent 3 --mirostat-lr 0.2 --dialect llama.cpp") ==
            "temperature 0.8 → mirostat 3/0.2 → draw");
    REQUIRE(chain_of("--suppress-tokens 5,6 --suppress-tokens 7 --begin-suppress-tokens 8 "
                     "--greedy") == "suppress 3 → begin-suppress 1 → temperature 0 → draw");
    REQUIRE(chain_of("--forced-bos-token-id 4 --forced-eos-token-id 256 "
                     "--exponential-decay-length-penalty 10,1.1 --greedy") ==
            "exponential-decay 10/1.1 → forced-bos 4 → forced-eos 256 → temperature 0 → draw");
    REQUIRE(chain_of("--sequence-bias 1,2=-3 --sequence-bias 4=-inf --greedy") ==
            "bias of 2 → temperature 0 → draw");
    // A value that changes nothing is accepted, and so are steps for draws where nothing is drawn.
    REQUIRE(chain_of("--greedy --mirostat 0 --xtc-probability 0 --dynatemp-range 0 "
                     "--top-n-sigma 0 --dry-multiplier 0") == "temperature 0 → draw");
    REQUIRE(chain_of("--temperature 0 --mirostat 2 --xtc-probability 0.5 --dynatemp-range 0.5 "
                     "--top-n-sigma 1 --min-tokens-to-keep 3") == "temperature 0 → draw");
}

TEST_CASE("the last token is forced at the limit, or where the context ends first") {
    const std::string forced = "--forced-eos-token-id 65 --ignore-eos ";
    for (const auto& [limit, length] : {std::pair{"-n 5", 5}, {"-n -1", 62}, {"-n 63", 62}}) {
        CAPTURE(limit);
        const std::vector<int> ids = texts_of(forced + limit)[0].ids;
        REQUIRE(count(ids) == length);  // of a context of 64, two are the prompt's
        CHECK(ids.back() == 65);
    }
}

TEST_CASE("options without effect are said in a line each, and change nothing") {
    const std::vector<std::pair<std::string, std::string>> noted = {
        {"--xtc-threshold 0.2", "--xtc-threshold has no effect without --xtc-probability"},
        {"--dry-base 2", "--dry-base has no effect without --dry-multiplier"},
        {"--dry-allowed-length 3", "--dry-allowed-length has no effect without --dry-multiplier"},
        {"--dry-sequence-breaker x",
         "--dry-sequence-breaker has no effect without --dry-multiplier"},
        {"--mirostat-tau 3", "--mirostat-tau has no effect without --mirostat 1 or 2"},
        {"--mirostat-eta 0.2", "--mirostat-eta has no effect without --mirostat 1 or 2"},
        {"--dynatemp-exp 2", "--dynatemp-exp has no effect without --dynatemp-range"},
        {"--keep 5", "--keep has no effect without --context slide"},
        {"--penalty-scope all", ""},
        {"--top-k 0", ""}};
    for (const auto& [line, note] : noted) {
        INFO(line);
        REQUIRE(refusal(line) == "nothing was refused");
        REQUIRE(chain_of(line) == chain_of(""));
        const std::vector<std::string> notes = without_effect(parsed(line));
        REQUIRE(notes == (note.empty() ? std::vector<std::string>{} : std::vector{note}));
    }
    for (const char* line :
         {"--xtc-threshold 0.2 --xtc-probability 0.5", "--dynatemp-exp 2 --dynatemp-range 0.5",
          "--mirostat-tau 3 --mirostat-eta 0.2 --mirostat 2", "--keep 5 --context slide",
          "--dry-base 2 --dry-allowed-length 3 --dry-sequence-breaker x --dry-multiplier 1"})
        CHECK(without_effect(parsed(line)).empty());
    GenerateOptions twice = parsed("--greedy");
    twice.samples = 2;
    REQUIRE(without_effect(twice).size() == 1);
}

TEST_CASE("rare options that mean nothing or contradict are refused") {
    const std::vector<std::pair<std::string, std::string>> refused = {
        {"--mirostat 3", "mirostat: got 3"},
        {"--mirostat 2 --top-k 4", "another truncation"},
        {"--greedy --watermark 5", "--greedy and --watermark"},
        {"--xtc-probability 2", "xtc-probability: got 2"},
        {"--suppress-tokens 5,x", "--suppress-tokens: got 'x'"},
        {"--suppress-tokens 999", "token 999 is not in the vocabulary"},
        {"--begin-suppress-tokens ,", "--begin-suppress-tokens: got ''"},
        {"--forced-bos-token-id -1", "--forced-bos-token-id: token -1"},
        {"--exponential-decay-length-penalty 5", "expected START,FACTOR"},
        {"--exponential-decay-length-penalty 5,0", "got the factor 0"},
        {"--sequence-bias 5", "which has no '='"},
        {"--sequence-bias 5=x", "expected a number"},
        {"--dialect transformers --xtc-probability 0.5", "it has no step 'xtc'"}};
    for (const auto& [line, why] : refused) {
        INFO(line << ": " << refusal(line));
        REQUIRE_THAT(refusal(line), Catch::Contains(why));
    }
}

TEST_CASE("a breaker of DRY may have escapes, as a stop string") {
    Model model = small_model();
    const auto text = [&](const std::string& breaker, bool no_escape) {
        // a, b and the newline are likely, so that passages with newlines repeat.
        GenerateOptions o = parsed(
            "--temperature 1 --top-p 1 -n 60 --dry-multiplier 9 --dry-allowed-length 1 --seed 1 "
            "--logit-bias 10=20 --logit-bias 97=20 --logit-bias 98=20");
        o.dry_breakers = {breaker}, o.no_escape = no_escape;
        CachedBatch batch(model.transformer);
        return generate_texts(std::ref(batch), token_bytes_of(model.tokenizer),
                              std::vector<int>{72, 105}, request_of(o, model))[0]
            .ids;
    };
    CHECK(text("\\n", false) == text("\n", false));
    CHECK(text("\\n", true) != text("\n", true));  // these two characters are in no token
}

TEST_CASE("texts under the rare options are replayed by their traces and begin and end as told") {
    for (const char* line :
         {"--xtc-probability 0.7 --xtc-threshold 0.01 --temperature 1 --top-p 1",
          "--mirostat 2 --mirostat-tau 3 --temperature 1", "--dynatemp-range 0.7",
          "--dry-multiplier 2 --dry-allowed-length 1 --temperature 0.3 --top-p 1",
          "--top-n-sigma 1.5 --temperature 2 --top-p 1"}) {
        INFO(line);
        const std::string whole = std::string(line) + " --max-new-tokens 20 --seed 3";
        const std::vector<GeneratedText> three = texts_of(whole, 3), one = texts_of(whole);
        REQUIRE(three[0].ids == one[0].ids);  // a text does not depend on those beside it
        for (const GeneratedText& text : three) {
            for (std::size_t i = 0; i < text.ids.size(); ++i) {
                REQUIRE(text.traces[i].chosen == text.ids[i]);
                REQUIRE(text.traces[i].steps.back().chosen_after.rank > 0);
            }
        }
    }
    const GeneratedText told = texts_of(
        "--forced-bos-token-id 65 --forced-eos-token-id 256 --max-new-tokens 6 "
        "--min-new-tokens 5")[0];
    REQUIRE(told.ids.size() == 6);
    REQUIRE((told.ids.front() == 65 && told.ids.back() == 256));
}
