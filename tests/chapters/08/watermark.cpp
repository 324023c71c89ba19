// The watermark: its distribution by enumeration of all keys, and what the detector sees.
#include "tests/catch.hpp"

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/watermark.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

namespace {

// Over V tokens after `context` of them, the bits of one key of the finitely many there are.
Watermark table_of(std::uint64_t bits, int V, int layers, std::size_t context) {
    return {[=](std::span<const int> last, int token) {
                int place = 0;
                for (const int id : last) place = place * V + id;
                return bits >> ((place * V + token) * layers);
            },
            layers, context};
}

// p(next | last) of three tokens.
const std::vector<std::vector<double>> next{{.6, .3, .1}, {.2, .2, .6}, {.5, .25, .25}};

// The distributions of texts of four tokens that begin with 0, averaged over all keys.
std::map<std::vector<int>, double> distribution_over_keys(bool uses_bits_once) {
    std::map<std::vector<int>, double> distribution;
    constexpr std::uint64_t keys = 1 << 9;  // three last tokens, three next ones
    for (std::uint64_t key = 0; key < keys; ++key) {
        const Watermark w = table_of(key, 3, 1, 1);
        std::map<std::vector<int>, double> texts{{{0}, 1.0 / keys}};
        for (int step = 0; step < 3; ++step) {
            std::map<std::vector<int>, double> longer;
            for (const auto& [text, probability] : texts) {
                std::vector<double> p = next[index(text.back())];
                // Where nothing was drawn yet, everything is fresh.
                plain_watermark(p, text, uses_bits_once ? 1 : text.size(), w);
                for (int id = 0; id < 3; ++id) {
                    std::vector<int> more = text;
                    more.push_back(id);
                    longer[more] += probability * p[index(id)];
                }
            }
            texts = std::move(longer);
        }
        for (const auto& [text, probability] : texts) distribution[text] += probability;
    }
    return distribution;
}

double farthest_from_the_model(const std::map<std::vector<int>, double>& distribution) {
    double most = 0;
    for (const auto& [text, probability] : distribution) {
        double p = 1;
        for (std::size_t i = 1; i < text.size(); ++i) p *= next[index(text[i - 1])][index(text[i])];
        most = std::max(most, std::abs(probability - p));
    }
    return most;
}

// A text of n tokens from a distribution over V tokens that changes with the place,
// marked with the key.
std::vector<int> written(int n, int V, const std::optional<std::uint64_t>& key,
                         std::uint64_t seed) {
    PenaltyOptions more;
    more.watermark = key;
    const Chain chain = full_chain({}, Dialect::ours, more);
    Rng rng(seed);
    std::vector<int> text{1, 2, 3, 4};
    std::vector<float> logits(index(V));
    Candidates scratch;
    while (to_int(text.size()) < n) {
        for (float& s : logits) s = static_cast<float>(2 * rng.normal());
        text.push_back(chain.pick(logits, {text, 4, {}}, rng.uniform(), scratch));
    }
    return text;
}

}  // namespace

TEST_CASE("the marks of a key never change, so that every text of it stays known") {
    const Watermark w = watermark_of(7);
    const std::vector<int> context{3, 1, 4, 1};
    REQUIRE(w.favours(context, 0) == 0x2b5ae8c2b0859763u);
    REQUIRE(w.favours(context, 5) == 0xd98dd26abec5d7a5u);
}

