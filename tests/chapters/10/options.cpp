// The generator's command line: what is understood, what is refused,
// and what comes out for programs.
#include "tests/catch.hpp"

#include <chrono>
#include <sstream>
#include <thread>

#include <unistd.h>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/10_generate/tools/output.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "lib/machine/command_line.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/words.hpp"

using namespace tbt;

namespace {

GenerateOptions parsed(const std::string& line) {
    GenerateOptions options;
    read_command_line(test::words_of(line), [&](OptionTable& app) {
        add_sampling_options(app, options);
        CommandLine(app).option("--num-return-sequences", options.samples, "");
    });
    return options;
}

std::string chain_of(const std::string& line) {
    static const Model model = small_model();
    return request_of(parsed(line), model).chain.to_string();
}

std::string refusal(const std::string& line) {
    static const Model model = small_model();
    try {
        const GenerateOptions options = parsed(line);
        request_of(options, model);
        prompt_ids(options, model, "hi");
    } catch (const UsageError& e) {
        return e.what();
    }
    return "nothing was refused";
}

}  // namespace

TEST_CASE("options become a chain in the dialect's order") {
    REQUIRE(chain_of("") == "temperature 0.8 → top-p 0.9 → draw");
    REQUIRE(chain_of("--top-k 5") == "temperature 0.8 → top-k 5 → top-p 0.9 → draw");
    REQUIRE(chain_of("--temperature 1 --top-p 1") == "draw");
    REQUIRE(chain_of("--greedy") == "temperature 0 → draw");
    REQUIRE(chain_of("--temperature 0 --repetition-penalty 1.2") ==
            "repetition 1.2 → temperature 0 → draw");
    REQUIRE(chain_of("--dialect transformers") == "top-k 50 → draw");
    REQUIRE(chain_of("--dialect llama.cpp --temperature 0.5") ==
            "top-k 40 → top-p 0.95 → min-p 0.05 → temperature 0.5 → draw");
    REQUIRE(chain_of("--dialect vllm --top-p 0.7 --min-p 0.1") == "min-p 0.1 → top-p 0.7 → draw");
    REQUIRE(chain_of("--preset factual") == "temperature 0.2 → top-k 15 → top-p 0.6 → draw");
    REQUIRE(chain_of("--preset factual --top-k 0") == "temperature 0.2 → top-p 0.6 → draw");
    REQUIRE(
        chain_of(
            "--logit-bias 5=2 --logit-bias 6=-inf --bad-words no --min-new-tokens 3 --do-sample") ==
        "bias of 2 → bad-words 2 → min-new-tokens 3 → temperature 0.8 → top-p 0.9 → draw");
}

TEST_CASE("contradictions are refused, with what to do about them") {
    using Catch::Contains;
    REQUIRE_THAT(refusal("--greedy --temperature 0.7"),
                 Contains("--greedy and --temperature 0.7") && Contains("ignored"));
    REQUIRE_THAT(refusal("--greedy --preset balanced"),
                 Contains("--greedy and --preset") && Contains("change nothing"));
    REQUIRE_THAT(refusal("--temperature 0 --preset balanced"),
                 Contains("--temperature 0 and --preset"));
    for (const char* cut :
         {"--top-k 5", "--top-p 0.5", "--min-p 0.1", "--typical-p 0.5", "--epsilon-cutoff 0.1",
          "--eta-cutoff 0.1", "--num-return-sequences 2"}) {
        // The most probable token is taken, whatever else could have been drawn.
        REQUIRE(refusal(std::string("--greedy ") + cut) == "nothing was refused");
        REQUIRE(chain_of(std::string("--temperature 0 ") + cut) == "temperature 0 → draw");
        REQUIRE(refusal(cut) == "nothing was refused");
    }
    REQUIRE_THAT(refusal("--greedy --do-sample"), Contains("contradict"));
    REQUIRE_THAT(refusal("--do-sample --temperature 0"),
                 Contains("--do-sample and --temperature 0"));
    REQUIRE(refusal("--greedy --temperature 0") == "nothing was refused");
    for (const char* off : {"--top-k 0", "--top-p 1", "--min-p 0", "--typical-p 1",
                            "--epsilon-cutoff 0", "--eta-cutoff 0", "--seed 1"}) {
        REQUIRE(refusal(std::string("--temperature 0 ") + off) == "nothing was refused");
        REQUIRE(chain_of(std::string("--greedy ") + off) == "temperature 0 → draw");
    }
    REQUIRE_THAT(refusal("--min-new-tokens 5 --max-new-tokens 4"), Contains("swapped"));
    REQUIRE_THAT(refusal("--dialect llama.cpp --min-new-tokens 2"),
                 Contains("no step 'min-new-tokens'"));
}

