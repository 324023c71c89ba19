// The distributions of the samplers, by enumeration: every sequence of draws with its probability.
#include "tests/catch.hpp"

#include <numeric>

#include "chapters/22_diffusion/distributions.hpp"
#include "chapters/22_diffusion/plain_diffusion.hpp"
#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;

namespace {

constexpr int V = 3;
constexpr std::size_t L = 3;
// Sums of some thousand products of probabilities in double.
constexpr double rounding = 1e-12;

std::vector<double> random_distribution(Rng& rng, std::size_t n) {
    std::vector<double> p(n);
    double sum = 0;
    for (double& p_i : p) sum += p_i = 0.05 + rng.uniform();
    for (double& p_i : p) p_i /= sum;
    return p;
}

std::vector<Canvas> all_texts() {
    std::vector<Canvas> texts;
    for (int a = 0; a < V; ++a)
        for (int b = 0; b < V; ++b)
            for (int c = 0; c < V; ++c) texts.push_back({a, b, c});
    return texts;
}

// A distribution over the 27 texts.
std::map<Canvas, double> random_joint(std::uint64_t seed) {
    Rng rng(seed);
    const std::vector<double> p = random_distribution(rng, 27);
    std::map<Canvas, double> joint;
    for (std::size_t i = 0; i < 27; ++i) joint[all_texts()[i]] = p[i];
    return joint;
}

// A model as training leaves it: its answers come from no common distribution. Any row, any place.
MaskedDistribution random_model(std::uint64_t seed) {
    return [seed](const Canvas& row, std::size_t place) {
        std::uint64_t number = place;
        for (const int id : row) number = number * 5 + static_cast<std::uint64_t>(id + 1);
        Rng rng(seed, number);
        return random_distribution(rng, V);
    };
}

// The model's own distribution: all orders of the places, equally likely,
// one token after the other.
std::map<Canvas, double> mean_over_orders(const MaskedDistribution& distribution,
                                          const Canvas& start) {
    std::vector<std::size_t> order = masked_places(start, start.size());
    double orders = 0;
    std::map<Canvas, double> result;
    do {
        orders += 1;
        for (const Canvas& text : all_texts()) {
            Canvas row = start;
            double p = 1;
            for (const std::size_t place : order) {
                p *= distribution(row, place)[index(text[place])];
                row[place] = text[place];
            }
            if (row == text) result[text] += p;
        }
    } while (std::next_permutation(order.begin(), order.end()));
    for (auto& [text, p] : result) p /= orders;
    return result;
}

double distance(const std::map<Canvas, double>& a, const std::map<Canvas, double>& b) {
    double sum = 0;
    for (const Canvas& text : all_texts()) {
        const auto p = [&](const auto& distribution) {
            const auto found = distribution.find(text);
            return found == distribution.end() ? 0.0 : found->second;
        };
        sum += std::abs(p(a) - p(b)) / 2;
    }
    return sum;
}

double divergence(const std::map<Canvas, double>& p, const std::map<Canvas, double>& q) {
    double sum = 0;
    for (const auto& [text, p_i] : p) sum += p_i * std::log(p_i / q.at(text));
    return sum;
}

const Canvas blank(L, mask_token);

// f[j]: the mean of −ln p of a masked token when j are known, over texts, places and orders.
std::vector<double> cross_entropies(const std::map<Canvas, double>& joint,
                                    const MaskedDistribution& distribution) {
    std::vector<double> f(L);
    for (const auto& [text, p] : joint) {
        std::vector<std::size_t> order = {0, 1, 2};
        do {
            Canvas row = blank;
            for (std::size_t j = 0; j < L; ++j) {
                f[j] += p / 6 * masked_loss(distribution, row, text);
                row[order[j]] = text[order[j]];
            }
        } while (std::next_permutation(order.begin(), order.end()));
    }
    return f;
}

}  // namespace

