#include "chapters/20_quantization/demo.hpp"

#include <chrono>
#include <cstdio>
#include <vector>

#include "chapters/20_quantization/plain_quantize.hpp"
#include "chapters/20_quantization/rounding.hpp"
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

void show_matrices(const std::string& directory) {
    const TransformerConfig config = read_model_config(directory);
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

}  // namespace tbt
