// Writes a model directory with random weights, in the layout of the Hugging Face hub, for
// measurements where only the sizes matter.
//
//   build/random_model --preset gpt2 --type f16 --out /tmp/gpt2       GPT-2 124M
//   build/random_model --layers 2 --embd 64 --heads 4 --vocab 500 --context 128 --out /tmp/tiny
//   build/10_generate --model /tmp/tiny "Once"
#include <algorithm>
#include <cstdio>
#include <optional>

#include "lib/core/index.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/random_model.hpp"
#include "lib/machine/command_line.hpp"

using namespace tbt;

namespace {

struct Options {
    std::string out, preset, config;
    std::string type = "f32";
    std::optional<int> layers, heads, embd, vocab, context;
    RandomModelOptions model;
};

void declare(CommandLine& line, Options& o) {
    line.option("--out", o.out, "the directory to write").required();
    const DeclaredOption preset =
        line.option("--preset", o.preset,
                    "gpt2, gpt2-medium, gpt2-large, gpt2-xl, storyteller, sketch, smollm2-135m, "
                    "qwen2.5-0.5b or llama-3.2-1b");
    line.option("--config", o.config, "or a config.json to take the sizes from").excludes(preset);
    line.option("--layers", o.layers, "layers (default 2, without the two options above)");
    line.option("--heads", o.heads, "heads of each layer (default 2)");
    line.option("--embd", o.embd, "channels (default 64)");
    line.option("--vocab", o.vocab, "vocabulary size (default 512, or the tokenizer's)");
    line.option("--context", o.context, "positions (default 128)");
    line.option("--type", o.type, "store the weights as f32, f16 or bf16")
        .shows_default()
        .one_of({"f32", "f16", "bf16"});
    line.option("--seed", o.model.seed, "of the weights").shows_default();
    line.option("--tokenizer", o.model.tokenizer,
                "copy the tokenizer of this model directory (default: babble)");
    line.option("--overwrite", o.model.overwrite, "replace a model that is there already");
}

TransformerConfig config_of(const Options& o) {
    TransformerConfig config;
    config.n_layer = config.n_head = 2;
    config.n_embd = 64;
    config.n_positions = 128;
    config.vocab_size = o.model.tokenizer.empty() || o.vocab
                            ? 512
                            : Tokenizer::load(o.model.tokenizer).vocab_size();
    if (!o.preset.empty()) config = preset_config(o.preset);
    if (!o.config.empty()) config = read_config_file(o.config);
    const bool four_times = config.n_inner == 0 || config.n_inner == 4 * config.n_embd;
    if (!config.architecture.is_gpt2() && (o.layers || o.heads || o.embd))
        throw UsageError("--layers, --heads and --embd are for a GPT-2; change the sizes of " +
                         config.architecture.model_type + " in a config.json, and give --config");
    if (o.layers) config.n_layer = *o.layers;
    if (o.heads) config.n_head = *o.heads;
    if (o.embd) config.n_embd = *o.embd;
    if (o.vocab) config.vocab_size = *o.vocab;
    if (o.context) config.n_positions = *o.context;
    // For sizes that are too large, check_config() should name n_embd, not n_inner.
    if (four_times) config.n_inner = to_int(std::min<std::int64_t>(4ll * config.n_embd, 1 << 24));
    return config;
}

}  // namespace

int main(int argc, char** argv) {
    Options o;
    return run_program(
        argc, argv, "Writes a model with random weights.",
        [&](CommandLine line) { declare(line, o); },
        [&] {
            const TransformerConfig config = config_of(o);
            o.model.type = weight_type_named(o.type).value();
            write_random_model(o.out, config, o.model);
            std::printf(
                "%s: %.1f M weights as %s, %d layers, %d heads, %d channels, %d tokens, context "
                "%d, seed %llu\n",
                o.out.c_str(), static_cast<double>(parameter_count(config)) / 1e6, o.type.c_str(),
                config.n_layer, config.n_head, config.n_embd, config.vocab_size, config.n_positions,
                static_cast<unsigned long long>(o.model.seed));
        });
}