TEST_CASE("values that make no sense are refused, each by name") {
    using Catch::Contains;
    const std::vector<std::pair<const char*, const char*>> refused = {
        {"--temperature -1", "temperature: got -1"},
        {"--temperature nan", "temperature: got"},
        {"--temperature inf", "temperature: got inf"},
        {"--top-k -2", "top-k: got -2"},
        {"--top-p -0.1", "top-p: got"},
        {"--top-p 1.1", "top-p: got"},
        {"--top-p nan", "top-p: got"},
        {"--min-p 2", "min-p: got"},
        {"--typical-p 0", "typical-p: got"},
        {"--epsilon-cutoff 1", "epsilon-cutoff: got"},
        {"--eta-cutoff -1", "eta-cutoff: got"},
        {"--repetition-penalty 0", "repetition-penalty: got 0"},
        {"--frequency-penalty nan", "frequency-penalty: got"},
        {"--presence-penalty inf", "presence-penalty: got inf"},
        {"--no-repeat-ngram-size -1", "no-repeat-ngram-size: got -1"},
        {"--max-new-tokens -2", "--max-new-tokens: got -2"},
        {"--max-new-tokens -1 --context slide", "--context slide: the text might never end"},
        {"--min-new-tokens -1", "--min-new-tokens: got -1"},
        {"--num-return-sequences 0", "--num-return-sequences: got 0"},
        {"--keep -1", "--keep: got -1"},
        {"--keep 65 --context slide", "context of 64"},
        {"--context ring", "expected refuse or slide"},
        {"--dialect hf", "expected ours"},
        {"--preset wild", "expected factual"},
        {"--penalty-scope some --presence-penalty 1", "penalty-scope: got 'some'"},
        {"--logit-bias 5", "no '='"},
        {"--logit-bias =5", "not an id"},
        {"--logit-bias 257=1", "0 to 256"},
        {"--logit-bias -1=1", "not an id"},
        {"--logit-bias 5=", "not a number"},
        {"--logit-bias 5=2x", "not a number"},
        {"--logit-bias 5=nan", "bias: got nan"},
        {"--logit-bias 5=inf", "bias: got inf"},
        {"--logit-bias 5=1 --logit-bias 5=2", "twice"},
        {"--seed -2", "--seed: got '-2'"},
        {"--seed 18446744073709551616", "--seed: got"},
        {"--seed 1.5", "--seed: got"},
        {"--max-new-tokens 64", "--max-new-tokens 64: this model's context has 64"},
        {"--min-new-tokens 64", "--min-new-tokens 64: this model's context has 64"},
        {"--min-new-tokens 64 --max-new-tokens -1", "--min-new-tokens 64: this"},
        {"--min-new-tokens 6 --max-new-tokens 64", "--max-new-tokens 64: this"}};
    for (const auto& [line, message] : refused) {
        INFO(line);
        REQUIRE_THAT(refusal(line), Contains(message));
    }
    GenerateOptions empty;
    empty.stop_strings = {""};
    REQUIRE_THROWS_AS(request_of(empty, small_model()), UsageError);
    empty.stop_strings = {}, empty.bad_words = {""};
    REQUIRE_THROWS_AS(request_of(empty, small_model()), UsageError);
    empty.bad_words = {}, empty.ban_text = {""};
    REQUIRE_THROWS_AS(request_of(empty, small_model()), UsageError);
    for (const char* line : {"--top-k x", "--temperature", "--top-p 0.5.5", "--unheard-of 1"})
        REQUIRE_THROWS_AS(parsed(line), UsageError);
}

TEST_CASE("stop strings and banned words are given one at a time, with escapes") {
    const Model model = small_model();
    GenerateOptions options =
        parsed("--stop-strings \\nUser: --stop-strings end --seed 18446744073709551615");
    GenerateRequest request = request_of(options, model);
    REQUIRE(request.stop.strings.strings() == std::vector<std::string>{"\nUser:", "end"});
    REQUIRE(request.seed == ~std::uint64_t{0});
    REQUIRE(request.stop.eos == std::vector<int>{256});
    options.no_escape = true;
    REQUIRE(request_of(options, model).stop.strings.strings()[0] == "\\nUser:");
    REQUIRE(unescaped(R"(a\tb\\n\"q\" \x \)") == "a\tb\\n\"q\" \\x \\");
}

