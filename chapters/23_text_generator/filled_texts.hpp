// Texts of a model that fills masks (chapter 22): between two ends, or after a prompt.
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
#include "chapters/23_text_generator/recording.hpp"
#include "chapters/23_text_generator/text_generator.hpp"

namespace tbt {

class TextFiller {
public:
    // options.model (the one that ships where it names the storyteller), .weights, .threads
    explicit TextFiller(const TextOptions& options);
    explicit TextFiller(MaskedModel model) : model_(std::move(model)) {}

    // options.samples fillings of options.max_new_tokens places between the prompt and
    // options.infill, chosen by the chain and in the order of options.fill. text and ids are the
    // gap's alone. Without an infill the places after the prompt are ends of text, and without a
    // number all the canvas is filled. Throws as TextGenerator::generate().
    //
    // go_on is asked before each pass. Once it says no, the places that are filled so far are the
    // text (ids), the others are shown as ░, and the reason of its end is `interrupted`.
    std::vector<GeneratedText> fill(std::string_view prompt, const TextOptions& options,
                                    const std::function<bool()>& go_on = {});

    const MaskedModel& model() const { return model_; }
    const std::string& directory() const { return directory_; }  // empty: none
    int passes() const { return model_.passes(); }               // of the canvas, so far
    // What became of each place of all fillings so far that options.record asked for.
    const Recording& recording() const { return recording_; }

private:
    GeneratedText text_of(const Hole& hole) const;

    std::string directory_;
    MaskedModel model_;
    Recording recording_;
};

// Is it this class that the options ask for? Throws UsageError on another name.
bool fills_masks(const TextOptions& options);

// The request that says so: chain, seed, samples. Throws UsageError on what only goes from left to
// right.
GenerateRequest filling_request(const TextOptions& options);

}  // namespace tbt
