// The plain penalties are the definition: the fast ones do the same to every row, bit for bit.
#include "tests/catch.hpp"

#include "chapters/08_penalties/penalties.hpp"
#include "chapters/08_penalties/plain_penalties.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

namespace {

// Flat, with ties, peaked, with bans; as short as one token.
std::vector<float> random_row(Rng& rng) {
    const std::size_t V = rng.below(4) == 0 ? 1 : 1 + rng.below(40);
    const auto kind = rng.below(4);
    std::vector<float> s(V);
    for (float& x : s) {
        const double z = rng.normal();
        x = kind == 0 ? 0.0f
                      : static_cast<float>(kind == 1   ? std::round(z)
                                           : kind == 2 ? z
                                                       : 30 * z);
        if (rng.below(8) == 0) x = banned;
    }
    s[rng.below(V)] = 1;
    return s;
}
// Few different tokens, so that they repeat.
std::vector<int> random_text(Rng& rng, std::size_t V) {
    std::vector<int> text(rng.below(40));
    for (int& id : text) id = to_int(rng.below(std::min<std::size_t>(V, 5)));
    return text;
}
std::vector<float> all_logits(const Candidates& c) {
    return {c.logits().begin(), c.logits().end()};
}

constexpr int rounds = 5000;

}  // namespace

TEST_CASE("the fast penalties are the plain ones, on every row") {
    Rng rng(81);
    TokenCounts kept;  // from round to round, whatever vocabulary it was
    int changed = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<float> row = random_row(rng);
        const std::vector<int> text = random_text(rng, row.size());
        const double theta = 0.5 + rng.uniform(), f = rng.normal(), p = rng.normal();
        std::vector<float> plain = row;
        Candidates fast(row), again(row);
        plain_repetition(plain, text, theta);
        penalize_repetition(fast, text, theta);
        penalize_repetition(again, text, theta, &kept);
        REQUIRE(all_logits(fast) == plain);
        REQUIRE(all_logits(again) == plain);
        changed += plain != row;
        plain_frequency_presence(plain, text, f, p);
        penalize_frequency_presence(fast, text, f, p);
        penalize_frequency_presence(again, text, f, p, &kept);
        REQUIRE(all_logits(fast) == plain);
        REQUIRE(all_logits(again) == plain);
    }
    REQUIRE(changed > rounds / 2);
}

TEST_CASE("the fast bans and biases are the plain ones, on every row") {
    Rng rng(82);
    int banned_some = 0, biased_some = 0;
    for (int round = 0; round < rounds; ++round) {
        const std::vector<float> row = random_row(rng);
        const std::vector<int> text = random_text(rng, row.size());
        std::vector<float> plain = row;
        Candidates fast(row);

        const int n = to_int(rng.below(6));
        plain_no_repeat_ngram(plain, text, n);
        ban_repeated_ngrams(fast, text, n);
        REQUIRE(all_logits(fast) == plain);
        banned_some += plain != row;

        std::vector<SequenceBias> list(1 + rng.below(3));
        for (SequenceBias& b : list) {
            b.sequence.resize(1 + rng.below(3));
            for (int& id : b.sequence) id = to_int(rng.below(std::min<std::size_t>(row.size(), 5)));
            b.bias = rng.below(4) == 0 ? banned : static_cast<float>(rng.normal());
        }
        const std::vector<float> before = plain;
        for (const SequenceBias& b : list) plain_bias(plain, text, b);
        add_bias(fast, text, list);
        REQUIRE(all_logits(fast) == plain);
        biased_some += plain != before;

        const std::vector<int> eos{0, to_int(rng.below(row.size()))};
        const int generated = to_int(rng.below(4)), minimum = to_int(rng.below(4));
        plain_eos_until(plain, generated, minimum, eos);
        ban_eos_until(fast, index(generated), minimum, eos);
        REQUIRE(all_logits(fast) == plain);
    }
    REQUIRE(banned_some > rounds / 4);
    REQUIRE(biased_some > rounds / 4);
}

TEST_CASE("a penalty leaves out what was cut before it") {
    Rng rng(83);
    for (int round = 0; round < 1000; ++round) {
        const std::vector<float> row = random_row(rng);
        const std::vector<int> text = random_text(rng, row.size());
        std::vector<float> plain = row;
        Candidates fast(row);
        fast.keep({fast.largest() - 1});
        plain_repetition(plain, text, 1.3);
        plain_frequency_presence(plain, text, 0.5, 0.25);
        plain_no_repeat_ngram(plain, text, 2);
        penalize_repetition(fast, text, 1.3);
        penalize_frequency_presence(fast, text, 0.5, 0.25);
        ban_repeated_ngrams(fast, text, 2);
        for (std::size_t i = 0; i < fast.size(); ++i)
            REQUIRE(fast.logits()[i] == plain[index(fast.id(i))]);
    }
}