TEST_CASE("a prompt must leave room for what was asked, unless the context slides") {
    const Model model = small_model();
    const std::string prompt(60, 'x');
    REQUIRE(prompt_ids(parsed(""), model, prompt).size() == 60);
    REQUIRE(prompt_ids(parsed("--max-new-tokens 4"), model, prompt).size() == 60);
    REQUIRE_THROWS_WITH(prompt_ids(parsed("--max-new-tokens 5"), model, prompt),
                        Catch::Contains("exceed the model's context of 64"));
    REQUIRE_THROWS_AS(prompt_ids(parsed(""), model, prompt + "xxxx"), Error);
    // Without a limit, there must be room for one token.
    REQUIRE(prompt_ids(parsed(""), model, prompt + "xxx").size() == 63);
    REQUIRE(prompt_ids(parsed("--max-new-tokens -1"), model, prompt + "xxx").size() == 63);
    REQUIRE(
        prompt_ids(parsed("--context slide --max-new-tokens 500"), model, prompt + prompt).size() ==
        120);
    REQUIRE_THROWS_WITH(prompt_ids(parsed("--context slide"), model, "\xFF"),
                        Catch::Contains("UTF-8"));
    REQUIRE(prompt_ids(parsed(""), model, "") == std::vector<int>{256});
    REQUIRE(prompt_ids(parsed("--context slide"), model, "") == std::vector<int>{256});
}

TEST_CASE("special tokens and rows without a token are no text") {
    const Model model = small_model();
    const TokenBytes bytes = token_bytes_of(model.tokenizer);
    REQUIRE(bytes('a') == "a");
    REQUIRE(bytes(256).empty());
    REQUIRE(bytes(5000).empty());
}

TEST_CASE("choices are traced as many as --logprobs says, five where others look at them") {
    Output o;
    CHECK(o.traced_tokens() == -1);
    o.explain = true;
    CHECK(o.traced_tokens() == 5);
    o.logprobs = 3;
    CHECK(o.traced_tokens() == 3);
}

TEST_CASE("results and traces are JSON with everything in it") {
    Model model = small_model();
    GenerateRequest request = request_of(parsed("--top-k 3 --max-new-tokens 20 --seed 2"), model);
    request.traced_tokens = 4;
    request.samples = 2;
    const std::vector<int> ids = prompt_ids(parsed(""), model, "é?");
    CachedBatch batch(model.transformer);
    std::vector<nlohmann::json> lines;
    std::vector<int> steps(2, 0);
    GenerateObserver observer;
    observer.on_trace = [&](std::size_t sample, const Trace& trace) {
        lines.push_back(
            nlohmann::json::parse(trace_line(model.tokenizer, trace, sample, steps[sample]++)));
    };
    const auto texts =
        generate_texts(std::ref(batch), token_bytes_of(model.tokenizer), ids, request, observer);
    const auto result =
        nlohmann::json::parse(json_result("a model", "é?", request, ids, model.tokenizer, texts));
    REQUIRE(result["prompt"] == "é?");
    REQUIRE(result["seed"] == 2);
    REQUIRE(result["texts"].size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
        const auto& text = result["texts"][i];
        REQUIRE(text["text"] == texts[i].text);
        REQUIRE(text["ids"] == texts[i].ids);
        REQUIRE(text["finish_reason"] == to_string(texts[i].reason));
        REQUIRE(text["logprobs"].size() == texts[i].ids.size());
        for (const auto& token : text["logprobs"]) {
            REQUIRE(token["top"].size() == 4);
            REQUIRE(token["top"][3]["removed_by"] == "top-k");
            REQUIRE(token["top"][3]["processed"].is_null());  // JSON has no -infinity
            REQUIRE(token["raw"].get<double>() <= 0);
        }
    }
    REQUIRE(lines.size() == texts[0].ids.size() + texts[1].ids.size());
    for (const auto& line : lines) {
        REQUIRE(line["id"] ==
                texts[line["sample"].get<std::size_t>()].ids[line["step"].get<std::size_t>()]);
        REQUIRE(line["steps"].size() == 3);  // temperature, top-k, top-p
        REQUIRE(line["steps"][1]["name"] == "top-k");
        REQUIRE(line["steps"][1]["before"] == 257);
        REQUIRE(line["steps"][1]["after"] == 3);
        REQUIRE((line["u"].get<double>() >= 0 && line["u"].get<double>() < 1));
    }
    const auto header = nlohmann::json::parse(trace_header("a \xFF model", "é?", request, ids));
    REQUIRE(header["format"] == "token-by-token trace 1");
    REQUIRE(header["prompt_ids"] == ids);
}

