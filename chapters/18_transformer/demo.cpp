#include "chapters/18_transformer/demo.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/18_transformer/patterns.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

double length(const Row& x) {
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v) * static_cast<double>(v);
    return std::sqrt(sum);
}

Row difference(const Row& a, const Row& b) {
    Row d(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) d[i] = a[i] - b[i];
    return d;
}

std::vector<int> ids_of(const PlainGpt& gpt, const BytePairTokenizer& tokenizer,
                        const std::string& text) {
    std::vector<int> ids = tokenizer.encode(text);
    if (ids.empty()) ids.push_back(tokenizer.eos_id());
    if (ids.size() > gpt.positions)
        throw Error("prompt: " + std::to_string(ids.size()) + " tokens, expected at most " +
                    std::to_string(gpt.positions));
    return ids;
}

// The mean of −log2 p over all tokens of a text except the first.
double bits_per_token(const PlainGpt& gpt, const std::vector<int>& ids, Inside* inside) {
    const Rows x = gpt.forward(ids, inside);
    double bits = 0;
    for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
        Row l = gpt.logits(x[t]);
        log_softmax(l, l);
        bits -= static_cast<double>(l[index(ids[t + 1])]) * 1.4426950408889634;
    }
    return bits / static_cast<double>(ids.size() - 1);
}

}  // namespace

void show_sizes(const PlainGpt& gpt) {
    std::printf(
        "1. What the model is made of (%zu layers, C = %zu, H = %zu, F = %zu, V = %zu):\n\n",
        gpt.layers, gpt.channels, gpt.heads, gpt.inner, gpt.vocab_size);
    const double C = static_cast<double>(gpt.channels), F = static_cast<double>(gpt.inner),
                 V = static_cast<double>(gpt.vocab_size), T = static_cast<double>(gpt.positions),
                 L = static_cast<double>(gpt.layers);
    struct Part {
        const char *name, *shape, *does;
        double numbers;
    };
    const Part parts[] = {
        {"wte", "(V, C)", "a row for each token; read again as output", V * C},
        {"wpe", "(positions, C)", "a row for each position", T * C},
        {"c_attn", "L x (C, 3C)", "query, key and value", L * (C * 3 * C + 3 * C)},
        {"c_proj", "L x (C, C)", "what the heads found, back into the residual", L * (C * C + C)},
        {"c_fc", "L x (C, F)", "features that a position may have", L * (C * F + F)},
        {"c_proj", "L x (F, C)", "what each feature adds", L * (F * C + C)},
        {"ln_*", "(2L+1) x 2 (C)", "scale and shift of the layer norms", (2 * L + 1) * 2 * C}};
    double all = 0;
    for (const Part& part : parts) all += part.numbers;
    for (const Part& part : parts)
        std::printf("   %s %s %9.0f  %4.1f %%  %s\n", padded(part.name, 8).c_str(),
                    padded(part.shape, 15).c_str(), part.numbers, 100 * part.numbers / all,
                    part.does);
    std::printf("   %s %s %9.0f\n", padded("all", 8).c_str(), padded("", 15).c_str(), all);
}

void show_pass(const PlainGpt& gpt, GptModel& model, const std::string& prompt) {
    const std::vector<int> ids = ids_of(gpt, model.tokenizer, prompt);
    Inside inside;
    const Rows x = gpt.forward(ids, &inside);
    std::printf("2. \"%s\": %zu %s in, and the last row x changes layer by layer:\n\n",
                prompt.c_str(), ids.size(), ids.size() == 1 ? "token goes" : "tokens go");
    std::printf("   after         length of x   of the change   first numbers\n");
    for (std::size_t layer = 0; layer <= gpt.layers; ++layer) {
        const Row& row = inside.residual[layer].back();
        const std::string name = layer == 0 ? "wte + wpe" : "layer " + std::to_string(layer - 1);
        std::printf("   %s %11.2f", padded(name, 14).c_str(), length(row));
        if (layer == 0) std::printf("                ");
        else std::printf(" %15.2f", length(difference(row, inside.residual[layer - 1].back())));
        std::printf("   %6.2f %6.2f %6.2f …\n", static_cast<double>(row[0]),
                    static_cast<double>(row[1]), static_cast<double>(row[2]));
    }
    std::printf("\n   and these are the most probable next tokens:\n\n");
    const Row s = gpt.logits(x.back());
    for (const Candidate& c : top_candidates(s, 4))
        std::printf("   %s logit %6.2f, %4.1f %%\n",
                    padded(visible(model.tokenizer.token_bytes(c.id)), 12).c_str(),
                    static_cast<double>(c.logit), 100 * static_cast<double>(c.probability));

    GptCache cache(model.config());
    const Logits fast = model.gpt.forward_all(cache, ids);
    std::size_t different = 0;
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const Row plain = gpt.logits(x[t]);
        const std::span<const float> row = fast.row(static_cast<std::int64_t>(t));
        for (std::size_t v = 0; v < plain.size(); ++v)
            different +=
                std::bit_cast<std::uint32_t>(plain[v]) != std::bit_cast<std::uint32_t>(row[v]);
    }
    std::printf(
        "\n   %zu position%s x %zu logits, against the library's fast ones: %zu differ in a bit\n",
        ids.size(), ids.size() == 1 ? "" : "s", gpt.vocab_size, different);
}

