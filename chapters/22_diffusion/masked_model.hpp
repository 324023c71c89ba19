// A trained masked model as the distribution of plain_diffusion.hpp.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "chapters/22_diffusion/plain_diffusion.hpp"
#include "lib/files/masked_gpt.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

class MaskedModel {
public:
    // Throws Error unless the mask's id is the one after the tokenizer's last id.
    MaskedModel(MaskedGpt gpt, Tokenizer tokenizer);
    // Loads a directory written by build/train --fill-masks. Throws Error for any other.
    static MaskedModel load(const std::filesystem::path& directory,
                            const TransformerOptions& options = {});

    // The probabilities at a place. One forward pass is enough for all places of a row: samplers
    // need many places before they change the row. Throws Error if the row has no such place.
    std::vector<double> operator()(const Canvas& row, std::size_t place);
    // The logits at a place; valid until the next pass.
    std::span<const float> logits(const Canvas& row, std::size_t place);
    // operator() as a function object, for the samplers. The model must outlive it.
    MaskedDistribution distribution();

    int passes() const { return passes_; }
    // Called with each row before the pass over it, so that a caller can see a sampler's steps.
    std::function<void(const Canvas& row)> on_pass;

    // A text as a row, padded with end-of-text tokens to `length` places (0: the model's canvas).
    // Throws Error if the text is longer than that, or `length` longer than the model's canvas.
    Canvas canvas(const std::vector<int>& tokens, int length = 0) const;
    // The text of a row up to the first end-of-text token. Masks are written as `mask`.
    std::string text(const Canvas& row, const std::string& mask = "░") const;

    MaskedGpt gpt;
    Tokenizer tokenizer;

private:
    int passes_ = 0;
    Canvas last_;
    Logits logits_;
};

}  // namespace tbt
