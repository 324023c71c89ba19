// The promise that everything is built on: logits depend on the tokens and the weights,
// on nothing else, to the last bit. Here for every length up to the context, one to four threads,
// all types of weights and caches, and every way in which a cache comes to its tokens.
#include "tests/catch.hpp"

#include <algorithm>
#include <vector>

#include "lib/files/random_model.hpp"
#include "tests/lib/logits.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::part;
using test::Reference;
using test::Way;

namespace {

constexpr int context = 132;  // two whole blocks of the cache, and some tokens of a third
constexpr int vocabulary = 37;

TransformerConfig small_config() {
    // Heads of 12 components: not a multiple of any register.
    TransformerConfig config = gpt_config(2, 2, 24, context, vocabulary);
    config.n_inner = 50;
    return config;
}

// GPT-2's start is too tame for a test: logits that hardly differ could be equal by chance.
WeightSource loud_weights() {
    return
        [source = random_weights(small_config(), 11)](const std::string& name, const Shape& shape) {
            Tensor w = source(name, shape);
            for (float& v : w.values()) v *= shape.size() == 1 ? 1.0f : 12.0f;
            return w;
        };
}

std::vector<int> some_text() { return test::random_ids(context, vocabulary, 3); }

constexpr Way ways[] = {{WeightType::f32},
                        {WeightType::f16},
                        {WeightType::bf16},
                        {WeightType::f32, WeightType::f16},
                        {WeightType::int8, WeightType::f16},
                        {WeightType::int4}};

Transformer model_of(const Way& way, int threads) {
    return Transformer(small_config(), loud_weights(), way.options(threads));
}

Reference reference_of(const Way& way) { return {model_of(way, 1), some_text()}; }

}  // namespace

TEST_CASE(
    "logits are the same bits at every length, with one to four threads, for every type of weights",
    "[contract]") {
    const test::FullTeams full;
    const std::vector<int> ids = some_text();
    for (const Way& way : ways) {
        const Reference reference = reference_of(way);
        for (int threads = 1; threads <= 4; ++threads) {
            Transformer gpt = model_of(way, threads);
            KvCache growing(gpt.config());
            int wrong = 0, known = 0;
            for (int t = 0; t < context; ++t) {
                // Three teams share the lengths, as every pass has them wait for each other.
                if (threads > 1 && t % 3 != threads - 2) continue;
                KvCache fresh(gpt.config());
                wrong += !reference.is_row(t, gpt.forward(fresh, part(ids, 0, t + 1)));
                wrong += !reference.is_row(t, gpt.forward(growing, part(ids, known, t + 1)));
                known = t + 1;
            }
            INFO(way.name() << ", threads " << threads);
            REQUIRE(wrong == 0);
        }
    }
}

TEST_CASE("each type of weights and of cache is another model, with its own bits", "[contract]") {
    std::vector<Reference> models;
    for (const Way& way : ways) models.push_back(reference_of(way));
    for (std::size_t a = 0; a < models.size(); ++a)
        for (std::size_t b = 0; b < a; ++b) REQUIRE(models[a].rows != models[b].rows);
}

TEST_CASE(
    "a cache cut anywhere and filled again in two pieces gives the same bits, for every type of "
    "weights",
    "[contract]") {
    const test::FullTeams full;
    const std::vector<int> ids = some_text();
    std::vector<int> other = ids;
    std::reverse(other.begin(), other.end());
    for (const Way& way : ways) {
        const Reference reference = reference_of(way);
        Transformer gpt = model_of(way, 3);
        KvCache cache(gpt.config());
        for (int cut = 1; cut < context - 1; ++cut) {
            const int middle = cut + (context - cut) / 2;
            cache.clear();
            gpt.forward(cache, part(ids, 0, cut));
            gpt.forward(cache, part(other, cut, context));  // another ending, forgotten again
            cache.truncate(cut);
            INFO("cut at " << cut);
            REQUIRE(reference.is_row(middle - 1, gpt.forward(cache, part(ids, cut, middle))));
            REQUIRE(reference.is_row(context - 1, gpt.forward(cache, part(ids, middle, context))));
        }
    }
}

