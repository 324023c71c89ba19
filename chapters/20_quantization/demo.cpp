#include "chapters/20_quantization/demo.hpp"

#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/20_quantization/plain_quantize.hpp"
#include "chapters/20_quantization/rounding.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/rows.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/transformer.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

using Share = Rounding::Share;

void print_row(const char* title, const std::vector<float>& x) {
    const QuantizedRow row = quantize(x);
    const std::vector<float> back = restored(row);
    std::printf("   %s: scale %.5f\n   x     ", title, static_cast<double>(row.scale));
    for (const float v : x) std::printf(" %8.3f", static_cast<double>(v));
    std::printf("\n   q     ");
    for (const std::int8_t q : row.q) std::printf(" %8d", q);
    std::printf("\n   s · q ");
    for (const float v : back) std::printf(" %8.3f", static_cast<double>(v));
    std::printf("\n");
}

}  // namespace

void show_row() {
    std::printf("1. Six numbers, 8 bits each:\n\n");
    std::vector<float> x = {0.31f, -0.82f, 0.05f, 0.64f, -0.007f, -0.29f};
    print_row("as they are", x);
    std::printf("\n");
    x[3] = 25;
    print_row("one of them is large", x);
}

void show_matrices(const std::string& directory, bool skips) {
    const TransformerConfig config = read_model_config(directory);
    if (skips && !config.architecture.is_gpt2()) {
        std::printf("2. Skipped: it shows GPT-2's matrices, and this model is of model_type %s.\n",
                    config.architecture.model_type.c_str());
        return;
    }
    require_gpt2(config, directory + ": this part shows GPT-2's matrices");
    const Safetensors file = Safetensors::open_directory(directory);
    const Rounding ways[] = {{"8, matrix", 8, Share::matrix},
                             {"8, column", 8, Share::column},
                             {"4, column", 4, Share::column},
                             {"4, 32", 4, Share::group, 32}};
    std::printf("2. Signal to noise in dB; bits, and what shares a scale:\n\n   %s",
                padded("", 22).c_str());
    for (const Rounding& way : ways) std::printf("  %10s", way.name.c_str());
    std::printf("\n");
    for (const WeightShape& weight : weight_shapes(config)) {
        // Show only the embedding and the matrices of the first and the last layer.
        const bool last = weight.name.starts_with("h." + std::to_string(config.n_layer - 1) + ".");
        if (weight.shape.size() != 2 || weight.name == "wpe.weight") continue;
        if (weight.name != "wte.weight" && !weight.name.starts_with("h.0.") && !last) continue;
        const Tensor w = file.read_weight(weight.name, weight.shape);
        std::printf("   %s", padded(weight.name, 22).c_str());
        for (const Rounding& way : ways)
            std::printf("  %10.1f",
                        signal_to_noise(w, rounded(w, way, weight.name == "wte.weight")));
        std::printf("\n");
    }
    const std::string title = "bits a weight, K = " + std::to_string(config.n_embd);
    std::printf("   %s", padded(title, 22).c_str());
    for (const Rounding& way : ways)
        std::printf("  %10.2f", bits_of(way, config.n_embd, 3 * config.n_embd));
    std::printf("\n");
}

void show_speed(const std::string& directory) {
    constexpr int prompt = 64, tokens = 128;
    std::printf("4. %d tokens after a prompt of %d, one thread:\n\n", tokens, prompt);
    const std::vector<int> ids(prompt, 5), one(1, 5);
    for (const WeightType type :
         {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4}) {
        Transformer gpt = load_transformer(directory, {1, type});
        double best = 1e9;
        for (int run = 0; run < 5; ++run) {
            KvCache cache(gpt.config());
            gpt.forward(cache, ids);
            const auto start = std::chrono::steady_clock::now();
            for (int i = 0; i < tokens; ++i) gpt.forward(cache, one);
            const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
            best = std::min(best, took.count());
        }
        std::printf("   %s %8.0f tokens/s, %6.2f MB of weights in memory\n",
                    padded(names_of(type).option, 5).c_str(), tokens / best,
                    static_cast<double>(gpt.weight_bytes()) / 1e6);
    }
}

