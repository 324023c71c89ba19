#include "chapters/23_text_generator/guidance.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chapters/06_combining/candidates.hpp"
#include "chapters/08_penalties/checks.hpp"
#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/math.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

void guide_logits(std::span<const float> positive, std::span<const float> negative, double scale,
                  std::span<float> guided) {
    if (positive.size() != negative.size() || positive.size() != guided.size())
        throw Error("guidance: rows of " + std::to_string(positive.size()) + ", " +
                    std::to_string(negative.size()) + " and " + std::to_string(guided.size()) +
                    " logits, expected as many in each");
    if (!std::isfinite(scale))
        throw UsageError("guidance-scale: got " + short_number(scale) +
                         ", expected a finite number; 1 turns it off, 1.5 is usual");
    const auto log_sum = [](std::span<const float> row) {
        Candidates c(row);
        return static_cast<double>(c.largest()) + c.log_sum();
    };
    const double of_positive = log_sum(positive), of_negative = log_sum(negative);
    for (std::size_t i = 0; i < positive.size(); ++i) {
        const double p = static_cast<double>(positive[i]) - of_positive;
        const double n = static_cast<double>(negative[i]) - of_negative;
        guided[i] =
            std::isinf(p) || std::isinf(n) ? banned : static_cast<float>(n + scale * (p - n));
    }
}

BatchLogits with_guidance(BatchLogits model, double scale, std::size_t slots,
                          std::function<const GuidancePrompts&(std::size_t slot)> prompts_of) {
    const auto guided = std::make_shared<std::vector<std::vector<float>>>();
    return [model = std::move(model), prompts_of = std::move(prompts_of), scale, slots,
            guided](std::span<const BatchText> texts) {
        // Each text is read twice: as it is, and with the negative prompt instead of its own.
        std::vector<BatchText> both(texts.begin(), texts.end());
        std::vector<std::vector<int>> others;
        std::vector<int> longest;  // of each other text; 0 if it is unknown
        for (const BatchText& text : texts) {
            const GuidancePrompts& prompts = prompts_of(
                checked_place("guidance: slots", static_cast<long long>(text.slot), slots));
            if (prompts.negative.empty())
                throw Error("guidance: the negative prompt is empty, expected at least one token");
            if (text.ids.size() < prompts.prompt_length)
                throw Error("guidance: a text of " + std::to_string(text.ids.size()) +
                            " tokens after a prompt of " + std::to_string(prompts.prompt_length));
            const std::span<const int> written = text.ids.subspan(prompts.prompt_length);
            const int more = count(prompts.negative) - to_int(prompts.prompt_length);
            longest.push_back(text.longest > 0 ? text.longest + more : 0);
            others.push_back(prompts.negative);
            others.back().insert(others.back().end(), written.begin(), written.end());
        }
        for (std::size_t i = 0; i < texts.size(); ++i)
            both.push_back(
                {slots + texts[i].slot, others[i], texts[i].rows, texts[i].parents, longest[i]});
        std::size_t half = 0;
        for (const BatchText& text : texts) half += text.rows;
        const std::vector<std::span<const float>> rows = model(both);
        check_size("guidance: logits from the model", rows.size(), 2 * half);
        guided->resize(half);
        std::vector<std::span<const float>> result;
        for (std::size_t r = 0; r < half; ++r) {
            (*guided)[r].resize(rows[r].size());
            guide_logits(rows[r], rows[half + r], scale, (*guided)[r]);
            result.emplace_back((*guided)[r]);
        }
        return result;
    };
}

// Lowers implausible tokens by this much: e^−1000 is practically 0. But if a grammar bans all
// plausible tokens, the others keep the ratios of the model's probabilities.
constexpr double out_of_reach = 1000;

void check_contrast(const Contrast& contrast) {
    if (!(contrast.strength >= 0 && contrast.strength <= 1e6))
        throw UsageError("contrast-strength: got " + short_number(contrast.strength) +
                         ", expected 0 to 1e6; 0.5 is usual");
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