TEST_CASE("over all keys, a marked token has the distribution of an unmarked one") {
    const std::vector<double> distribution{.5, .3, .15, .05};
    std::vector<double> mean(4);
    constexpr std::uint64_t keys = 1 << 12;  // four tokens, three layers
    double most = 0;
    for (std::uint64_t key = 0; key < keys; ++key) {
        std::vector<double> p = distribution;
        plain_watermark(p, std::vector<int>{}, 0, table_of(key, 4, 3, 0));
        double sum = 0;
        for (std::size_t x = 0; x < 4; ++x) {
            REQUIRE(p[x] >= 0);
            sum += p[x], mean[x] += p[x] / keys;
            most = std::max(most, std::abs(p[x] - distribution[x]));
        }
        REQUIRE(std::abs(sum - 1) <= 1e-12);
    }
    // Each key for itself has quite a different distribution.
    REQUIRE(most > .3);
    for (std::size_t x = 0; x < 4; ++x) REQUIRE(std::abs(mean[x] - distribution[x]) <= 1e-12);
}

TEST_CASE(
    "over all keys, marked texts have the distribution of unmarked ones, as bits are used once") {
    REQUIRE(farthest_from_the_model(distribution_over_keys(true)) <= 1e-12);
    REQUIRE(farthest_from_the_model(distribution_over_keys(false)) > .01);
}

TEST_CASE("the step on candidates is the plain watermark on probabilities") {
    Rng rng(3);
    for (int row = 0; row < 100; ++row) {
        const double T = .5 + rng.uniform();
        std::vector<float> logits(50);
        for (float& s : logits) s = static_cast<float>(3 * rng.normal());
        logits[7] = banned;
        const std::vector<int> text{1, 2, 3, 4, to_int(rng.below(50))};
        const Watermark w = watermark_of(rng.next());
        Candidates c(logits);
        c.multiply_temperature(T);
        std::vector<double> plain = c.probabilities();
        plain_watermark(plain, text, 0, w);
        mark(c, {text, 0, {}}, w);
        const std::vector<double> fast = c.probabilities();
        // Logits are floats: 1e-6 of a probability.
        for (std::size_t i = 0; i < 50; ++i) REQUIRE(!(std::abs(plain[i] - fast[i]) > 2e-6));
        REQUIRE(fast[7] == 0);
    }
}

TEST_CASE("bits are used once: a place that the text had before is left as it is") {
    const Watermark w = watermark_of(5);
    REQUIRE_FALSE(is_fresh(std::vector<int>{1, 2, 3}, 0, w));  // too short to say
    REQUIRE(is_fresh(std::vector<int>{1, 2, 3, 4}, 0, w));
    REQUIRE_FALSE(is_fresh(std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4}, 0, w));
    // Nothing was drawn after what stands in the prompt, but at its end.
    REQUIRE(is_fresh(std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4}, 9, w));
    REQUIRE(is_fresh(std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4}, 5, w));
    REQUIRE_FALSE(is_fresh(std::vector<int>{1, 2, 3, 4, 5, 1, 2, 3, 4}, 4, w));
}

TEST_CASE("the detector knows the key's texts, and no others") {
    const Watermark right = watermark_of(42), wrong = watermark_of(43);
    double sum = 0, squares = 0;
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Evidence marked = evidence_of(written(100, 40, 42, seed), right);
        REQUIRE(marked.tokens == 96);
        REQUIRE(marked.z > 6);
        REQUIRE(marked.favoured > .55);
        REQUIRE(marked.by_chance < 1e-9);
        for (const Evidence& e : {evidence_of(written(100, 40, 42, seed), wrong),
                                  evidence_of(written(100, 40, {}, seed), right)})
            sum += e.z, squares += e.z * e.z;
    }
    // 80 normal numbers: their mean within 4/√80, their mean square within 1 ± 4·√(2/80).
    REQUIRE(std::abs(sum / 80) < .45);
    REQUIRE(std::abs(squares / 80 - 1) < .64);
    REQUIRE(evidence_of(std::vector<int>{1, 2, 3}, right).tokens == 0);
    // The same passage again says nothing new.
    std::vector<int> twice = written(100, 40, 42, 0);
    const std::size_t once = evidence_of(twice, right).tokens;
    twice.insert(twice.end(), twice.begin(), twice.begin() + 50);
    REQUIRE(evidence_of(twice, right).tokens <= once + 4);
}
