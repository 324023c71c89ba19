// Exercise 07_1: your two loops on the shipped model, counted and timed.
#include "exercises/07_1_kv_work.hpp"

#include <chrono>
#include <cstdio>

#include "lib/files/model.hpp"

using namespace tbt;
using namespace tbt::ex07_1;

namespace {

constexpr int G = 100;

// One row: a prompt of P tokens, continued without a cache and with one.
void compare(const Read& read, KvCache& cache, const std::vector<int>& prompt) {
    Run runs[2];
    double seconds[2];
    for (const int cached : {0, 1}) {
        cache.clear();
        const auto start = std::chrono::steady_clock::now();
        runs[cached] = generate(read, prompt, G, cached == 1);
        seconds[cached] =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    std::printf("   %4zu  %8lld %6lld  %6.2f %8.3f %7.3f   %s\n", prompt.size(),
                static_cast<long long>(runs[0].positions),
                static_cast<long long>(runs[1].positions),
                static_cast<double>(runs[0].positions) / static_cast<double>(runs[1].positions),
                seconds[0], seconds[1], runs[0].ids == runs[1].ids ? "yes" : "NO");
}

}  // namespace

int main() {
    try {
        Model model = load_model(shipped_model("storyteller"));
        KvCache cache(model.config());
        const Read read = [&](std::span<const int> fresh, int past) {
            cache.truncate(past);
            return model.transformer.forward(cache, fresh);
        };
        std::vector<int> text =
            encode_prompt(model, "Once upon a time, there was a little girl who", G);
        text =
            generate(read, text, 200, true).ids;  // a long text to cut prompts from; warms up, too
        std::printf(
            "%d new tokens    positions read        seconds          same\n      P   without   "
            "with   ratio  "
            "without    with   text\n",
            G);
        for (const int P : {2, 12, 50, 100, 200})
            compare(read, cache, {text.begin(), text.begin() + P});
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "07_1: %s\n", problem.what());
        return 1;
    }
}
