#include "chapters/21_medusa/measure.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/21_medusa/medusa.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr int ranks = 4, tokens = 60;

// The tree with all ranks at all depths: 4 + 16 + 64 guesses for three heads.
TreeShape full_tree(int heads) {
    int nodes = 0;
    for (int k = 0, level = ranks; k < heads; ++k, level *= ranks) nodes += level;
    const std::vector<double> equal(ranks, 0.25);
    return best_tree(std::vector<std::vector<double>>(index(heads), equal), nodes);
}

// Follows the text that was written and counts which places of the tree it reached and which rank
// was right there.
void count_ranks(const Guesses& guesses, std::span<const int> text,
                 std::vector<std::vector<double>>& right, std::vector<double>& reached) {
    int at = -1;
    for (std::size_t depth = 0; depth < std::min(text.size(), right.size()); ++depth) {
        int rank = -1, next = -1;
        for (int i = at + 1, r = 0; i < count(guesses.ids); ++i) {
            if (guesses.parent(i) != at) continue;
            if (guesses.ids[index(i)] == text[depth]) rank = r, next = i;
            ++r;
        }
        ++reached[depth];
        if (next < 0) return;
        if (rank < ranks) ++right[depth][index(rank)];
        at = next;
    }
}

}  // namespace

std::vector<std::vector<double>> measure_acceptance(Model& target, Heads& heads) {
    const TreeShape tree = full_tree(std::min(heads.count(), 3));
    std::vector<std::vector<double>> right(index(std::min(heads.count(), 3)),
                                           std::vector<double>(ranks));
    std::vector<double> reached(right.size());
    for (const double temperature : {0.0, 0.8})
        for (const std::string& prompt : measured_prompts) {
            SamplingOptions o;
            o.temperature = temperature, o.top_p = temperature > 0 ? 0.9 : 1;
            GenerateRequest r;
            r.chain = full_chain(o, Dialect::ours);
            r.stop.max_new_tokens = tokens, r.stop.context = target.config().n_positions;
            CachedBatch batch(target.transformer);
            guess_with_heads(
                r,
                [&](std::size_t slot) {
                    return HeadsDraft(heads, tree, [&batch, slot](std::span<const int> ids) {
                        return batch.state(slot, ids);
                    });
                },
                DraftLength::fixed(count(tree.parents)));
            const auto seen = watch_guesses(r);
            const std::vector<int> ids =
                generate_texts(std::ref(batch), token_bytes_of(target.tokenizer),
                               encode_prompt(target, prompt), r)[0]
                    .ids;
            for (const GuessedRound& round : *seen)
                if (!round.guesses.empty() && round.begins < ids.size())
                    count_ranks(round.guesses, std::span(ids).subspan(round.begins), right,
                                reached);
        }
    for (std::size_t k = 0; k < right.size(); ++k)
        for (double& x : right[k]) x = std::round(1e3 * x / std::max(reached[k], 1.0)) / 1e3;
    return right;
}

void measure_heads(const std::string& directory, const std::string& target, int threads) {
    Model model = load_model(target, {threads, {}});
    Heads heads = Heads::load(directory, target, {threads, {}});
    HeadsConfig config = heads.config();
    config.acceptance = measure_acceptance(model, heads);
    for (const std::vector<double>& head : config.acceptance) {
        std::fprintf(stderr, "right, by rank:");
        for (const double x : head) std::fprintf(stderr, "  %.3f", x);
        std::fprintf(stderr, "\n");
    }
    write_heads_config(directory, config);
}

}  // namespace tbt
