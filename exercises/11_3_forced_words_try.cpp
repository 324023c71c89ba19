// make try EX=11_3: a word that the shipped model would not write by itself, with more and more
// beams. Another text, another word: PROMPT="…" ARGS="--word whale".
#include <cstdio>
#include <string>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "exercises/11_3_forced_words.hpp"
#include "lib/core/index.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

int main(int argc, char** argv) {
    std::string prompt = "The old lighthouse keeper", word = "moon";
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
        line.option("--word", word, "what must come").shows_default();
    };
    return run_program(argc, argv, "Beams that must meet a word.", options, [&] {
        constexpr int length = 12;
        Model model = load_model(shipped_model("storyteller"));
        CachedModel network(model.transformer);
        const std::vector<int> start = encode_prompt(model, prompt, length + 1);
        const ex11_3::LogDistribution distribution = [&](const ex11_3::Ids& text) {
            std::vector<int> ids = start;
            ids.insert(ids.end(), text.begin(), text.end());
            std::vector<double> logs(index(model.tokenizer.vocab_size()), -HUGE_VAL);
            for (const Candidate& c : top_candidates(network(ids), model.tokenizer.vocab_size()))
                logs[index(c.id)] = std::log(static_cast<double>(c.probability));
            return logs;
        };
        for (const std::size_t B : {1u, 2u, 4u, 16u}) {
            const auto found =
                ex11_3::search_with_words(distribution, {model.tokenizer.encode(" " + word)}, B,
                                          length, model.tokenizer.eos_id());
            std::printf("B = %2zu", B);
            if (found.empty()) std::printf(": none");
            else
                std::printf(", ln p %.3f:%s", found[0].sum,
                            visible(model.tokenizer.decode(found[0].text)).c_str());
            std::printf("\n");
        }
    });
}
