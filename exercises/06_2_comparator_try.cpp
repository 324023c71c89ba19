// Exercise 06_2: eight strategies over a Zipf distribution of a thousand tokens,
// a thousand draws of each.
#include "exercises/06_2_comparator.hpp"

#include <cstdio>

#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/steps.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;
using namespace tbt::ex06_2;

namespace {

constexpr std::size_t V = 1000;
struct Strategy {
    const char* name;
    double temperature;
    int top_k;
    double top_p;
};
const Strategy strategies[] = {{"greedy", 0, 0, 1},    {"pure", 1, 0, 1},
                               {"top-k 10", 1, 10, 1}, {"top-k 20", 1, 20, 1},
                               {"top-k 50", 1, 50, 1}, {"top-p .5", 1, 0, .5},
                               {"top-p .9", 1, 0, .9}, {"top-p .95", 1, 0, .95}};

// One row: the strategy's distribution against the model's, and what a thousand draws of it look
// like.
void compare(const Strategy& s, const std::vector<float>& logits, const std::vector<double>& p) {
    Candidates c(logits);
    if (s.temperature != 1) apply_temperature(c, s.temperature);
    if (s.top_k != 0) keep_top_k(c, s.top_k);
    if (s.top_p != 1) keep_top_p(c, s.top_p);
    const std::vector<double> q = c.probabilities();
    Rng rng(1);
    std::vector<int> draws;
    for (int i = 0; i < 1000; ++i) draws.push_back(draw(c, rng.uniform()));
    const std::vector<double> drawn = frequencies(draws, V);
    const auto unique = static_cast<long>(V) - std::count(drawn.begin(), drawn.end(), 0.0);
    std::printf("%-9s  %4zu  %8.6f %8.6f %7.4f  %7ld  %-3s %8.6f %8.6f\n", s.name, c.count(),
                entropy(q), kl(q, p), kl(p, q), unique, drawn[0] > 0 ? "yes" : "no", entropy(drawn),
                kl(drawn, p));
}

}  // namespace

int main() {
    try {
        std::vector<float> logits;
        for (std::size_t i = 1; i <= V; ++i)
            logits.push_back(static_cast<float>(-portable_log(static_cast<double>(i))));
        Candidates model(logits);
        const std::vector<double> p = model.probabilities();
        std::printf(
            "                        the strategy            1000 draws\n"
            "strategy   kept   entropy  KL(q|p) KL(p|q)   unique  top  entropy  KL(.|p)\n");
        for (const Strategy& s : strategies) compare(s, logits, p);
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "06_2: %s\n", problem.what());
        return 1;
    }
}