TEST_CASE("a trace has the fields of the lesson, and --explain prints its figures") {
    Model model = small_model();
    GenerateRequest request =
        request_of(parsed("--repetition-penalty 1.3 --top-k 9 --max-new-tokens 12"), model);
    request.traced_tokens = 4;
    CachedBatch batch(model.transformer);
    const std::vector<int> ids = prompt_ids(parsed(""), model, "abc");
    const auto texts =
        generate_texts(std::ref(batch), token_bytes_of(model.tokenizer), ids, request);
    const auto keys = [](const nlohmann::json& j) {
        std::set<std::string> names;
        for (const auto& [name, value] : j.items()) names.insert(name);
        return names;
    };
    const auto header = nlohmann::json::parse(trace_header("m", "abc", request, ids));
    REQUIRE(keys(header) == std::set<std::string>{"format", "model", "prompt", "prompt_ids", "seed",
                                                  "samples", "chain"});
    REQUIRE(keys(header["chain"][0]) == std::set<std::string>{"name", "parameters"});
    int step = 0;
    for (const Trace& trace : texts[0].traces) {
        const auto line = nlohmann::json::parse(trace_line(model.tokenizer, trace, 0, step));
        REQUIRE(keys(line) == std::set<std::string>{"sample", "step", "id", "token", "u", "raw",
                                                    "processed", "steps", "top"});
        REQUIRE(keys(line["raw"]) ==
                std::set<std::string>{"candidates", "entropy", "log_probability"});
        REQUIRE(keys(line["top"][0]) ==
                std::set<std::string>{"id", "token", "raw", "processed", "removed_by"});
        // The table of --explain: after its two heads and the model's own line, one line a step.
        std::istringstream text(explanation(model.tokenizer, request.chain, trace, step++));
        std::string row;
        for (int i = 0; i < 3; ++i) std::getline(text, row);
        for (const auto& s : line["steps"]) {
            REQUIRE(keys(s) == std::set<std::string>{"name", "parameters", "before", "after",
                                                     "mass_removed", "entropy_before",
                                                     "entropy_after", "chosen_before",
                                                     "chosen_after"});
            REQUIRE(std::getline(text, row));
            std::istringstream cells(row);
            std::string name, parameters;
            int kept = 0, cut = 0, rank = 0;
            double mass = 0, entropy = 0, share = 0;
            REQUIRE(cells >> name >> parameters >> kept >> cut >> mass >> entropy >> rank >> share);
            REQUIRE(name == s["name"].get<std::string>());
            REQUIRE(parameters == s["parameters"].get<std::string>());
            REQUIRE((kept == s["after"] && cut == s["before"].get<int>() - kept));
            REQUIRE(rank == s["chosen_after"]["rank"]);
            // Half a unit of the last digit printed.
            REQUIRE(std::abs(mass - s["mass_removed"].get<double>()) <= 0.50001e-4);
            REQUIRE(std::abs(entropy - s["entropy_after"].get<double>()) <= 0.50001e-3);
            REQUIRE(std::abs(share / 100 - s["chosen_after"]["probability"].get<double>()) <=
                    0.50001e-4);
        }
    }
    REQUIRE(step == to_int(texts[0].ids.size()));
}

TEST_CASE("--explain without a step says which rank the token has in the model's distribution") {
    const Model model = small_model();
    const std::vector<float> logits{1, 3, 2};
    const auto line = [&](const std::vector<float>& row) {
        std::istringstream text(
            explanation(model.tokenizer, Chain(), trace(Chain(), row, {}, 0, 2), 0));
        std::string got;
        for (int i = 0; i < 3; ++i) std::getline(text, got);
        return got;
    };
    REQUIRE_THAT(line(logits), Catch::EndsWith("    2  24.47 %"));  // e^2 / (e + e^3 + e^2)
    REQUIRE_THAT(line({1, 3, banned}), Catch::EndsWith("removed"));
}

