// Several texts of one network at a time: the same bits as each text alone.
#include "tests/catch.hpp"

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

TEST_CASE("samples of a network share one reading of the prompt and are what each is alone") {
    Transformer gpt(small_config(), random_weight, {1});
    GenerateRequest r = request(20);
    r.samples = 4;
    const std::vector<int> prompt = bytes_of("a prompt of some length");
    CachedBatch together(gpt);
    const auto texts = ids_of(generate_texts(std::ref(together), one_byte, prompt, r));
    long generated = 0;
    for (const auto& ids : texts) generated += static_cast<long>(ids.size());
    // The prompt once, and every token but the last of each text.
    REQUIRE(together.computed() == static_cast<long>(prompt.size()) + generated - r.samples);

    for (int i = 0; i < r.samples; ++i) {
        GenerateRequest alone = r;
        alone.samples = 1;
        alone.first_stream = static_cast<std::uint64_t>(i);
        CachedModel model(gpt);
        REQUIRE(ids_of(generate_texts(one_at_a_time(std::ref(model)), one_byte, prompt,
                                      alone))[0] == texts[index(i)]);
    }
}

TEST_CASE("a batch goes on from what it has read, over texts that grow, part and go back") {
    Transformer gpt(small_config(), random_weight, {1});
    CachedBatch batch(gpt);
    Rng rng(1);
    std::vector<std::vector<int>> texts(3, bytes_of("start"));
    for (int round = 0; round < 40; ++round) {
        std::vector<BatchText> asked;
        for (std::size_t i = 0; i < texts.size(); ++i) {
            std::vector<int>& text = texts[i];
            const std::uint64_t kind = rng.below(8);
            if (kind == 0) text = texts[rng.below(3)];               // another's text
            if (kind == 1) text.resize(1 + rng.below(text.size()));  // go back
            if (kind == 2)
                text.erase(
                    text.begin(),
                    text.begin() + static_cast<std::ptrdiff_t>(rng.below(text.size())));  // slide
            for (std::uint64_t n = rng.below(3); n > 0 && text.size() < 60; --n)
                text.push_back(to_int(rng.below(257)));
            if (rng.below(5) > 0) asked.push_back({i, text});
        }
        if (asked.empty()) continue;
        const auto rows = batch(asked);
        REQUIRE(rows.size() == asked.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const std::vector<float> got(rows[i].begin(), rows[i].end());
            KvCache fresh(gpt.config());
            Transformer reference(small_config(), random_weight, {1});
            const std::span<const float> expected = reference.forward(fresh, asked[i].ids);
            REQUIRE(std::equal(got.begin(), got.end(), expected.begin(), expected.end()));
        }
    }
}

TEST_CASE("the same seed gives the same texts with any number of threads") {
    std::vector<std::vector<std::vector<int>>> all;
    for (const int threads : {1, 2, 3}) {
        Transformer gpt(small_config(), random_weight, {threads});
        CachedBatch batch(gpt);
        GenerateRequest r = request(30);
        r.samples = 3;
        SamplingOptions sampling;
        sampling.temperature = 0.9;
        sampling.top_p = 0.95;
        sampling.repetition_penalty = 1.1;
        r.chain = full_chain(sampling, Dialect::ours);
        all.push_back(ids_of(generate_texts(std::ref(batch), one_byte, bytes_of("threads"), r)));
    }
    REQUIRE(all[1] == all[0]);
    REQUIRE(all[2] == all[0]);
}
