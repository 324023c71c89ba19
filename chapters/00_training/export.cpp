#include "export.hpp"

#include <cstdio>

#include "../../lib/files.hpp"
#include "../../lib/half.hpp"
#include "../../lib/json_file.hpp"

namespace tbt {
namespace {

// The names of transformers' GPT2LMHeadModel; the output matrix is tied to wte and so not stored.
std::string config_json(const train::ModelShape& shape, int eos, bool half) {
    const OrderedJson config = {{"model_type", "gpt2"},
                                {"architectures", {"GPT2LMHeadModel"}},
                                {"vocab_size", shape.vocabulary},
                                {"n_positions", shape.context},
                                {"n_ctx", shape.context},
                                {"n_embd", shape.channels},
                                {"n_layer", shape.layers},
                                {"n_head", shape.heads},
                                {"n_inner", nullptr},
                                {"activation_function", "gelu_new"},
                                {"layer_norm_epsilon", 1e-5},
                                {"initializer_range", 0.02},
                                {"resid_pdrop", 0.0},
                                {"embd_pdrop", 0.0},
                                {"attn_pdrop", 0.0},
                                {"scale_attn_weights", true},
                                {"tie_word_embeddings", true},
                                {"bos_token_id", eos},
                                {"eos_token_id", eos},
                                {"torch_dtype", half ? "float16" : "float32"}};
    return config.dump(2) + "\n";
}

std::string generation_config_json(int eos) {
    return OrderedJson{{"bos_token_id", eos}, {"eos_token_id", eos}, {"do_sample", true}}.dump(2) + "\n";
}

std::string safetensors(Training& training, bool half) {
    OrderedJson header = {{"__metadata__", {{"format", "pt"}}}};
    const std::size_t width = half ? 2 : 4;
    std::size_t end = 0;
    std::string data;
    for (const train::ParameterInfo& t : training.model().layout().tensors) {
        const std::size_t begin = end;
        end += static_cast<std::size_t>(t.size) * width;
        header[t.name] = {{"dtype", half ? "F16" : "F32"}, {"shape", t.shape}, {"data_offsets", {begin, end}}};
        for (const float w : training.model().of(t).first(static_cast<std::size_t>(t.size))) {
            const std::uint32_t bits = half ? to_f16(w) : std::bit_cast<std::uint32_t>(w);
            for (std::size_t i = 0; i < width; ++i) data += static_cast<char>(bits >> (8 * i) & 0xff);
        }
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');
    std::string file;
    for (int i = 0; i < 8; ++i) file += static_cast<char>(text.size() >> (8 * i) & 0xff);
    return file + text + data;
}

// Rounded, so that the file reads well: 0.1234 rather than 0.12339999999.
double rounded(double x, double unit = 1e-4) { return static_cast<double>(static_cast<long long>(x / unit + 0.5)) * unit; }

std::string recipe_json(Training& training, const Corpus& corpus, const ExportInfo& info) {
    const TrainingOptions& o = training.options();
    OrderedJson recipe = {{"corpus", {{"folder", info.folder}, {"hash", corpus.hash()}}},
                          {"options",
                           {{"layers", o.shape.layers}, {"heads", o.shape.heads}, {"embd", o.shape.channels}, {"context", o.shape.context},
                            {"vocab", o.shape.vocabulary}, {"batch", o.batch}, {"steps", o.steps}, {"warmup", o.warm_up},
                            {"lr", o.learning_rate}, {"weight_decay", o.weight_decay}, {"seed", o.seed}, {"micro_rows", o.micro_rows}}},
                          {"parameters", training.model().layout().count()},
                          {"steps_done", training.steps_done()},
                          {"tokens", training.tokens_done()},
                          {"hours", rounded(training.seconds / 3600, 1e-2)},
                          {"tokens_per_second", rounded(info.tokens_per_second, 1)}};
    if (!info.results.empty()) {
        OrderedJson& held_out = recipe["held_out_bits_per_byte"];
        std::vector<GenreResult> all = {info.total};
        all.insert(all.end(), info.results.begin(), info.results.end());
        for (const GenreResult& r : all) {
            if (r.documents == 0) continue;
            held_out[r.genre] = {{"model", rounded(r.bits_per_byte())}, {"floor", rounded(r.floor())}, {"documents", r.documents}};
        }
    }
    return recipe.dump(2) + "\n";
}

}  // namespace

void export_model(Training& training, const Corpus& corpus, const Tokenizer& tokenizer, const std::filesystem::path& directory, const ExportInfo& info) {
    make_directory(directory.string());
    const auto write = [&](const char* name, const std::string& contents) { write_file((directory / name).string(), contents); };
    tokenizer.save(directory.string(), training.options().shape.context);
    write("config.json", config_json(training.options().shape, tokenizer.eos_id(), info.half));
    write("generation_config.json", generation_config_json(tokenizer.eos_id()));
    write("model.safetensors", safetensors(training, info.half));
    write("recipe.json", recipe_json(training, corpus, info));
    write("curve.csv", curve_csv(training.curve, corpus.genres));
    const double floor = info.results.empty() ? 0 : info.total.floor();
    write("curve.svg", curve_svg(training.curve, floor, directory.filename().string()));
}

}  // namespace tbt
