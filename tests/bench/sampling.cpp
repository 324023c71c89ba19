// Sampling over a vocabulary of GPT-2's size, one core: each step from a fresh row of logits,
// in µs and in passes over the row (the time it takes to read it once, from the same rounds).
// Steps that need every probability take 20 operations on doubles an element,
// as long as 2 million multiply-adds of floats: compare them with that probe.
//
// The rows are normal with standard deviation 1 (flat: a nucleus of some 30,000 tokens)
// and 4 (peaked: one or two hundred). Every step includes the look at the row that checks it and
// finds its maximum.
#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/06_combining/steps.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/08_penalties/penalties.hpp"
#include "lib/core/rng.hpp"
#include "tests/bench/sampling.hpp"

namespace tbt::bench {

namespace {

constexpr std::size_t V = 50257;

// A penalty on a row that is already a copy: what it costs by itself.
// Each step finds another last token.
Contender penalty(std::string name, std::shared_ptr<const LineVector<float>> row,
                  std::vector<int> text,
                  std::function<void(Candidates&, std::span<const int>)> penalize) {
    const auto candidates = std::make_shared<Candidates>(*row);
    candidates->find(0);
    return repeated(std::move(name), [=, text = std::move(text)]() mutable {
        text.back() = (text.back() + 1) % static_cast<int>(V);
        penalize(*candidates, text);
        keep(candidates->logits()[0]);
    });
}

// What not to do: sort the vocabulary.
void top_p_by_sorting(const LineVector<float>& row, std::vector<int>& order) {
    order.resize(row.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](int a, int b) {
        return row[static_cast<std::size_t>(a)] > row[static_cast<std::size_t>(b)];
    });
}

void run(const Settings&) {
    Table table("sampling", {"logits", "step", "µs", "passes"});
    std::vector<int> text(512);
    Rng rng(3);
    for (int& id : text) id = static_cast<int>(rng.below(V));
    for (const double sigma : {1.0, 4.0}) {
        const auto row = std::make_shared<const LineVector<float>>(normal_row(V, sigma));
        const auto order = std::make_shared<std::vector<int>>();
        std::vector<Contender> work = read_probes(static_cast<std::int64_t>(V * sizeof(float)), 1);
        const std::size_t probes = work.size();
        work.push_back(fma_probe(1));
        const auto add = [&](std::string name, std::function<void(Candidates&)> f) {
            work.push_back(step(std::move(name), row, std::move(f)));
        };
        add("look at the row", [](Candidates& c) { c.largest(); });
        add("draw over all", [](Candidates& c) { keep(static_cast<float>(draw(c, 0.7))); });
        add("top-k 40", [](Candidates& c) { keep_top_k(c, 40); });
        add("top-k 40, T, top-p 0.9, draw", usual_chain);
        add("top-p 0.9", [](Candidates& c) { keep_top_p(c, 0.9); });
        add("min-p 0.05", [](Candidates& c) { keep_min_p(c, 0.05); });
        add("typical 0.9", [](Candidates& c) { keep_typical(c, 0.9); });
        add("epsilon 0.0003", [](Candidates& c) { cut_epsilon(c, 0.0003); });
        add("eta 0.0003", [](Candidates& c) { cut_eta(c, 0.0003); });
        add("copy for edits", [](Candidates& c) { c.find(0); });
        work.push_back(
            penalty("repetition, 512 tokens", row, text,
                    [counts = TokenCounts()](Candidates& c, std::span<const int> ids) mutable {
                        penalize_repetition(c, ids, 1.0001, &counts);
                    }));
        work.push_back(
            penalty("frequency, 512 tokens", row, text,
                    [counts = TokenCounts()](Candidates& c, std::span<const int> ids) mutable {
                        penalize_frequency_presence(c, ids, 0.0001, 0.0001, &counts);
                    }));
        work.push_back(repeated("sort the row (what we avoid)", [=] {
            top_p_by_sorting(*row, *order);
            keep(static_cast<float>((*order)[0]));
        }));
        const std::vector<Timing> timings = interleaved(work);
        double pass = timings[0].median;
        for (std::size_t i = 1; i < probes; ++i) pass = std::min(pass, timings[i].median);
        table.row(
            {sigma == 1.0 ? "flat" : "peaked", "read the row (probe)", {pass * 1e6, 2}, {1.0, 1}});
        table.row({sigma == 1.0 ? "flat" : "peaked", "1 million multiply-adds (probe)",
                   Cell(timings[probes].median / fma_probe_flops(1) * 2e12, 2),
                   Cell(timings[probes].median / fma_probe_flops(1) * 2e6 / pass, 1)});
        for (std::size_t i = probes + 1; i < work.size(); ++i) {
            table.row({sigma == 1.0 ? "flat" : "peaked", work[i].name,
                       Cell(timings[i].median * 1e6, 2), Cell(timings[i].median / pass, 1)});
        }
    }
}

const Section section{"sampling", 40, "steps of the chain over 50,257 logits, one core", run};

}  // namespace

}  // namespace tbt::bench
