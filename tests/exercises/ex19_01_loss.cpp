// Exercise 19_01: the loss and its gradient.
#include "19_01_loss.hpp"
#include "tests/exercises/rows.hpp"

using namespace tbt;
using namespace tbt::ex19_01;

namespace {

using Ids = std::vector<int>;

// With its input where it throws.
LossAndGradient shown_loss_of(const std::vector<Row>& logits, const Ids& targets) {
    INPUT(logits, targets);
    return loss_of(logits, targets);
}

void check(const std::vector<Row>& logits, const Ids& targets, double loss,
           const std::vector<Row>& gradient, const std::string& think, double tolerance = 1e-12) {
    const LossAndGradient got = shown_loss_of(logits, targets);
    std::string given = "rows";
    for (const Row& row : logits) given += " " + in_words(row);
    given += ", targets " + in_words(targets);
    same(Row{got.loss}, Row{loss}, given + ": the loss", think, tolerance);
    same(Row{double(got.gradient.size())}, Row{double(gradient.size())}, given + ": rows", think);
    for (std::size_t t = 0; t < gradient.size(); ++t)
        same(got.gradient[t], gradient[t], given + ": the gradient, row " + std::to_string(t),
             think, tolerance);
}

}  // namespace

TEST_CASE("logits 2 and 0, and it was the second", "[ex19_01]") {
    const double p = 1 / (1 + std::exp(-2));
    check({{2, 0}}, {1}, 2 + std::log(1 + std::exp(-2)), {{p, -p}}, "p − 1 for the target, p else");
    check({{2, 0}}, {0}, std::log(1 + std::exp(-2)), {{p - 1, 1 - p}},
          "p − 1 for the target, p else");
}

TEST_CASE("the loss of a guess among V is ln V", "[ex19_01]") {
    check({{1, 1, 1, 1}}, {2}, std::log(4), {{.25, .25, -.75, .25}}, "natural logarithms");
    check({{5}}, {0}, 0, {{0}}, "one token alone is no surprise");
}

TEST_CASE("over several rows it is the mean", "[ex19_01]") {
    check({{0, 0}, {0, 0}}, {0, 1}, std::log(2), {{-.25, .25}, {.25, -.25}}, "divided by N = 2");
    check({{0, 0}, {0, 0, 0, 0}}, {1, 3}, (std::log(2) + std::log(4)) / 2,
          {{.25, -.25}, {.125, .125, .125, -.375}}, "each row by itself");
}

TEST_CASE("a row without a target does not count", "[ex19_01]") {
    check({{9, 1}, {0, 0}, {3, 4}}, {-1, 0, -1}, std::log(2), {{0, 0}, {-.5, .5}, {0, 0}},
          "N is the number of targets that count");
    check({{9, 1}, {3, 4}}, {-1, -1}, 0, {{0, 0}, {0, 0}}, "0/0");
    check({}, {}, 0, {}, "no rows");
}

TEST_CASE("enormous logits, and a target that seemed impossible", "[ex19_01]") {
    check({{1000, 0}}, {1}, 1000, {{1, -1}}, "ln p, not the logarithm of a p that is 0", 1e-12);
    check({{-5000, -5000}}, {0}, std::log(2), {{-.5, .5}}, "subtract the maximum first");
    check({{7000, 7000}, {0, 0}}, {0, 0}, std::log(2), {{-.25, .25}, {-.25, .25}},
          "each row's own maximum");
}

TEST_CASE("a target that is no token is an error", "[ex19_01]") {
    for (const int target : {-2, 2, 1000000}) {
        INFO("target " << target << " of two tokens: expected an Error");
        CHECK_THROWS_AS(loss_of({{1, 2}}, {target}), Error);
        CHECK_THROWS_AS(loss_of({{1, 2}, {1, 2}}, {0, target}), Error);
    }
}

TEST_CASE("doubles: sixteen digits of a loss", "[ex19_01]") {
    // ln(1 + e^−20): p is nearly 1, and 1 − p nearly nothing
    check({{20, 0}}, {0}, 2.0611536181902037e-9, {{-2.0611536160660626e-9, 2.0611536160660626e-9}},
          "nine digits more than floats", 1e-15);
}

TEST_CASE("any rows: the gradient is what a small change of a logit does to the loss",
          "[ex19_01]") {
    Rng rng(191);
    for (int round = 0; round < 400; ++round) {
        std::vector<Row> logits(1 + rng.below(4));
        const std::size_t V = 1 + rng.below(5);
        Ids targets;
        for (Row& row : logits) {
            row = normal_row(rng, V, 2);
            targets.push_back(int(rng.below(V + 1)) - 1);
        }
        double loss = 0, n = 0;
        for (std::size_t t = 0; t < logits.size(); ++t) {
            if (targets[t] < 0) continue;
            double sum = 0;
            for (const double x : logits[t]) sum += std::exp(x);
            loss += std::log(sum) - logits[t][std::size_t(targets[t])], ++n;
        }
        const LossAndGradient got = shown_loss_of(logits, targets);
        same(Row{got.loss}, Row{n > 0 ? loss / n : 0}, "random rows: the loss", "the mean over N",
             1e-12);
        constexpr double h = 1e-5;
        for (std::size_t t = 0; t < logits.size(); ++t) {
            Row expected;
            for (std::size_t i = 0; i < V; ++i) {
                auto more = logits, less = logits;
                more[t][i] += h, less[t][i] -= h;
                expected.push_back((loss_of(more, targets).loss - loss_of(less, targets).loss) /
                                   (2 * h));
            }
            same(got.gradient[t], expected, "random rows: the gradient against differences",
                 "p − 1 for the target, p else, divided by N", 1e-8);  // h² and rounding/h
        }
    }
}
