// Chapter 20: weights in 8 bits.
//
//   make run-20                        parts 1 to 3: a row, the matrices, the loss
//   make run-20 ARGS="--part 4"        the part that measures time
//   make run-20 ARGS="--part 5"        three and four bits, and GPTQ
//   make run ARGS="--weights int8"     any text of the course, with it
//
// Look for: the outlier in part 1, and the last column of part 3.
#include <cstdio>
#include <functional>
#include <string>

#include "chapters/20_quantization/demo.hpp"
#include "chapters/20_quantization/tools/few_bits.hpp"
#include "chapters/20_quantization/tools/quantized_model.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string directory = shipped_model("storyteller").string(), corpus;
    int part = 0;
    PartOptions for_parts(part);
    return run_program(
        argc, argv, "Chapter 20: weights in 8 bits.",
        [&](CommandLine line) {
            line.option("--part", part, "only this part, 1 to 5; without it 1 to 3").between(1, 5);
            for_parts.add({2, 3, 4, 5}, model_option(line, directory));
            for_parts.add({5},
                          line.option("--corpus", corpus,
                                      "part 5 takes its texts from it (else the model's own)"));
        },
        [&] {
            for_parts.check();
            if (part == 0 && !corpus.empty())
                throw UsageError("--corpus: only part 5 would use it; add --part 5");
            if (part != 1) load_model(directory);  // reports errors before anything is printed
            if (part != 1 && part != 4) check_original(directory);
            const std::function<void()> parts[] = {
                show_row, [&] { show_matrices(directory, part == 0); },
                [&] { show_quality(directory); }, [&] { show_speed(directory); },
                [&] { show_few_bits(directory, corpus); }};
            for (int i = 1; i <= 5; ++i) {
                if (part == 0 ? i >= 4 : i != part) continue;
                if (part == 0 && i > 1) std::printf("\n");
                parts[i - 1]();
            }
        });
}
