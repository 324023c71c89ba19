// A text as its decoder, the model and the language see it.
#pragma once

#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/24_which_decoder/language.hpp"
#include "chapters/24_which_decoder/settings.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// −log2 of what the model gives the tokens after the prompt, and of what each of the decoders gives
// them: by the integer weights that tokens are drawn with. An infinite one can never be drawn.
struct Bits {
    double m = 0;
    std::vector<double> q;  // one for each mixture
};
Bits score(const BatchLogits& model, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures);
Bits score(Transformer& gpt, const std::vector<int>& ids, std::size_t prompt_length,
           const std::vector<Mixture>& mixtures);

using Alternatives = std::vector<TextProbability::Alternative>;

struct Judged {
    std::string text;
    double p = 0;  // −log2 p; infinite: not in the language, or not ended
    bool undecided = false;
    Alternatives used = {};
    double m = 0, searched = 0;  // −log2 m, of valid texts; of all that were searched
};
// What the language says of these tokens after the passage's beginning. m and searched are 0.
Judged judge(const Language& language, const Tokenizer& tokenizer, const Passage& passage,
             const std::vector<int>& ids);

}  // namespace tbt
