// Exercise 09_1: prompts that end in the middle of a word, as they are and healed.
#include "chapters/07_kv_cache/cached_model.hpp"
#include "exercises/09_1_prompt_healing.hpp"

#include <cstdio>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "lib/files/model.hpp"

using namespace tbt;

int main() {
    try {
        Model model = load_model(shipped_model("storyteller"));
        ex09_1::Vocabulary bytes;
        for (int id = 0; id < model.tokenizer.vocab_size(); ++id)
            bytes.emplace_back(model.tokenizer.token_bytes(id));
        CachedModel network(model.transformer);
        for (const char* prompt : {"Once upon a ti", "Once upon a time, there was a little gi",
                                   "The farmer went to the mar", "The cat sat on the "}) {
            for (const bool healed : {false, true}) {
                std::vector<int> ids = encode_prompt(model, prompt, 16);
                std::string owed = healed ? ex09_1::take_back(ids, bytes) : "";
                for (int i = 0; i < 12; ++i) {
                    const std::span<const float> row = network(ids);
                    std::vector<float> logits(row.begin(), row.end());
                    ex09_1::mask(logits, owed, bytes);
                    ids.push_back(argmax(logits));
                    owed = ex09_1::still_owed(owed, bytes[static_cast<std::size_t>(ids.back())]);
                }
                std::string text = model.tokenizer.decode(ids);
                for (char& c : text) c = c == '\n' ? ' ' : c;
                std::printf("%s %s\n", healed ? "healed:" : "as is: ", text.c_str());
            }
        }
    } catch (const std::exception& problem) {
        std::fprintf(stderr, "09_1: %s\n", problem.what());
        return 1;
    }
}
