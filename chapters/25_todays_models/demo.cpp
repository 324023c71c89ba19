#include "chapters/25_todays_models/demo.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chapters/25_todays_models/published.hpp"
#include "lib/core/index.hpp"
#include "lib/files/random_model.hpp"
#include "lib/model/experts.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

namespace {

const std::vector<int> text = {31, 7, 52, 7, 90, 12};
const char* const layer = "model.layers.0.";

double dot(const Row& a, const Row& b, std::size_t first_a, std::size_t first_b, std::size_t n) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i)
        sum += static_cast<double>(a[first_a + i]) * static_cast<double>(b[first_b + i]);
    return sum;
}

double mean(const Row& x) {
    double sum = 0;
    for (const float v : x) sum += static_cast<double>(v);
    return sum / static_cast<double>(x.size());
}

double root_mean_square(const Row& x) {
    return std::sqrt(dot(x, x, 0, 0, x.size()) / static_cast<double>(x.size()));
}

void print_numbers(const char* what, const Row& x, std::size_t first = 0) {
    std::printf("   %-28s", what);
    for (std::size_t i = first; i < first + 4; ++i)
        std::printf(" %7.3f", static_cast<double>(x[i]));
    std::printf(" …\n");
}

Row embedding(const PlainLlama& llama, int id) {
    const float* row =
        llama.weights.at("model.embed_tokens.weight").data() + index(id) * llama.channels;
    return Row(row, row + llama.channels);
}

}  // namespace

TransformerConfig small_llama_config() { return llama_config(2, 4, 2, 64, 96, 128, 97); }

// Twelve times what training starts from: so the layers have something to say.
static WeightSource lively_weights(const TransformerConfig& config) {
    return [calm = random_weights(config, 25)](const std::string& name, const Shape& shape) {
        Tensor w = calm(name, shape);
        for (float& v : w.values()) v *= shape.size() == 1 ? 1.0f : 12.0f;
        return w;
    };
}

WeightSource small_llama_weights() { return lively_weights(small_llama_config()); }

void show_layer(const PlainLlama& llama) {
    const Row x = embedding(llama, text[3]);
    std::printf(
        "1. Token %d at position 3, through the first layer (C = %zu, H = %zu, K = %zu, "
        "D = %zu, F = %zu):\n\n",
        text[3], llama.channels, llama.heads, llama.kv_heads, llama.head_size, llama.inner);
    print_numbers("x, its embedding", x);
    const Row n = llama.norm(x, std::string(layer) + "input_layernorm");
    print_numbers("RMS norm", n);
    std::printf("   %-28s root mean square %.3f, now %.3f; mean %.3f, now %.3f\n", "",
                root_mean_square(x), root_mean_square(n), mean(x), mean(n));
    PlainLlama still = llama;
    still.no_rotation = true;
    const std::size_t half = llama.head_size / 2;
    const Row before = still.queries_keys_values(x, layer, 3).q,
              after = llama.queries_keys_values(x, layer, 3).q;
    std::printf("   head 0, a pair of the query   (%.3f, %.3f), turned by 3 rad: (%.3f, %.3f)\n",
                static_cast<double>(before[0]), static_cast<double>(before[half]),
                static_cast<double>(after[0]), static_cast<double>(after[half]));
    std::printf("   its last, slowest pair        (%.3f, %.3f), turned by %.4f: (%.3f, %.3f)\n",
                static_cast<double>(before[half - 1]), static_cast<double>(before[2 * half - 1]),
                3 * std::pow(llama.theta, -2.0 * static_cast<double>(half - 1) /
                                              static_cast<double>(llama.head_size)),
                static_cast<double>(after[half - 1]), static_cast<double>(after[2 * half - 1]));
    const Row features = llama.features(x, layer);
    const auto open =
        std::count_if(features.begin(), features.end(), [](float f) { return std::abs(f) > 0.5f; });
    print_numbers("silu(gate) · up", features);
    std::printf("   %-28s %d of %zu features are larger than 0.5\n", "", to_int(open),
                features.size());
}

void show_distances(const PlainLlama& llama) {
    std::printf(
        "2. One query and one key of head 0, at several positions. Their product:\n\n"
        "   query at   key at   distance   product\n");
    const Row a = embedding(llama, text[0]), b = embedding(llama, text[1]);
    for (const auto& [q, k] : {std::pair{5, 3}, {105, 103}, {5, 0}, {105, 100}, {5, 5}}) {
        const Row query = llama.queries_keys_values(a, layer, index(q)).q,
                  key = llama.queries_keys_values(b, layer, index(k)).k;
        std::printf("   %8d %8d %10d %9.4f\n", q, k, q - k, dot(query, key, 0, 0, llama.head_size));
    }
}