TEST_CASE("one place a step at random is the model's own distribution, consistent or not") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const MaskedDistribution model = random_model(seed);
        REQUIRE(distance(distribution_of(at_random(1), model, blank),
                         mean_over_orders(model, blank)) <= rounding);
        const std::map<Canvas, double> joint = random_joint(seed);
        REQUIRE(distance(distribution_of(at_random(1), conditionals(joint, V), blank), joint) <=
                rounding);
    }
}

TEST_CASE("infilling has the distribution given both ends") {
    const std::map<Canvas, double> joint = random_joint(7);
    double both_ends = 0;
    for (int b = 0; b < V; ++b) both_ends += joint.at({2, b, 0});
    const auto filled = distribution_of(at_random(1), conditionals(joint, V), {2, mask_token, 0});
    REQUIRE(filled.size() == V);
    for (int b = 0; b < V; ++b)
        CHECK(std::abs(filled.at({2, b, 0}) - joint.at({2, b, 0}) / both_ends) <= rounding);
    const MaskedDistribution model = random_model(8);
    const Canvas one_end = {mask_token, 1, mask_token};
    CHECK(distance(distribution_of(at_random(1), model, one_end),
                   mean_over_orders(model, one_end)) <= rounding);
}

TEST_CASE("several at once are a different distribution") {
    const std::map<Canvas, double> joint = random_joint(1);
    const MaskedDistribution distribution = conditionals(joint, V);
    CHECK(distance(distribution_of(at_random(2), distribution, blank), joint) > 0.01);
    // All at once: each place by itself, the product of its three distributions.
    const auto product = distribution_of(at_random(3), distribution, blank);
    for (const Canvas& text : all_texts()) {
        double p = 1;
        for (std::size_t i = 0; i < L; ++i) p *= distribution(blank, i)[index(text[i])];
        CHECK(std::abs(product.at(text) - p) <= rounding);
    }
    // More than there are is all.
    CHECK(distance(distribution_of(at_random(9), distribution, blank), product) <= rounding);
}

TEST_CASE(
    "by confidence is a different distribution, even for a perfect model and one place a step") {
    const std::map<Canvas, double> joint = random_joint(2);
    CHECK(distance(distribution_of(by_confidence(1), conditionals(joint, V), blank), joint) > 0.01);
    // By hand: two places that always agree, 0 with probability p, 1 with 1 − p. The more probable
    // wins unless both draws are the other: p² + 2p(1 − p).
    const double p = 0.7;
    const auto agree =
        distribution_of(by_confidence(1), conditionals({{{0, 0}, p}, {{1, 1}, 1 - p}}, 2),
                        {mask_token, mask_token});
    CHECK(agree.size() == 2);
    CHECK(std::abs(agree.at({0, 0}) - (p * p + 2 * p * (1 - p))) <= rounding);
}

TEST_CASE("all places at once by confidence are all places at once at random") {
    const MaskedDistribution distribution = random_model(3);
    CHECK(distance(distribution_of(by_confidence(3), distribution, blank),
                   distribution_of(at_random(3), distribution, blank)) <= rounding);
}

TEST_CASE(
    "by blocks of one place is left to right; of any length, one a step keeps a perfect "
    "distribution") {
    const auto by_blocks = [](std::size_t length, std::size_t n) {
        return Sampler([=](Canvas& row, const MaskedDistribution& distribution, const Draw& draw) {
            fill_by_blocks(row, length, [&](Canvas& r, std::size_t end) {
                fill_at_random(r, distribution, draw, n, end);
            });
        });
    };
    const MaskedDistribution model = random_model(4);
    const auto left_to_right = distribution_of(by_blocks(1, 1), model, blank);
    for (const Canvas& text : all_texts()) {
        Canvas row = blank;
        double p = 1;
        for (std::size_t i = 0; i < L; ++i) {
            p *= model(row, i)[index(text[i])];
            row[i] = text[i];
        }
        CHECK(std::abs(left_to_right.at(text) - p) <= rounding);
    }
    const std::map<Canvas, double> joint = random_joint(5);
    for (const std::size_t length : {1u, 2u, 3u, 4u})
        CHECK(distance(distribution_of(by_blocks(length, 1), conditionals(joint, V), blank),
                       joint) <= rounding);
    CHECK(distance(distribution_of(by_blocks(2, 2), conditionals(joint, V), blank), joint) > 0.005);
}