void show_heads(const PlainGpt& gpt, const BytePairTokenizer& tokenizer) {
    const std::vector<HeadPattern> found = strongest_heads(gpt, tokenizer);
    std::printf("3. How much of its attention a head gives to …, on average over three texts:\n\n");
    std::printf("   pattern                            strongest      share   mean of all heads\n");
    for (const HeadPattern& p : found)
        std::printf("   %s layer %zu head %zu %7.1f %% %14.1f %%\n", padded(p.name, 34).c_str(),
                    p.layer, p.head, 100 * p.share, 100 * p.mean);
}

void show_lens(const PlainGpt& gpt, const BytePairTokenizer& tokenizer, const std::string& prompt) {
    Inside inside;
    gpt.forward(ids_of(gpt, tokenizer, prompt), &inside);
    std::printf("4. \"%s\" …: the prediction after each layer (logit lens)\n\n", prompt.c_str());
    for (std::size_t layer = 0; layer <= gpt.layers; ++layer) {
        const std::string name = layer == 0 ? "embedding" : "layer " + std::to_string(layer - 1);
        std::printf("   %s", padded(name, 10).c_str());
        for (const Candidate& c : top_candidates(gpt.logits(inside.residual[layer].back()), 4))
            std::printf("  %s %3.0f %%", padded(visible(tokenizer.token_bytes(c.id)), 11).c_str(),
                        100 * static_cast<double>(c.probability));
        std::printf("\n");
    }
}

void show_cuts(const PlainGpt& gpt, const BytePairTokenizer& tokenizer) {
    const std::vector<int> ids = tokenizer.encode(head_texts()[0]);
    const double whole = bits_per_token(gpt, ids, nullptr);
    std::printf("5. A story costs %.2f bits a token. How many more without one head:\n\n   layer ",
                whole);
    for (std::size_t head = 0; head < gpt.heads; ++head) std::printf("  head %zu", head);
    std::printf("\n");
    for (std::size_t layer = 0; layer < gpt.layers; ++layer) {
        std::printf("   %5zu ", layer);
        for (std::size_t head = 0; head < gpt.heads; ++head) {
            Inside inside;
            inside.cut_layer = to_int(layer), inside.cut_head = to_int(head);
            std::printf("  %+6.2f", bits_per_token(gpt, ids, &inside) - whole);
        }
        std::printf("\n");
    }
}

// ---- part 6: times ----
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
    const auto from_start = [&](Gpt& fast) {
        return [&] {
            for (int i = 0; i < new_tokens; ++i) {
                GptCache cache(fast.config());
                fast.forward(cache, up_to(prompt_tokens + i));
            }
        };
    };
    const auto with_cache = [&](Gpt& fast) {
        return [&] {
            GptCache cache(fast.config());
            fast.forward(cache, up_to(prompt_tokens));
            for (int i = 1; i < new_tokens; ++i) fast.forward(cache, std::vector<int>{5});
        };
    };
    Gpt one = Gpt::load(directory, {1, false});
    row("packed weights, tiles in registers, 16 lanes at once", from_start(one));
    row("and a cache: only the new token (chapter 07)", with_cache(one));
    Gpt half = Gpt::load(directory, {1, true});
    row("and weights of 16 bits, half the bytes to read", with_cache(half));
    if (Gpt all = Gpt::load(directory, {0, true}); all.threads() > 1) {
        const std::string what = "and " + std::to_string(all.threads()) + " threads";
        row(what.c_str(), with_cache(all));
    }
}

void show_weights(const PlainGpt& gpt, const BytePairTokenizer& tokenizer,
                  const std::string& prompt, int layer, int head) {
    const auto place = [](const char* what, int got, std::size_t size) {
        if (got >= 0 && index(got) < size) return index(got);
        throw UsageError(std::string(what) + ": got " + std::to_string(got) + ", expected 0 to " +
                         std::to_string(size - 1));
    };
    const std::size_t l = place("--layer", layer, gpt.layers), h = place("--head", head, gpt.heads);
    const std::vector<int> ids = ids_of(gpt, tokenizer, prompt);
    const auto name = [&](std::size_t t) { return visible(tokenizer.token_bytes(ids[t])); };
    Inside inside;
    gpt.forward(ids, &inside);
    std::printf("7. \"%s\": what layer %d head %d looks at, in %%\n\n", prompt.c_str(), layer,
                head);
    std::printf("   %-12s%-19s", "token", "after the layer");
    for (std::size_t t = 0; t < ids.size(); ++t) std::printf(" %s", padded(name(t), 5).c_str());
    std::printf("\n");
    for (std::size_t t = 0; t < ids.size(); ++t) {
        const Candidate next = top_candidates(gpt.logits(inside.residual[l + 1][t]), 1)[0];
        std::printf("   %s %s %3.0f %%", padded(name(t), 11).c_str(),
                    padded(visible(tokenizer.token_bytes(next.id)), 12).c_str(),
                    100 * static_cast<double>(next.probability));
        for (const float weight : inside.attention[l][h][t])
            std::printf(" %5.1f", 100 * static_cast<double>(weight));
        std::printf("\n");
    }
}

}  // namespace tbt