TEST_CASE("a text is shown after its prompt, unless only the new part is asked for") {
    const Model model = small_model();
    const std::vector<ShownPrompt> prompts{{"Once", {}}};
    const GenerateRequest request;
    GeneratedText text;
    text.text = " upon";
    Output output;
    const auto shown = [&] {
        return test::written_to(1, [&] {
            TextPrinter(output, "", model.tokenizer, prompts, request, false).finish({text});
        });
    };
    CHECK(shown() == "Once upon\n");
    output.no_display_prompt = true;
    CHECK(shown() == " upon\n");
}

TEST_CASE("prompt and pieces are shown at once, and in the end what they took") {
    const Model model = small_model();
    const std::vector<ShownPrompt> prompts{{"Once", {1, 2, 3}}};
    GenerateRequest request;
    request.chain = full_chain({}, Dialect::ours);
    GeneratedText text;
    text.text = " upon", text.ids = {4, 5}, text.reason = FinishReason::eos;
    Output output;
    output.stats = true;
    std::vector<long> lengths;  // of the file that stdout is now
    std::string shown;
    const std::string stats = test::written_to(2, [&] {
        shown = test::written_to(1, [&] {
            TextPrinter printer(output, "", model.tokenizer, prompts, request);
            const GenerateObserver observer = printer.observer();
            const auto look = [&] { lengths.push_back(::lseek(1, 0, SEEK_CUR)); };
            look();
            for (const char* piece : {" up", "on"}) {
                CHECK(observer.go_on());
                observer.on_text(0, piece);
                look();
            }
            printer.finish({text});
        });
    });
    CHECK(lengths == std::vector<long>{4, 7, 9});
    CHECK(shown == "Once upon\n");
    CHECK_THAT(stats, Catch::StartsWith(request.chain.to_string() + "\n3 prompt tokens, first") &&
                          Catch::Contains("; 2 tokens in 2 passes, ") &&
                          Catch::EndsWith("; ended by: eos\n"));
}

TEST_CASE("a text is shown after its own prompt, also where a search found fewer than asked for") {
    const Model model = small_model();
    const std::vector<ShownPrompt> prompts{{"One", {1}}, {"Two", {2}}};
    GenerateRequest request;
    request.samples = 2;
    std::vector<GeneratedText> texts(3);
    texts[0].text = " a", texts[1].text = " b", texts[2].text = " c";
    texts[1].prompt = texts[2].prompt = 1;
    Output output;
    const auto shown = [&] {
        return test::written_to(1, [&] {
            TextPrinter(output, "", model.tokenizer, prompts, request, false).finish(texts);
        });
    };
    CHECK(shown() == "--- 1 ---\nOne a\n\n--- 2 ---\nTwo b\n\n--- 3 ---\nTwo c\n");
    for (const auto& [format, sizes] :
         std::map<std::string, std::vector<std::size_t>>{{"json", {1, 2}}, {"jsonl", {0, 0, 0}}}) {
        output.format = format;
        std::istringstream lines(shown());
        std::vector<std::size_t> counts;
        std::string of;
        for (std::string line; std::getline(lines, line);) {
            const auto json = nlohmann::json::parse(line);
            of += json["prompt"].get<std::string>();
            counts.push_back(json.contains("texts") ? json["texts"].size() : 0);
        }
        CHECK(counts == sizes);
        CHECK(of == (output.format == "json" ? "OneTwo" : "OneTwoTwo"));
    }
}

TEST_CASE("a text of one pass has a time to its first token, and a speed") {
    const Model model = small_model();
    const std::vector<ShownPrompt> prompts{{"Once", {1}}};
    const GenerateRequest request;
    GeneratedText text;
    text.ids = {7};
    Output output;
    output.stats = true;
    const std::string stats = test::written_to(2, [&] {
        TextPrinter printer(output, "", model.tokenizer, prompts, request, false);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        printer.observer().go_on();
        printer.finish({text});
    });
    double first = 0, speed = 0;
    const std::size_t at = stats.find("first token after");
    REQUIRE(at != std::string::npos);
    REQUIRE(std::sscanf(stats.c_str() + at,
                        "first token after %lf ms; 1 tokens in 1 passes, %lf tokens/s", &first,
                        &speed) == 2);
    CHECK(first >= 20);
    CHECK((speed > 0 && speed <= 50));
}
