// Diverse beam search [Vijayakumar et al. 2018]: G groups of B/G beams that keep out
// of each other's way.
//
//   ln p'(token) = ln p(token) − λ · (beams of earlier groups that took the token in this step)
//
// The best B texts of one search are often one text with other punctuation.
// The first group searches as ever; each later one pays for walking in step with those before it.
// All beams still share one forward pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "chapters/11_beam_search/beam_search.hpp"

namespace tbt {

inline void check_groups(const BeamRequest& request, int groups, double penalty) {
    const int B = request.beams.num_beams;
    if (groups < 1 || B % groups != 0)
        throw UsageError("num-beam-groups: got " + std::to_string(groups) +
                         ", expected a divisor of the " + std::to_string(B) + " beams");
    if (!std::isfinite(penalty) || penalty < 0)
        throw UsageError("diversity-penalty: got " + short_number(penalty) +
                         ", expected 0 or more; 0.5 to 1 is usual");
}

// The best of all groups, the best first. Their scores include what they paid.
inline std::vector<BeamText> diverse_beam_search(const BatchLogits& model,
                                                 const BeamRequest& request, int groups,
                                                 double penalty, std::span<const int> prompt,
                                                 const std::function<bool()>& go_on = {}) {
    check_groups(request, groups, penalty);
    check_beams(request, prompt.size());
    const int beams = request.beams.num_beams / groups;
    std::vector<int> taken;  // in this step, by earlier groups
    std::vector<BeamRequest> requests(static_cast<std::size_t>(groups), request);
    std::vector<BeamSearch> searches;
    for (BeamRequest& r : requests) {
        r.beams.num_beams = r.beams.num_return_sequences = beams;
        if (request.seed) *r.seed += searches.size();
        r.processor = [&taken, penalty, &request](std::span<float> row, std::span<const int> ids) {
            for (const int id : taken)
                row[static_cast<std::size_t>(id)] -= static_cast<float>(penalty);
            if (request.processor) request.processor(row, ids);
        };
        searches.emplace_back(r, prompt);
    }
    for (;;) {
        std::vector<BatchText> texts;
        for (std::size_t g = 0; g < searches.size(); ++g) {
            for (const BatchText& t : searches[g].texts(g * static_cast<std::size_t>(beams)))
                texts.push_back(t);
        }
        if (texts.empty()) break;
        if (go_on && !go_on()) {
            for (BeamSearch& search : searches) search.interrupt();
            break;
        }
        const std::vector<std::span<const float>> rows = model(texts);
        taken.clear();
        std::size_t first = 0;
        for (BeamSearch& search : searches) {
            const std::size_t count = search.texts().size();
            if (count == 0) continue;
            search.step(std::span(rows).subspan(first, count));
            first += count;
            taken.insert(taken.end(), search.last_tokens().begin(), search.last_tokens().end());
        }
    }
    std::vector<BeamText> found;
    for (const BeamSearch& search : searches) {
        for (BeamText& t : search.results()) found.push_back(std::move(t));
    }
    std::stable_sort(found.begin(), found.end(),
                     [](const BeamText& a, const BeamText& b) { return a.score > b.score; });
    found.resize(
        std::min(found.size(), static_cast<std::size_t>(request.beams.num_return_sequences)));
    return found;
}

}  // namespace tbt
