// What some decoders need besides the model that is measured: an amateur to write against, the
// model's own early layers, a model that fills masks. Each is opened when first asked for, with as
// many threads as the model has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chapters/09_stopping/stopping.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/22_diffusion/masked_model.hpp"
#include "chapters/24_which_decoder/language.hpp"
#include "chapters/24_which_decoder/settings.hpp"
#include "lib/files/model.hpp"

namespace tbt {

// DoLa [Chuang et al. 2024] for one row: ln p(token) − ln q(token) where p(token) >= α·max p, −∞
// for other tokens. p: after the last layer. q: after that one of the early layers which differs
// most from it by the Jensen-Shannon divergence. All are logits (V), α is above 0.
void dola_logits(std::span<const float> last, const std::vector<std::span<const float>>& early,
                 double alpha, std::span<float> result);

// The first layers of a model, then its last norm and output matrix: what it would say after them
// (the logit lens, chapter 18).
Transformer first_layers(const std::filesystem::path& directory, int layers,
                         const TransformerOptions& options = {});

class OtherModels {
public:
    // The model must outlive it; directory: where it came from.
    OtherModels(Model& model, std::filesystem::path directory)
        : model_(model), directory_(std::move(directory)) {}

    // The logits that a setting draws from: the model's own where it names nothing else. They must
    // not outlive this object.
    BatchLogits logits(const Setting& setting);

    // The passage's beginning, continued by the most probable text that beams find; none where the
    // best of all is asked for and cannot be proven.
    std::optional<std::vector<int>> searched(const Passage& passage, const Setting& setting,
                                             const StopRules& stop, std::uint64_t seed);
    // The passage's beginning, continued by the model that fills masks, in ids of the model's own
    // tokenizer: up to the end of text, that included if the canvas has it. Throws Error where the
    // beginning is too long.
    std::vector<int> filled(const Passage& passage, const Setting& setting, std::uint64_t seed);
    // Does the whole passage, its end included, fit that model's canvas?
    bool fits(const Passage& passage);

private:
    MaskedModel& masked();
    TransformerOptions options() const { return {.threads = model_.transformer.threads()}; }

    Model& model_;
    std::filesystem::path directory_;
    std::map<std::string, Model> amateurs_;
    std::map<int, Transformer> early_;
    std::optional<MaskedModel> masked_;
};

}  // namespace tbt