void show_parts(const PlainLlama& llama) {
    Transformer fast(small_llama_config(), small_llama_weights());
    KvCache cache(fast.config());
    const std::span<const float> library = fast.forward(cache, text);
    const Row logits = llama.logits(llama.forward(text).back());
    int different = 0;
    for (std::size_t v = 0; v < logits.size(); ++v) different += !(logits[v] == library[v]);
    std::printf(
        "3. %d tokens go in. %zu logits against the library's fast ones: %d differ in a "
        "bit.\n\n   with GPT-2's              logits move by at most   best token\n",
        count(text), logits.size(), different);
    const auto row = [&](const char* name, bool PlainLlama::*part) {
        PlainLlama other = llama;
        if (part) other.*part = true;
        const Row s = other.logits(other.forward(text).back());
        double farthest = 0;
        for (std::size_t v = 0; v < s.size(); ++v)
            farthest = std::max(farthest, static_cast<double>(std::abs(s[v] - logits[v])));
        std::printf("   %-25s %22.2f   %10d\n", name, farthest,
                    to_int(std::max_element(s.begin(), s.end()) - s.begin()));
    };
    row("(nothing)", nullptr);
    row("layer norm", &PlainLlama::layer_norm);
    row("MLP of two matrices", &PlainLlama::no_gate);
    row("embedding, no rotation", &PlainLlama::no_rotation);
}

void show_caches() {
    std::printf(
        "4. Keys and values of one token, as F16:\n\n"
        "   model           layers   heads   of keys    D       bytes   a head each\n");
    for (const Published& m : published)
        std::printf("   %-14s %7d %7d %9d %4d %8.0f kB %10.0f kB\n", m.name, m.layers, m.heads,
                    m.kv_heads, m.head_size, m.bytes_per_token(m.kv_heads) / 1000.0,
                    m.bytes_per_token(m.heads) / 1000.0);
}

TransformerConfig small_mixture_config() {
    TransformerConfig config = small_llama_config();
    Architecture& a = config.architecture;
    a.model_type = "mixtral";
    a.experts = 8, a.experts_per_token = 2, a.expert_inner = 96;
    for (LayerKind& kind : a.layers) kind.experts = true;
    return config;
}

ExpertsOfText experts_of_text() {
    const TransformerConfig config = small_mixture_config();
    Transformer mixture(config, lively_weights(config));
    ExpertsOfText result{
        {"the", "cat", "sees", "the", "dog", "and", "the", "dog", "sees", "the", "cat"}, {}};
    const std::vector<std::string>& words = result.words;
    std::vector<int> ids;  // a made-up vocabulary: where the word stands first
    for (const std::string& word : words)
        ids.push_back(to_int(std::find(words.begin(), words.end(), word) - words.begin()));
    ExpertWatch watch;
    mixture.watch_experts(&watch);
    KvCache cache(config);
    mixture.forward(cache, ids);
    result.shares.assign(2, Rows(words.size(), Row(8, 0.0f)));
    for (std::size_t block = 0; block < 2; ++block)
        for (std::size_t i = 0; i < watch.layers[block].size(); ++i) {
            const ChosenExpert& c = watch.layers[block][i];
            result.shares[block][i / 2][index(c.expert)] = c.weight;
        }
    return result;
}

void show_experts() {
    const auto [words, shares] = experts_of_text();
    std::printf(
        "5. Eight experts in each of two layers, two for a token. Their weights in percent:\n\n"
        "               in layer 0:  expert            in layer 1:  expert\n   token  ");
    for (int e = 0; e < 16; ++e) std::printf(e == 8 ? "%7d" : "%4d", e % 8);
    std::printf("\n");
    std::vector<int> tokens(16, 0);
    for (std::size_t t = 0; t < words.size(); ++t) {
        std::printf("   %-7s", words[t].c_str());
        for (std::size_t e = 0; e < 16; ++e) {
            const float share = shares[e / 8][t][e % 8];
            tokens[e] += share > 0;
            if (e == 8) std::printf("   ");
            if (share > 0) std::printf("%4.0f", 100 * static_cast<double>(share));
            else std::printf("   .");
        }
        std::printf("\n");
    }
    std::printf("   tokens ");
    for (std::size_t e = 0; e < 16; ++e) std::printf(e == 8 ? "%7d" : "%4d", tokens[e]);
    const int all = to_int(parameter_count(small_mixture_config())),
              idle = 2 * 6 * 3 * 64 * 96;  // in each of 2 layers 6 experts of 3 matrices (C, F)
    std::printf("\n\n   %d parameters are kept, %d are read for a token.\n", all, all - idle);
}

}  // namespace tbt
