// make try EX=02_1: greedy and with foresight of several widths, and how probable each text is.
// Another text: PROMPT="…".
#include <cstdio>
#include <string>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "exercises/02_1_lookahead.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string prompt = "On Sunday";
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
    };
    return run_program(argc, argv, "Greedy, with a step of foresight.", options, [&] {
        constexpr int length = 20;
        Model model = load_model(shipped_model("storyteller"));
        CachedModel network(model.transformer);
        const std::vector<int> start = encode_prompt(model, prompt, length + 1);
        for (const int width : {1, 2, 5, 20}) {
            std::vector<int> ids = start;
            double log_probability = 0;
            for (int i = 0; i < length; ++i) {
                const int id = ex02_1::pick_with_foresight(std::ref(network), ids, width);
                for (const Candidate& c :
                     top_candidates(network(ids), model.tokenizer.vocab_size())) {
                    if (c.id == id)
                        log_probability += portable_log(static_cast<double>(c.probability));
                }
                ids.push_back(id);
            }
            std::printf("width %d, ln p of the %d new tokens: %.3f\n", width, length,
                        log_probability);
            print_wrapped(model.tokenizer.decode(ids));
        }
    });
}
