// Generates texts with a model that fills masks (chapter 22): between two parts of a text, or after
// a prompt.
//
//   TextFiller filler(options);
//   options.infill = " Tomorrow will be sunny.";
//   options.max_new_tokens = 12;
//   filler.fill("Good morning from Elm.", options)[0].text
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chapters/22_diffusion/masked_model.hpp"
#include "chapters/23_text_generator/generation.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

class TextFiller {
public:
    // Uses options.model (if that is the storyteller: the shipped diffusion model), .weights and
    // .threads.
    explicit TextFiller(const TextOptions& options);
    explicit TextFiller(MaskedModel model) : model_(std::move(model)) {}

    // Fills a gap of options.max_new_tokens positions between the prompt and options.infill;
    // options.samples times. Tokens are chosen by the chain, positions in the order of
    // options.fill. text and ids of the results have the gap only. Without an infill, end-of-text
    // follows the gap; without a number of tokens, the whole canvas is filled. Throws as
    // TextGenerator::generate().
    //
    // go_on is called before each pass. If it returns false, the text (ids) has the positions
    // filled so far, the others are shown as ░, and the reason of the end is `interrupted`.
    std::vector<GeneratedText> fill(std::string_view prompt, const TextOptions& options,
                                    const std::function<bool()>& go_on = {});

    const MaskedModel& model() const { return model_; }
    const std::string& directory() const { return directory_; }  // of the model; empty: none
    int passes() const { return model_.passes(); }               // so far
    // The choices of all fillings so far for which options.record was set.
    const Recording& recording() const { return recording_; }

private:
    GeneratedText text_of(const Hole& hole) const;

    std::string directory_;
    MaskedModel model_;
    Recording recording_;
};

// Do the options require this class? Throws UsageError for an unknown decoder.
bool fills_masks(const TextOptions& options);

// The request for a filling: chain, seed, samples. Throws UsageError for options that work only
// from left to right.
GenerateRequest filling_request(const TextOptions& options);

}  // namespace tbt
