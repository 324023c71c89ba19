// A plain generator on one screen, as at the end of most tutorials. The complete one (generate.hpp)
// writes the same tokens, and several texts at once.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/03_temperature/plain_draw.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/05_top_p/plain_top_p.hpp"

namespace tbt {

struct PlainRequest {
    double temperature = 1, top_p = 1;
    int top_k = 0, max_new_tokens = 40;
    int eos = -1;                            // the end-of-text token
    std::vector<std::string> stop_strings;   // they end the text and are not part of it
    std::function<double()> uniform;         // random numbers in [0, 1)
    std::function<std::string(int)> decode;  // the bytes of a token
};

struct PlainText {
    std::vector<int> ids;  // the generated tokens
    std::string text;
};

inline PlainText plain_generate(const NextLogits& model, std::vector<int> ids,
                                const PlainRequest& r) {
    PlainText out;
    for (int n = 0; n < r.max_new_tokens; ++n) {
        // 1. The model reads the text and gives a logit for each token (chapters 01 and 07).
        const std::span<const float> logits = model(ids);
        std::vector<float> s(logits.begin(), logits.end());
        // 2. Truncate the distribution (04 and 05) and draw from what is left (03).
        s = top_k(s, r.top_k);
        s = top_p(s, r.temperature, r.top_p);
        const int id = draw(s, r.temperature, r.uniform());
        // 3. Append the token to what the model reads next.
        ids.push_back(id), out.ids.push_back(id);
        // 4. Stop at the end of the text, or at a stop string (09).
        if (id == r.eos) return out;
        out.text += r.decode(id);
        for (const std::string& stop : r.stop_strings) {
            const std::size_t at = out.text.find(stop);
            if (at == out.text.npos) continue;
            out.text.resize(at);
            return out;
        }
    }
    return out;
}

}  // namespace tbt
