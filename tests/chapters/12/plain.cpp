// The plain round is the definition: the fast one says the same for the same random numbers,
// and its distribution is the target's, every outcome counted.
#include "tests/catch.hpp"

#include "chapters/12_speculative/drafts.hpp"
#include "chapters/12_speculative/plain_speculative.hpp"
#include "chapters/12_speculative/speculative.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

namespace {

// Luck that is given.
class GivenChance {
public:
    explicit GivenChance(const std::vector<double>& u) : u_(u.begin()) {}
    bool accept(double probability) { return (last_ = *u_++) < probability; }
    int draw(Candidates& distribution) { return tbt::draw(distribution, last_ = *u_++); }
    int draw(std::span<const double> weights) { return plain_draw(weights, last_ = *u_++); }
    double u() const { return last_; }

private:
    std::vector<double>::const_iterator u_;
    double last_ = 0;
};

// A model of V tokens whose logits depend on all of the text: flat, peaked, with ties, with −∞.
class RandomModel {
public:
    RandomModel(std::uint64_t seed, int V) : seed_(seed), V_(V) {}
    std::vector<float> row(std::span<const int> ids) const {
        std::uint64_t key = seed_;
        for (const int id : ids) key = key * 1000003 + static_cast<std::uint64_t>(id) + 17;
        Rng rng(key);
        const auto kind = rng.below(4);
        std::vector<float> s(index(V_));
        for (float& x : s) {
            const double z = rng.normal();
            x = static_cast<float>(kind == 0   ? 0
                                   : kind == 1 ? std::round(z)
                                   : kind == 2 ? z
                                               : 9 * z);
            if (rng.below(6) == 0) x = -std::numeric_limits<float>::infinity();
        }
        s[rng.below(s.size())] = 1;
        return s;
    }
    DistributionAfter distribution() const {
        return
            [*this](const std::vector<int>& ids) { return Candidates(row(ids)).probabilities(); };
    }
    NextLogits next() const {
        return [*this, s = std::vector<float>()](std::span<const int> ids) mutable {
            s = row(ids);
            return std::span<const float>(s);
        };
    }
    LastLogits last() const {
        return [*this, rows = std::vector<float>()](std::span<const int> ids, int count) mutable {
            rows.clear();
            for (int i = count - 1; i >= 0; --i) {
                const auto s = row(ids.first(ids.size() - index(i)));
                rows.insert(rows.end(), s.begin(), s.end());
            }
            return Logits{rows, count};
        };
    }

private:
    std::uint64_t seed_;
    int V_;
};

// Copies: what is in a row may be gone after the model's next call.
Distribution probabilities(const std::vector<float>& row) {
    return Candidates(row).probabilities();
}

}  // namespace

TEST_CASE("the fast round says what the plain one says, for the same random numbers") {
    Rng rng(121);
    int longer = 0;
    for (int round = 0; round < 4000; ++round) {
        const int V = rng.below(8) == 0 ? 1 : 1 + to_int(rng.below(12));
        const auto length = to_int(rng.below(7));
        const RandomModel target(rng.next(), V), draft(rng.below(4) == 0 ? 5 : rng.next(), V);
        const std::vector<int> text{0};
        std::vector<double> u(2 * index(length) + 1);
        for (double& x : u) x = rng.below(10) == 0 ? 0 : rng.uniform();

        const std::vector<int> plain =
            plain_round(target.distribution(), draft.distribution(), text, length, u);
        GivenChance chance(u);
        ModelDraft small(draft.next(), 100);
        const Round fast = speculate_once(target.last(), small, {}, text, 1, length, chance);
        REQUIRE(fast.tokens == std::vector<int>(plain.begin() + 1, plain.end()));
        longer += plain.size() > 3;
    }
    REQUIRE(longer > 400);
}

TEST_CASE("the plain residual is the fast one") {
    Rng rng(122);
    for (int round = 0; round < 3000; ++round) {
        const int V = 1 + to_int(rng.below(12));
        const std::vector<float> a = RandomModel(rng.next(), V).row({}),
                                 b = rng.below(5) == 0 ? a : RandomModel(rng.next(), V).row({});
        Candidates p(a), q(b);
        const std::vector<double> fast = residual(p, {0, &q});
        REQUIRE(plain_residual(probabilities(a), probabilities(b)) == fast);
        Distribution certain(index(V));
        certain[0] = 1;
        REQUIRE(plain_residual(probabilities(a), certain) == residual(p, {0, nullptr}));
    }
}

TEST_CASE("every outcome of the plain round counted, its texts have the target's distribution") {
    // Between two neighbouring borders of u nothing changes, so a round is run once for each
    // cell of the borders of every question, and the cells' volumes are added.
    constexpr int V = 3;
    for (const std::uint64_t seed : {1, 2, 3, 4}) {
        const RandomModel target(seed, V), draft(seed + 50, V);
        const DistributionAfter p = target.distribution(), q = draft.distribution();
        const auto cumulated = [](const Distribution& w, std::set<double>& borders) {
            double whole = 0, sum = 0;
            for (const double x : w) whole += x;
            for (const double x : w) borders.insert(std::min(1.0, (sum += x) / whole));
        };
        // The questions of a round of one guess: draw, verdict, draw.
        std::vector<std::set<double>> borders(3, {0.0, 1.0});
        cumulated(q({0}), borders[0]);
        for (std::size_t x = 0; x < V; ++x) {
            borders[1].insert(q({0})[x] > 0 ? std::min(1.0, p({0})[x] / q({0})[x]) : 1);
            cumulated(p({0, static_cast<int>(x)}), borders[2]);
        }
        cumulated(plain_residual(p({0}), q({0})), borders[2]);

        Distribution first(V);
        std::vector<Distribution> second(V, Distribution(V));
        const std::function<void(std::vector<double>, double)> all = [&](std::vector<double> u,
                                                                         double volume) {
            if (u.size() == borders.size()) {
                const std::vector<int> text = plain_round(p, q, {0}, 1, u);
                const auto x = index(text[1]);
                first[x] += volume;
                // A round that ended early goes on by the target.
                for (std::size_t y = 0; y < V; ++y)
                    second[x][y] +=
                        volume * (text.size() > 2 ? text[2] == static_cast<int>(y) : p(text)[y]);
                return;
            }
            const std::set<double>& ends = borders[u.size()];
            u.push_back(0);
            for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
                u.back() = (*std::prev(end) + *end) / 2;
                all(u, volume * (*end - *std::prev(end)));
            }
        };
        all({}, 1);
        for (std::size_t x = 0; x < V; ++x) {
            REQUIRE(std::abs(first[x] - p({0})[x]) <= 1e-12);
            for (std::size_t y = 0; y < V; ++y) {
                const double expected = p({0})[x] * p({0, static_cast<int>(x)})[y];
                REQUIRE(std::abs(second[x][y] - expected) <= 1e-12);
            }
        }
    }
}