namespace {

constexpr int texts = 12, length = 100;

// Texts that the model writes, sampled at T = 1 without a prompt.
std::vector<std::vector<int>> own_texts(Model& model) {
    std::vector<std::vector<int>> all;
    const int eos = model.tokenizer.eos_id();
    for (int i = 0; i < texts; ++i) {
        Rng rng(20, static_cast<std::uint64_t>(i));
        KvCache cache(model.config());
        std::vector<int> ids{eos};
        while (to_int(ids.size()) < length) {
            const std::span<const float> row =
                model.transformer.forward(cache, std::span(ids).last(1));
            ids.push_back(draw(row, 1.0, rng.uniform()));
            if (ids.back() == eos) break;
        }
        all.push_back(ids);
    }
    return all;
}

}  // namespace

DistributionShift compare_distributions(Transformer& exact, Transformer& other,
                                        const std::vector<std::vector<int>>& all) {
    const auto V = index(exact.config().vocab_size);
    check_size("compare distributions: the other vocabulary", index(other.config().vocab_size), V);
    check_at_least("compare distributions: texts", static_cast<long long>(all.size()), 1);
    for (const std::vector<int>& ids : all) {
        check_at_least("compare distributions: the ids of a text",
                       static_cast<long long>(ids.size()), 2);
        check_ids("compare distributions", ids, V);
    }
    DistributionShift shift;
    std::vector<float> p, q;
    double positions = 0;
    for (const std::vector<int>& ids : all) {
        KvCache one(exact.config()), two(other.config());
        const Logits a = exact.forward_all(one, ids), b = other.forward_all(two, ids);
        for (std::size_t t = 0; t + 1 < ids.size(); ++t) {
            const std::span<const float> s = a.row(static_cast<std::int64_t>(t)),
                                         r = b.row(static_cast<std::int64_t>(t));
            p.resize(s.size()), q.resize(s.size());
            log_softmax(s, p), log_softmax(r, q);
            double kl = 0;
            for (std::size_t v = 0; v < p.size(); ++v) {
                const double lp = static_cast<double>(p[v]), lq = static_cast<double>(q[v]);
                if (lp < -1e30) continue;  // an id without a token, which has no probability
                kl += portable_exp(lp) * (lp - lq);
            }
            constexpr double bits = 1.4426950408889634;
            shift.kl += kl * bits;
            shift.loss -= static_cast<double>(q[index(ids[t + 1])]) * bits;
            shift.same_first += argmax(s) == argmax(r);
            ++positions;
        }
    }
    shift.kl /= positions, shift.loss /= positions, shift.same_first /= positions;
    return shift;
}

void show_quality(const std::string& directory) {
    Model model = load_model(directory, {0, WeightType::f32});
    // Llama's matrices, like embeddings, have a row for each output.
    const bool gpt2 = model.config().architecture.is_gpt2();
    const std::vector<std::vector<int>> all = own_texts(model);
    const Safetensors file = Safetensors::open_directory(directory);
    std::printf(
        "3. On %d texts of its own: bits a token, and how far the distribution is from float's\n\n",
        texts);
    std::printf("   %s  bits/token   KL, bits   first choice the same\n", padded("", 36).c_str());
    const auto row = [&](const std::string& name, Transformer& gpt) {
        const DistributionShift shift = compare_distributions(model.transformer, gpt, all);
        std::printf("   %s %10.4f %11.5f %12.1f %%\n", padded(name, 36).c_str(), shift.loss,
                    shift.kl, 100 * shift.same_first);
        std::fflush(stdout);
    };
    row("float", model.transformer);
    Transformer half = load_transformer(directory, {0, WeightType::f32, WeightType::f16});
    row("keys and values in 16 (cache f16)", half);
    Transformer int8 = load_transformer(directory, {0, WeightType::int8});
    row("weights and activations in 8 (int8)", int8);
    for (const Rounding& way : {Rounding{"weights in 8, a scale a column", 8, Share::column},
                                Rounding{"weights in 8, a scale a matrix", 8, Share::matrix},
                                Rounding{"weights in 4, a scale a column", 4, Share::column},
                                Rounding{"weights in 4, a scale for 32", 4, Share::group, 32},
                                Rounding{"weights in 3, a scale for 32", 3, Share::group, 32}}) {
        Transformer gpt(model.config(),
                        [&](const std::string& name, const Shape& shape) {
                            Tensor w = file.read_weight(name, shape);
                            if (shape.size() != 2 || name == "wpe.weight") return w;
                            return rounded(
                                w, way, !gpt2 || name == "wte.weight" || name == "lm_head.weight");
                        },
                        {0, WeightType::f32});
        row(way.name, gpt);
    }
}

}  // namespace tbt