TEST_CASE("the loss, by hand: two of three places masked") {
    const MaskedDistribution distribution = [](const Canvas& row, std::size_t place) {
        REQUIRE(row == Canvas{mask_token, 1, mask_token});  // the model never sees what is hidden
        return place == 0 ? std::vector<double>{.5, .25, .25} : std::vector<double>{.1, .1, .8};
    };
    // (ln 2 + ln 1.25) / 2
    CHECK(std::abs(masked_loss(distribution, {mask_token, 1, mask_token}, {0, 1, 2}) -
                   std::log(2.5) / 2) <= 1e-15);
}

TEST_CASE("the loss, times L, bounds -ln p; for a perfect model it is -ln p") {
    // Over all maskings of k places, and k = 1 … 3.
    const auto bound = [](const MaskedDistribution& distribution, const Canvas& text) {
        double sum = 0;
        for (unsigned mask = 1; mask < 8; ++mask) {
            Canvas row = text;
            int k = 0;
            for (std::size_t i = 0; i < L; ++i)
                if (mask >> i & 1) row[i] = mask_token, ++k;
            sum +=
                masked_loss(distribution, row, text) / (k == 3 ? 1 : 3);  // of (3 over k) maskings
        }
        return sum;
    };
    const std::map<Canvas, double> joint = random_joint(6);
    const MaskedDistribution perfect = conditionals(joint, V), model = random_model(6);
    const std::map<Canvas, double> own = mean_over_orders(model, blank);
    for (const Canvas& text : all_texts()) {
        CHECK(std::abs(bound(perfect, text) + std::log(joint.at(text))) <= rounding);
        CHECK(bound(model, text) >= -std::log(own.at(text)) - rounding);
    }
}

TEST_CASE("what several at once cost is at most what the loss predicts") {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
        const std::map<Canvas, double> joint = random_joint(seed);
        const MaskedDistribution distribution = conditionals(joint, V);
        const std::vector<double> f = cross_entropies(joint, distribution);
        CHECK(std::abs(cost_of_steps(f, 1)) <= rounding);
        for (const std::size_t n : {2u, 3u}) {
            const double measured =
                divergence(joint, distribution_of(at_random(n), distribution, blank));
            CHECK(measured > 1e-3);
            CHECK(measured <= cost_of_steps(f, n) + rounding);
        }
        // All at once there is only one order of asking, and the bound is met.
        CHECK(std::abs(divergence(joint, distribution_of(at_random(3), distribution, blank)) -
                       cost_of_steps(f, 3)) <= rounding);
    }
    CHECK(std::abs(cost_of_steps({3, 2, 1, 0}, 2) - 2) <= 1e-15);  // (3 − 2) + (1 − 0)
}

TEST_CASE(
    "samplers: places beyond the end stay masked, nothing masked asks nobody, zero is refused") {
    const MaskedDistribution never = [](const Canvas&, std::size_t) -> std::vector<double> {
        throw Error("asked");
    };
    const Draw first = [](const std::vector<double>&) { return 0; };
    Canvas full = {1, 2};
    fill_at_random(full, never, first, 1);
    fill_by_confidence(full, never, first, 1);
    CHECK(full == Canvas{1, 2});
    const MaskedDistribution distribution = [](const Canvas&, std::size_t) {
        return std::vector<double>{1};
    };
    Canvas half = {mask_token, mask_token, mask_token};
    fill_at_random(half, distribution, first, 5, 2);
    CHECK(half == Canvas{0, 0, mask_token});
    half = {mask_token, mask_token, mask_token};
    fill_by_confidence(half, distribution, first, 5, 1);
    CHECK(half == Canvas{0, mask_token, mask_token});
    REFUSES(fill_at_random(half, distribution, first, 0));
    REFUSES(fill_by_confidence(half, distribution, first, 0));
    REFUSES(fill_by_blocks(half, 0, [](Canvas&, std::size_t) {}));
    REFUSES(cost_of_steps({1}, 0));
}
