// Writes a model directory with its matrices in 8 bits, which every program here opens.
//
//   build/quantize data/models/storyteller build/storyteller-int8
//   make run ARGS="--model build/storyteller-int8"
//
// Look for: the size; and the text, which is that of --weights int8.
#include <cstdio>

#include "chapters/20_quantization/quantized_model.hpp"
#include "lib/machine/command_line.hpp"

int main(int argc, char** argv) {
    std::string from, to;
    return tbt::run_program(
        argc, argv, "Writes a model directory with its matrices in 8 bits.",
        [&](tbt::CommandLine line) {
            line.option("model", from, "the model's directory").required();
            line.option("directory", to, "the directory to write").required();
        },
        [&] {
            const tbt::QuantizedSizes sizes = tbt::write_quantized_model(from, to);
            std::printf(
                "%s: %lld matrices in 8 bits; %.2f MB, before %.2f MB (%.0f %%)\n", to.c_str(),
                static_cast<long long>(sizes.matrices), static_cast<double>(sizes.after) / 1e6,
                static_cast<double>(sizes.before) / 1e6,
                100.0 * static_cast<double>(sizes.after) / static_cast<double>(sizes.before));
        });
}
