#include "chapters/23_text_generator/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "chapters/23_text_generator/guidance.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

// Lowers implausible tokens by this much: e^−1000 is practically 0. But if a grammar bans all
// plausible tokens, the others keep the ratios of the model's probabilities.
constexpr double out_of_reach = 1000;

void check_contrast(const Contrast& contrast) {
    if (!std::isfinite(contrast.strength) || contrast.strength < 0)
        throw UsageError("contrast-strength: got " + short_number(contrast.strength) +
                         ", expected 0 or more; 0.5 is usual");
    if (!(contrast.plausible >= 0 && contrast.plausible <= 1))
        throw UsageError("contrast-plausible: got " + short_number(contrast.plausible) +
                         ", expected a share from 0 to 1; 0.1 is usual");
}

void contrast_logits(std::span<const float> model, std::span<const float> amateur,
                     const Contrast& contrast, std::span<float> contrasted) {
    check_contrast(contrast);
    // The amateur takes the place of a negative prompt: a·(p/a)^(1 + β).
    guide_logits(model, amateur, 1 + contrast.strength, contrasted);
    if (contrast.plausible == 0) return;
    const double largest = static_cast<double>(*std::max_element(model.begin(), model.end())),
                 border = largest + portable_log(contrast.plausible);
    for (std::size_t i = 0; i < model.size(); ++i) {
        const auto s = static_cast<double>(model[i]);
        if (s < border) contrasted[i] = static_cast<float>(s - largest - out_of_reach);
    }
}

BatchLogits with_contrast(BatchLogits model, BatchLogits amateur, const Contrast& contrast) {
    check_contrast(contrast);
    const auto made = std::make_shared<std::vector<std::vector<float>>>();
    return [model = std::move(model), amateur = std::move(amateur), contrast,
            made](std::span<const BatchText> texts) {
        const std::vector<std::span<const float>> rows = model(texts), others = amateur(texts);
        check_size("contrast: logits from the amateur", others.size(), rows.size());
        made->resize(rows.size());
        std::vector<std::span<const float>> result;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            (*made)[r].resize(rows[r].size());
            contrast_logits(rows[r], others[r], contrast, (*made)[r]);
            result.emplace_back((*made)[r]);
        }
        return result;
    };
}

}  // namespace tbt
