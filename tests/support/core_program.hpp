#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "lib/core/gpt.hpp"
#include "lib/core/rng.hpp"

using namespace tbt;

// Draws the next token: its probabilities are softmax(logits / temperature); u is in [0, 1).
int draw(std::span<const float> logits, float temperature, double u) {
    std::vector<float> p(logits.begin(), logits.end());
    for (float& s : p) s /= temperature;
    softmax(p, p);
    int id = 0;
    for (const float slot : p) {
        u -= static_cast<double>(slot);
        if (u < 0) break;
        ++id;
    }
    return std::min(id, to_int(p.size()) - 1);
}

int main() {
    GptModel model = load_gpt("data/models/storyteller");
    GptCache cache(model.config());
    Rng rng(7);
    std::vector<int> fresh = encode_prompt(model, "Once upon a time"), text = fresh;
    for (int i = 0; i < 60; ++i) {
        const int id = draw(model.gpt.forward(cache, fresh), 0.7f, rng.uniform());
        if (id == model.tokenizer.eos_id()) break;
        fresh = {id};
        text.push_back(id);
    }
    std::printf("%s\n", model.tokenizer.decode(text).c_str());
    return 0;
}
