// Chapter 07: the KV cache.
//
// Shows what is computed again and again without a cache, that the cache changes no bit, how much
// work it saves (counted, then timed), how much memory it takes, and what happens when tokens are
// rolled back or dropped from the beginning.
//
//   make run-07                              all five parts
//   make run-07 ARGS="--part 3"              the part that measures time
//   make run-07 ARGS="--memory --batch 8"    the memory that a model needs, from its config.json
//                                            (with --measure also the memory that it takes)
//
// Look for: "same bits", and the last column of part 3.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/memory_report.hpp"
#include "chapters/07_kv_cache/redundancy.hpp"
#include "chapters/07_kv_cache/timing.hpp"
#include "chapters/07_kv_cache/work.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int generated = 100;

// Computes the logits from scratch, from the whole text. The filled cache is returned in `fresh`.
std::vector<float> uncached_logits(Transformer& gpt, std::span<const int> ids, KvCache& fresh) {
    fresh.clear();
    const std::span<const float> logits = gpt.forward(fresh, ids);
    return {logits.begin(), logits.end()};
}
std::vector<float> uncached_logits(Transformer& gpt, std::span<const int> ids) {
    KvCache fresh(gpt.config());
    return uncached_logits(gpt, ids, fresh);
}

// Computes the logits from only those tokens that are not in the cache.
std::vector<float> cached_logits(Transformer& gpt, KvCache& cache, std::span<const int> ids) {
    const std::span<const float> logits = gpt.forward(cache, ids.subspan(index(cache.length())));
    return {logits.begin(), logits.end()};
}

// 1. Without and with the cache, side by side; for the uncached pass also the number of positions
//    whose keys and values are in the cache already.
void same_bits(Model& model, std::vector<int> ids, int steps) {
    KvCache cache(model.config()), fresh(model.config());
    std::printf(
        "1. Greedy, with and without a cache: positions computed, those of them that come\n"
        "   out as before (keys and values, every bit), and the %d logits compared.\n\n"
        "                         without      with   logits\n"
        "   step  token       computed again  computed\n",
        model.config().vocab_size);
    int in_vain = 0, equal = 0;
    for (int step = 1; step <= steps; ++step) {
        const int known = cache.length(), fresh_tokens = count(ids) - known;
        const std::vector<float> with = cached_logits(model.transformer, cache, ids);
        const std::vector<float> without = uncached_logits(model.transformer, ids, fresh);
        const int again = equal_positions(cache, fresh, model.config(), known);
        const int id = argmax(with);
        std::printf("   %4d  %s %7zu %5d %9d   %s\n", step,
                    padded(visible(model.tokenizer.token_bytes(id)), 11).c_str(), ids.size(), again,
                    fresh_tokens, with == without ? "same bits" : "DIFFERENT");
        equal += with == without;
        in_vain += again;
        ids.push_back(id);
    }
    std::printf(
        "\n   Without the cache the keys and values of %d positions were computed again,\n"
        "   each to the bit what it had been. Logits: same bits at %d of %d steps.\n",
        in_vain, equal, steps);
}

// 2. The work, counted.
void work_table() {
    std::printf(
        "2. Work for %d new tokens after a prompt of P, counted exactly:\n\n"
        "         positions projected            causal dot products\n"
        "      P   without     with    ratio       without        with   ratio\n",
        generated);
    for (const int p : {2, 12, 50, 100, 200, 400}) {
        const Work a = uncached_work(p, generated), b = cached_work(p, generated);
        const auto ratio = [](std::int64_t x, std::int64_t y) {
            return static_cast<double>(x) / static_cast<double>(y);
        };
        std::printf("   %4d  %8lld %8lld  %7.3f  %12lld  %10lld  %6.2f\n", p,
                    static_cast<long long>(a.positions), static_cast<long long>(b.positions),
                    ratio(a.positions, b.positions), static_cast<long long>(a.dot_products),
                    static_cast<long long>(b.dot_products), ratio(a.dot_products, b.dot_products));
    }
}

double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    double largest = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        largest =
            std::max(largest, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return largest;
}

// 5. Rolling back tokens takes no work; dropping the first token does.
void rollback_and_sliding(Model& model, const std::vector<int>& prompt) {
    KvCache cache(model.config());
    std::vector<int> ids = prompt;
    for (int i = 0; i < 8; ++i) ids.push_back(argmax(cached_logits(model.transformer, cache, ids)));
    // Rollback: to the prompt without its last token, which is read again for its logits.
    cache.truncate(count(prompt) - 1);
    const bool same = cached_logits(model.transformer, cache, prompt) ==
                      uncached_logits(model.transformer, prompt);
    std::printf("5. Eight tokens taken back:     %s as a fresh start; 1 position computed\n",
                same ? "same bits" : "DIFFERENT");

    // Sliding: the first token is dropped. The keys of the others were computed for positions that
    // are one higher.
    const std::vector<int> shorter(ids.begin() + 1, ids.end());
    const std::vector<float> right = uncached_logits(model.transformer, shorter),
                             stale = uncached_logits(model.transformer, ids);
    std::printf(
        "   The first token dropped:     old keys kept: logits off by up to %.2f;\n"
        "                                right: all %zu positions computed again\n",
        largest_difference(right, stale), shorter.size());
}

struct Options : ModelOptions {
    std::string prompt = "Once upon a time, there was", figure,
                model = shipped_model("storyteller").string();
    int part = 0, context = 0, batch = 1;
    bool memory = false, measure = false;
};

void declare(CommandLine& line, Options& o) {
    prompt_option(line, o.prompt);
    part_option(line, o.part, 5, "3 is the one with a clock");
    model_option(line, o.model);
    loading_options(line, o);
    line.option("--figure", o.figure,
                "with part 3: write time against position as a picture (SVG)");
    const DeclaredOption memory = line.option(
        "--memory", o.memory, "what the model needs in memory, from its config.json alone");
    line.option("--measure", o.measure, "also load it, fill the caches and measure the memory")
        .needs(memory);
    line.option("--context", o.context, "tokens of each text (default: all the model has)")
        .needs(memory)
        .above_zero();
    line.option("--batch", o.batch, "texts at the same time").needs(memory).shows_default();
}

void memory(const Options& o, const TransformerOptions& options) {
    if (o.measure) print_memory_used(o.model, options, o.context, o.batch);
    else print_memory_forecast(o.model, options.cache, o.context, o.batch);
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Chapter 07: the KV cache.", [&](CommandLine line) { declare(line, o); },
        [&] {
            const TransformerOptions options = transformer_options(o);
            if (o.memory) return memory(o, options);
            const auto wanted = [&](int n) { return o.part == 0 || o.part == n; };
            const auto gap = [&] {
                if (o.part == 0) std::printf("\n");
            };
            Model model = load_model(o.model, options);
            const std::vector<int> ids = encode_prompt(model, o.prompt, 16);
            if (wanted(1)) same_bits(model, ids, 12), gap();
            if (wanted(2)) work_table(), gap();
            if (wanted(3)) print_times(model.transformer, o.figure), gap();
            if (wanted(4)) print_cache_memory(model.config()), gap();
            if (wanted(5)) rollback_and_sliding(model, ids);
        });
}
