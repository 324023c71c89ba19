// Greedy texts of the generator against those of transformers' reference model.
#include "tests/catch.hpp"

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "lib/files/model.hpp"

using namespace tbt;

TEST_CASE("greedy texts are transformers' to the last id", "[ch10][golden]") {
    Transformer gpt = load_transformer("tests/data/tiny-gpt2");
    const auto golden = nlohmann::json::parse(std::ifstream("tests/data/tiny-gpt2/golden.json"));
    const std::vector<std::string> understood = {"kind",
                                                 "prompt",
                                                 "num_beams",
                                                 "max_new_tokens",
                                                 "hf446",
                                                 "hf430",
                                                 "v5",
                                                 "robust",
                                                 "no_repeat_ngram_size",
                                                 "repetition_penalty",
                                                 "min_new_tokens",
                                                 "min_length",
                                                 "eos_token_id",
                                                 "bad_words_ids",
                                                 "sequence_bias",
                                                 "suppress_tokens",
                                                 "renormalize_logits"};
    const TokenBytes no_bytes = [](int) { return std::string_view{}; };
    int compared = 0, skipped = 0;
    for (const auto& example : golden["generate"]) {
        if (example["kind"] != "greedy") continue;
        bool known = true;
        for (const auto& [key, value] : example.items())
            known =
                known && std::find(understood.begin(), understood.end(), key) != understood.end();
        if (!known) {
            // Forced EOS, decaying length penalty, tokens suppressed at the beginning:
            // not in this course.
            ++skipped;
            continue;
        }
        const auto prompt = example["prompt"].get<std::vector<int>>();
        GenerateRequest r;
        r.stop.max_new_tokens = example["max_new_tokens"];
        r.stop.context = gpt.config().n_positions;
        r.stop.eos = {68};
        if (example.contains("eos_token_id")) {
            const auto& e = example["eos_token_id"];
            r.stop.eos = e.is_null()    ? std::vector<int>{}
                         : e.is_array() ? e.get<std::vector<int>>()
                                        : std::vector<int>{e.get<int>()};
        }
        SamplingOptions sampling;
        sampling.temperature = 0;
        sampling.no_repeat_ngram_size = example.value("no_repeat_ngram_size", 0);
        sampling.repetition_penalty = example.value("repetition_penalty", 1.0);
        sampling.min_new_tokens =
            std::max(example.value("min_new_tokens", 0),
                     example.value("min_length", 0) - static_cast<int>(prompt.size()));
        PenaltyOptions more;
        more.eos = r.stop.eos;
        if (example.contains("bad_words_ids"))
            more.bad_words = example["bad_words_ids"].get<std::vector<std::vector<int>>>();
        if (example.contains("suppress_tokens")) {
            for (const int id : example["suppress_tokens"]) more.bad_words.push_back({id});
        }
        if (example.contains("sequence_bias")) {
            for (const auto& b : example["sequence_bias"])
                more.bias.push_back({b[0].get<std::vector<int>>(), b[1].get<float>()});
        }
        r.chain = full_chain(sampling, Dialect::transformers, more);
        CachedBatch model(gpt);
        INFO(example.dump().substr(0, 300));
        REQUIRE(generate_texts(std::ref(model), no_bytes, prompt, r)[0].ids ==
                example["hf446"]["sequences"][0].get<std::vector<int>>());
        ++compared;
    }
    REQUIRE(compared >= 40);
    REQUIRE(skipped <= 15);
}
