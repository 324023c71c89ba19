// Detects whether a text was written with --watermark KEY. Needs the model's tokenizer, the key and
// the text, but neither the model nor the prompt.
//
//   build/watermark --key 7 FILE
#include <algorithm>
#include <cstdio>
#include <string>

#include "chapters/08_penalties/watermark.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string file, model = shipped_model("storyteller").string();
    std::uint64_t key = 0;
    return run_program(
        argc, argv, "Looks for the watermark of a key in a text.",
        [&](CommandLine line) {
            line.option("file", file, "the text").required();
            line.option("--key", key, "as it was given to --watermark").required();
            model_option(line, model);
        },
        [&] {
            const Tokenizer tokenizer = Tokenizer::load(model);
            const std::vector<int> ids = tokenizer.encode(read_file(file));
            const Evidence e = evidence_of(ids, watermark_of(key));
            std::printf(
                "tokens     %zu, %zu scored: their four tokens before had not occurred yet\n",
                ids.size(), e.tokens);
            std::printf("favoured   %.3f (0.500 without the mark)\n", e.favoured);
            std::printf("z          %.1f\n", e.z);
            if (e.z > 1)
                std::printf("by chance  one unmarked text in %.2g scores as high\n",
                            std::min(1e300, 1 / e.by_chance));
            else std::printf("by chance  as likely as not: no mark found\n");
        });
}
