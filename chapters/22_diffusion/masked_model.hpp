// A trained model as the distribution of plain_diffusion.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chapters/22_diffusion/plain_diffusion.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/model/masked_gpt.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

class MaskedModel {
public:
    // Throws Error unless the mask is the id after the tokenizer's last.
    MaskedModel(MaskedGpt gpt, Tokenizer tokenizer);
    // A directory of the trainer (build/train --fill-masks). Throws Error for any other.
    static MaskedModel load(const std::filesystem::path& directory,
                            const TransformerOptions& options = {});

    // The probabilities at a place. One pass serves all places of a row: the samplers ask for many
    // before they change it. Throws Error for a place that the row has not.
    std::vector<double> operator()(const Canvas& row, std::size_t place);
    // What they are made of; valid until the next pass.
    std::span<const float> logits(const Canvas& row, std::size_t place);
    // The same as a function, for the samplers; the model must outlive it.
    MaskedDistribution distribution();

    int passes() const { return passes_; }
    // Called with each row before the pass over it: a sampler's steps.
    std::function<void(const Canvas& row)> on_pass;

    // A text as a row, with ends of text after it up to `length` (0: the model's canvas). Throws
    // Error where it is too long, or longer than the model's canvas.
    Canvas canvas(const std::vector<int>& tokens, int length = 0) const;
    // Up to the first end of text. Masks are shown as `mask`.
    std::string text(const Canvas& row, const std::string& mask = "░") const;

    MaskedGpt gpt;
    Tokenizer tokenizer;

private:
    int passes_ = 0;
    Canvas last_;
    Logits logits_;
};

// Draws with random numbers; the generator must outlive it.
Draw drawing(Rng& rng);
// Always the most probable, the first of several.
Draw most_probable();

}  // namespace tbt