TEST_CASE("forks at every length leave each other's bits alone", "[contract]") {
    const test::FullTeams full;
    const std::vector<int> ids = some_text();
    std::vector<int> other = ids;
    std::reverse(other.begin(), other.end());
    const Reference reference = reference_of({WeightType::f32});
    Transformer gpt = model_of({WeightType::f32}, 3);
    KvCache trunk(gpt.config());
    for (int length = 1; length < context; ++length) {
        gpt.forward(trunk, part(ids, length - 1, length));
        KvCache fork = trunk, second = fork;
        // The fork writes other tokens first, then the trunk's ending: each in its own blocks.
        gpt.forward(fork, part(other, length, context));
        INFO("fork at " << length);
        REQUIRE(reference.is_row(context - 1, gpt.forward(second, part(ids, length, context))));
        fork.truncate(length);
        REQUIRE(reference.is_row(length, gpt.forward(fork, part(ids, length, length + 1))));
    }
    REQUIRE(reference.is_row(context - 1, gpt.forward(trunk, part(ids, context - 1, context))));
}

TEST_CASE(
    "sequences of all lengths in one batch get what each gets alone, with any number of threads",
    "[contract]") {
    const test::FullTeams full;
    const std::vector<int> ids = some_text();
    const Reference reference = reference_of({WeightType::f32});
    for (const int threads : {1, 2, 3, 4, 7}) {
        Transformer gpt = model_of({WeightType::f32}, threads);
        for (int shift = 0; shift < 8; ++shift) {
            std::vector<KvCache> caches;
            std::vector<int> lengths;
            for (int length = 1 + shift; length <= context; length += 8) lengths.push_back(length);
            caches.reserve(lengths.size());
            std::vector<Step> steps;
            for (const int length : lengths) {
                KvCache& cache = caches.emplace_back(gpt.config());
                // Some come whole, some as one token after a filled cache.
                const int before = length % 3 == 0 ? 0 : length - 1;
                if (before > 0) gpt.forward(cache, part(ids, 0, before));
                steps.push_back({&cache, part(ids, before, length)});
            }
            const Logits logits = gpt.forward(steps);
            for (std::size_t i = 0; i < lengths.size(); ++i) {
                INFO("threads " << threads << ", length " << lengths[i]);
                REQUIRE(reference.is_row(lengths[i] - 1, logits.row(static_cast<std::int64_t>(i))));
            }
        }
    }
}

TEST_CASE("at the sizes of a real GPT-2 a text read at once and token by token has the same bits",
          "[contract]") {
    const test::FullTeams full;
    TransformerConfig config = small_config();
    config.vocab_size = 50257;
    config.n_layer = 1;
    config.n_embd = 32;
    config.n_inner = 3072;  // sums of more terms than the kernels take at a time
    const WeightSource weights = [source = random_weights(config, 5)](const std::string& name,
                                                                      const Shape& shape) {
        Tensor w = source(name, shape);
        for (float& v : w.values()) v = v * 4.0f + (shape.size() == 1 ? 0.37f : 0.0f);
        return w;
    };
    const std::vector<int> ids = test::random_ids(40, 50257, 8);
    for (const Way& way : ways) {
        Transformer gpt(config, weights, way.options(2));
        KvCache whole(gpt.config()), growing(gpt.config());
        const Logits all = gpt.forward_all(whole, ids);
        for (int t = 0; t < 40; ++t) {
            const std::span<const float> one = gpt.forward(growing, part(ids, t, t + 1));
            INFO(way.name() << ", token " << t);
            REQUIRE(std::ranges::equal(one, all.row(t)));
        }
    }
}
