#include "chapters/18_transformer/times.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "lib/files/model.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/transformer.hpp"

namespace tbt {

namespace {

constexpr int prompt_tokens = 64, new_tokens = 32;

// The median of three runs, in milliseconds for each new token.
double per_token(const std::function<void()>& write) {
    std::vector<double> times;
    for (int run = 0; run < 3; ++run) {
        const auto start = std::chrono::steady_clock::now();
        write();
        const std::chrono::duration<double, std::milli> took =
            std::chrono::steady_clock::now() - start;
        times.push_back(took.count() / new_tokens);
    }
    std::sort(times.begin(), times.end());
    return times[1];
}

}  // namespace

// The time does not depend on the tokens, so all are equal.
void show_times(const PlainGpt& gpt, const std::string& directory) {
    std::vector<int> ids(prompt_tokens + new_tokens, 5);
    const auto up_to = [&](int n) { return std::vector<int>(ids.begin(), ids.begin() + n); };
    std::printf("6. %d tokens after a prompt of %d, milliseconds for each:\n\n", new_tokens,
                prompt_tokens);
    double plain = 0;
    const auto row = [&](const char* what, const std::function<void()>& write) {
        const double ms = per_token(write);
        if (plain == 0) plain = ms;
        std::printf("   %-58s %9.3f  %7.1f x\n", what, ms, plain / ms);
        std::fflush(stdout);
    };
    row("plain: every token from the start", [&] {
        for (int i = 0; i < new_tokens; ++i)
            gpt.logits(gpt.forward(up_to(prompt_tokens + i)).back());
    });
    const auto from_start = [&](Transformer& fast) {
        return [&] {
            for (int i = 0; i < new_tokens; ++i) {
                KvCache cache(fast.config());
                fast.forward(cache, up_to(prompt_tokens + i));
            }
        };
    };
    const auto with_cache = [&](Transformer& fast) {
        return [&] {
            KvCache cache(fast.config());
            fast.forward(cache, up_to(prompt_tokens));
            for (int i = 1; i < new_tokens; ++i) fast.forward(cache, std::vector<int>{5});
        };
    };
    Transformer one = load_transformer(directory, {1, WeightType::f32});
    row("packed weights, tiles in registers, 16 lanes at once", from_start(one));
    row("and a cache: only the new token (chapter 07)", with_cache(one));
    Transformer half = load_transformer(directory, {1, WeightType::f16});
    row("and weights of 16 bits, half the bytes to read", with_cache(half));
    if (default_threads() > 1) {
        const std::string what = "and " + std::to_string(default_threads()) + " threads";
        Transformer all = load_transformer(directory, {0, WeightType::f16});
        row(what.c_str(), with_cache(all));
    }
}

}  // namespace tbt
