// Each step of chapters 03 to 05, plain and fast, on thousands of rows: the same tokens stay,
// and the same u draws the same one.
#include "tests/catch.hpp"

#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/05_top_p/further/plain_typical.hpp"
#include "chapters/05_top_p/plain_relatives.hpp"
#include "chapters/05_top_p/plain_top_p.hpp"
#include "chapters/06_combining/steps.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/candidate_rows.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

// Rows as models and tests have them: noise, many equal logits, many masked, peaked, flat,
// so wide that most weigh nothing, and two groups at equal distances.
Row random_row(Rng& rng, std::size_t n) {
    const std::uint64_t kind = rng.below(8);
    Row s(n);
    for (float& x : s) {
        const auto z = static_cast<float>(rng.normal());
        x = kind == 0   ? z
            : kind == 1 ? std::round(2 * z)
            : kind == 2 ? (rng.below(3) ? masked : z)
            : kind == 3 ? 0.01f * z
            : kind == 4 ? -3.5f
            : kind == 5 ? 40 * z
            : kind == 6 ? (rng.below(2) ? 1.0f : -1.0f)
                        : (rng.below(20) ? masked : std::round(z));
    }
    if (kind == 3) s[rng.below(n)] += 12;                  // peaked
    if (kind == 2 || kind == 7) s[rng.below(n)] = 0.125f;  // one at least can be chosen
    return s;
}

struct Pair {
    std::string name;
    std::function<Row(const Row&, double T)> plain;
    std::function<void(Candidates&)> fast;
};

// Every cut, with a number of its own each time.
std::vector<Pair> pairs(Rng& rng, std::size_t n) {
    const int k = to_int(rng.below(n + 2));
    const double few[] = {0, 1e-12, 0.1, 0.5, 0.9, 0.95, 0.999, 1};
    const double p = rng.below(2) ? few[rng.below(8)] : rng.uniform();
    const double m = std::max(p, 1e-9), e = std::min(p * p * p, 0.999);
    return {
        {"top-k " + std::to_string(k), [=](const Row& s, double) { return top_k(s, k); },
         [=](Candidates& c) { keep_top_k(c, k); }},
        {"top-k with ties " + std::to_string(k),
         [=](const Row& s, double) { return top_k(s, k, Ties::keep_all); },
         [=](Candidates& c) { keep_top_k(c, k, Ties::keep_all); }},
        {"top-p " + std::to_string(p), [=](const Row& s, double T) { return top_p(s, T, p); },
         [=](Candidates& c) { keep_top_p(c, p); }},
        {"min-p " + std::to_string(p), [=](const Row& s, double T) { return min_p(s, T, p); },
         [=](Candidates& c) { keep_min_p(c, p); }},
        {"typical " + std::to_string(m), [=](const Row& s, double T) { return typical(s, T, m); },
         [=](Candidates& c) { keep_typical(c, m); }},
        {"typical with ties " + std::to_string(m),
         [=](const Row& s, double T) { return typical(s, T, m, Ties::keep_all); },
         [=](Candidates& c) { keep_typical(c, m, Ties::keep_all); }},
        {"epsilon " + std::to_string(e),
         [=](const Row& s, double T) { return cut_epsilon(s, T, e); },
         [=](Candidates& c) { cut_epsilon(c, e); }},
        {"eta " + std::to_string(e), [=](const Row& s, double T) { return cut_eta(s, T, e); },
         [=](Candidates& c) { cut_eta(c, e); }}};
}

void compare(Rng& rng, std::size_t n) {
    const Row s = random_row(rng, n);
    const double Ts[] = {0.05, 0.7, 1, 1, 1.5, 30};
    const double T = Ts[rng.below(6)];
    for (const Pair& pair : pairs(rng, n)) {
        INFO(pair.name << ", T = " << T << ", V = " << n);
        Candidates c(s);
        apply_temperature(c, T);
        pair.fast(c);
        const Row kept = pair.plain(s, T);
        REQUIRE(as_row(c) == kept);
        const double u = rng.uniform();
        REQUIRE(draw(c, u) == draw(kept, T, u));
    }
}

}  // namespace

TEST_CASE("every cut keeps the same tokens in plain code and fast, and the same u draws the same") {
    Rng rng(2024);
    for (int i = 0; i < 600; ++i) {
        compare(rng, 1);
        compare(rng, 2);
        compare(rng, 3 + rng.below(20));
        compare(rng, 100 + rng.below(400));
    }
}

TEST_CASE("plain and fast agree on rows as long as a vocabulary") {
    Rng rng(2025);
    for (int i = 0; i < 40; ++i) compare(rng, 4096);
    for (int i = 0; i < 4; ++i) compare(rng, 50257);
}

TEST_CASE("plain and fast weigh, measure and draw alike at every temperature") {
    Rng rng(2026);
    Candidates c;
    for (int i = 0; i < 2000; ++i) {
        const Row s = random_row(rng, 1 + rng.below(300));
        const double Ts[] = {0, 1e-300, 1e-3, 0.5, 1, 2, 1e3, 1e300};
        const double T = Ts[rng.below(8)];
        c.reset(s);
        apply_temperature(c, T);
        INFO("T = " << T << ", V = " << s.size());
        REQUIRE(c.probabilities() == softmax_at(s, T));
        // H is a sum of doubles, added in another order.
        const double difference = std::abs(c.entropy() - entropy_at(s, T));
        REQUIRE(difference <= 1e-14 * (1 + c.entropy()) * static_cast<double>(s.size()));
        for (const double u : {0.0, rng.uniform(), rng.uniform(), 1 - 0x1p-53})
            REQUIRE(draw(c, u) == draw(s, T, u));
    }
}

TEST_CASE("a second cut sees what the first has left, in plain code and fast") {
    Rng rng(2027);
    for (int i = 0; i < 500; ++i) {
        const Row s = random_row(rng, 2 + rng.below(200));
        const std::vector<Pair> first = pairs(rng, s.size()), second = pairs(rng, s.size());
        for (std::size_t k = 0; k < first.size(); ++k) {
            const Pair &one = first[k], &other = second[rng.below(second.size())];
            INFO(one.name << ", then " << other.name);
            Candidates c(s);
            one.fast(c), other.fast(c);
            REQUIRE(as_row(c) == other.plain(one.plain(s, 1), 1));
        }
    }
}

TEST_CASE("plain and fast refuse the same rows and numbers, with the same words") {
    const auto said = [](auto&& f) {
        try {
            f();
        } catch (const std::exception& problem) {
            return std::string(problem.what());
        }
        return std::string("nothing");
    };
    Rng rng(1);
    for (const Row& s : {Row{1, std::nanf(""), 2}, Row{1, 2, INFINITY}, Row{masked, masked}}) {
        for (const Pair& pair : pairs(rng, 1)) {
            INFO(pair.name);
            const std::string plain = said([&] { draw(pair.plain(s, 1), 1, 0.5); });
            const std::string fast = said([&] {
                Candidates c(s);
                pair.fast(c);
                draw(c, 0.5);
            });
            REQUIRE(plain == fast);
            REQUIRE(plain != "nothing");
        }
    }
    const Row s{1, 2};
    Candidates c(s);
    REQUIRE(said([&] { draw(c, 1.0); }) == said([&] { draw(s, 1, 1.0); }));
    REQUIRE(said([&] { keep_top_p(c, 90); }) == said([&] { top_p(s, 1, 90); }));
}
