// The memory that a model needs: computed from its sizes, and measured.
//
//   build/memory --context 512 --batch 32      the forecast, from config.json alone
//   build/memory --measure --batch 8           also the memory that it takes
//   build/memory --blocks                      a cache in blocks, and what a fork copies
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/memory.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/model/model_config.hpp"

using namespace tbt;

namespace {

double mib(std::int64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

struct Part {
    const char* name;
    std::int64_t MemoryPlan::*bytes;
};
constexpr Part parts[] = {{"matrices of the layers", &MemoryPlan::matrices},
                          {"output matrix", &MemoryPlan::output},
                          {"embeddings, looked up", &MemoryPlan::embeddings},
                          {"biases and gains", &MemoryPlan::vectors},
                          {"keys and values", &MemoryPlan::cache},
                          {"activations", &MemoryPlan::activations},
                          {"logits", &MemoryPlan::logits}};

void print_heading(const std::filesystem::path& directory, const TransformerConfig& c, int context,
                   int batch) {
    std::printf(
        "%s: %d layers, %d channels, %d tokens, context %d\n"
        "%d sequence%s of %d tokens\n\n",
        directory.filename().string().c_str(), c.n_layer, c.n_embd, c.vocab_size, c.n_positions,
        batch, batch == 1 ? "" : "s", context);
}

std::filesystem::path without_slash(const std::filesystem::path& directory) {
    return directory.has_filename() ? directory : directory.parent_path();
}

// Reads only DIRECTORY/config.json and prints the memory for each type of weights. `cache` is the
// type of keys and values. context 0: the model's whole context.
void print_memory_forecast(const std::filesystem::path& directory, WeightType cache, int context,
                           int batch) {
    TransformerConfig config = read_model_config(directory.string());
    config.cache_type = cache;
    if (context == 0) context = config.n_positions;
    std::vector<MemoryPlan> plans;
    for (const WeightType type :
         {WeightType::f32, WeightType::f16, WeightType::int8, WeightType::int4})
        plans.push_back(plan_memory(config, type, context, batch));
    print_heading(without_slash(directory), config, context, batch);
    std::printf("  MiB                            f32   f16, bf16        int8        int4\n");
    const auto row = [&](const char* name, const auto& bytes_of_plan) {
        std::printf("  %-22s", name);
        for (const MemoryPlan& plan : plans) std::printf("%12.2f", mib(bytes_of_plan(plan)));
        std::printf("\n");
    };
    for (const Part& part : parts)
        row(part.name, [&](const MemoryPlan& plan) { return plan.*part.bytes; });
    row("total", [](const MemoryPlan& plan) { return plan.total(); });
}

// Loads the model, fills `batch` caches with `context` tokens each and prints the allocated memory
// beside the forecast. Throws Error before loading if the machine has too little memory.
void print_memory_used(const std::filesystem::path& directory, const TransformerOptions& options,
                       int context, int batch) {
    TransformerConfig config = read_model_config(directory.string());
    config.cache_type = options.cache;
    if (context == 0) context = config.n_positions;
    const WeightType type = options.weights
                                ? *options.weights
                                : stored_type(Safetensors::open_directory(directory.string()));
    const MemoryPlan plan = plan_memory(config, type, context, batch);
    check_memory(directory.string(), plan.total(), available_memory());

    const std::int64_t before = tensor_bytes();
    Transformer gpt = load_transformer(directory, {options.threads, type, options.cache});
    const std::int64_t weights = tensor_bytes() - before;
    std::vector<KvCache> caches;
    caches.reserve(index(batch));
    const std::vector<int> prompt(index(context > 1 ? context - 1 : 1), 0), next = {0};
    std::vector<Step> steps;
    std::int64_t cache = 0;
    for (int i = 0; i < batch; ++i) {
        gpt.forward(caches.emplace_back(config, context), prompt);
        steps.push_back({&caches.back(), next});
        cache += caches.back().pool_bytes();
    }
    if (context > 1) gpt.forward(steps);
    const std::int64_t total = tensor_bytes() - before;

    print_heading(without_slash(directory), config, context, batch);
    std::printf("  MiB, weights as %-4s      forecast     counted\n",
                std::string(names_of(type).option).c_str());
    const auto row = [](const char* name, std::int64_t forecast, std::int64_t counted) {
        std::printf("  %-22s %11.2f %11.2f\n", name, mib(forecast), mib(counted));
    };
    row("weights", plan.weights(), weights);
    row("keys and values", plan.cache, cache);
    row("activations, logits *", plan.activations + plan.logits, total - weights - cache);
    row("total", plan.total(), total);
    std::printf("  %-22s %11s %11.2f\n", "peak while loading", "", mib(peak_tensor_bytes()));
    std::printf("  %-22s %11s %11.2f\n", "peak of the process", "", mib(peak_resident_memory()));
    std::printf(
        "\n  * and about a MiB of working memory for each thread, which is not in the forecast\n");
}

// The memory of a cache, by the formula and in blocks, and how much a fork copies.
void print_blocks(const TransformerConfig& config) {
    const auto kib = [](std::int64_t bytes) { return static_cast<double>(bytes) / 1024; };
    std::printf(
        "2 (keys and values) · %d layers · %d channels · %d bytes = %.0f KiB a token\n\n"
        "   tokens     formula   blocks of %d\n",
        config.n_layer, config.n_embd, to_int(bytes_of(config.cache_type)),
        kib(KvCache::bytes_per_token(config)), KvCache::block_tokens);
    KvCache cache(config);
    for (const int tokens : {1, 64, 65, 200, config.n_positions}) {
        if (tokens > config.n_positions) continue;
        cache.clear();
        cache.make_room(tokens);
        std::printf("   %6d  %6.0f KiB  %8.0f KiB\n", tokens,
                    kib(tokens * KvCache::bytes_per_token(config)), kib(cache.bytes()));
    }
    if (config.n_positions <= 200) return;
    std::printf("\n   A fork shares its blocks: ");
    cache.clear();
    cache.make_room(200);
    cache.advance(200);
    KvCache fork = cache;
    fork.make_room(1);
    int copied = 0;
    const int blocks = (200 + KvCache::block_tokens - 1) / KvCache::block_tokens;
    for (int b = 0; b < blocks; ++b) copied += fork.keys(b, 0, 0) != cache.keys(b, 0, 0);
    std::printf("a second text after 200 common tokens copies %d of %d blocks.\n", copied, blocks);
}

struct Options : ModelOptions {
    std::string model = shipped_model("storyteller").string();
    int context = 0, batch = 1;
    bool measure = false, blocks = false;
};

void declare(CommandLine& line, Options& o) {
    model_option(line, o.model);
    loading_options(line, o);
    line.option("--measure", o.measure, "also load it, fill the caches and measure the memory");
    line.option("--context", o.context, "tokens of each text (default: all the model has)")
        .above_zero();
    line.option("--batch", o.batch, "texts at the same time").shows_default();
    line.option("--blocks", o.blocks, "instead: a cache in blocks, and what a fork of it copies");
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "The memory that a model needs, from its config.json alone.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            const TransformerOptions options = transformer_options(o);
            if (o.blocks) {
                TransformerConfig config = read_model_config(o.model);
                config.cache_type = options.cache;
                print_blocks(config);
            } else if (o.measure) print_memory_used(o.model, options, o.context, o.batch);
            else print_memory_forecast(o.model, options.cache, o.context, o.batch);
        });
}
