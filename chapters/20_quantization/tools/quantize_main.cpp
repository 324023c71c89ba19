// Writes a model directory with its matrices in 8 or 4 bits, which every program of the course can
// load.
//
//   build/quantize data/models/storyteller build/storyteller-int8
//   build/quantize data/models/storyteller build/storyteller-int4 --bits 4 --gptq
//   make run ARGS="--model build/storyteller-int4"
//
// Look for: the size; and the text, which without --gptq is that of --weights int8 or int4.
#include <algorithm>
#include <cstdio>

#include "chapters/18_transformer/load_plain.hpp"
#include "chapters/20_quantization/tools/few_bits.hpp"
#include "chapters/20_quantization/tools/quantized_model.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

using namespace tbt;

// The factors of the matrices' inputs, for a text or for training documents of the corpus.
static std::map<std::string, Square> factors_of(const std::string& model, const std::string& text,
                                                const std::string& corpus) {
    const TransformerConfig config = read_model_config(model);
    const Tokenizer tokenizer = Tokenizer::load(model);
    const auto longest = static_cast<std::size_t>(config.n_positions);
    const auto texts =
        text.empty()
            ? calibration_texts(*documents_for(model, corpus), tokenizer, calibrated, longest).ids
            : calibration_pieces(read_file(text), tokenizer, longest);
    std::size_t tokens = 0;
    for (const auto& ids : texts) tokens += ids.size();
    const int widest = std::max(config.n_inner, config.n_embd);
    if (tokens < 4 * static_cast<std::size_t>(widest))
        std::fprintf(stderr,
                     "quantize: %zu tokens to calibrate with, for matrices of %d inputs: with so "
                     "few GPTQ is worse than rounding to the nearest\n",
                     tokens, widest);
    return input_factors(load_plain_gpt(model), texts);
}

int main(int argc, char** argv) {
    std::string from, to, text, corpus;
    int bits = 8;
    bool gptq = false;
    return run_program(
        argc, argv, "Writes a model directory with its matrices in 8 or 4 bits.",
        [&](CommandLine line) {
            line.option("model", from, "the model's directory").required();
            line.option("directory", to, "the directory to write").required();
            line.option("--bits", bits, "8 (a scale for each column) or 4 (a scale for 32 weights)")
                .shows_default();
            const auto by_gptq = line.option(
                "--gptq", gptq, "in 4 bits: later weights make up for the rounding errors");
            const auto by_text =
                line.option("--calibration", text, "a text file for --gptq").needs(by_gptq);
            line.option("--corpus", corpus,
                        "--gptq takes training documents from it (else the model's own)")
                .needs(by_gptq)
                .excludes(by_text);
        },
        [&] {
            if (bits != 8 && bits != 4)
                throw UsageError("--bits is " + std::to_string(bits) + ", expected 8 or 4");
            if (gptq && bits != 4) throw UsageError("--gptq is for --bits 4");
            Quantization how{bits};
            check_quantizable(from, to);  // before the long work
            if (gptq) how.gptq = factors_of(from, text, corpus);
            const QuantizedSizes sizes = write_quantized_model(from, to, how);
            std::printf(
                "%s: %lld matrices in %d bits; %.2f MB, before %.2f MB (%.0f %%)\n", to.c_str(),
                static_cast<long long>(sizes.matrices), bits,
                static_cast<double>(sizes.after) / 1e6, static_cast<double>(sizes.before) / 1e6,
                100.0 * static_cast<double>(sizes.after) / static_cast<double>(sizes.before));
        });
}
