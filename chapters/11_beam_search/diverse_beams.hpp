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
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "chapters/11_beam_search/beam_search.hpp"
#include "lib/index.hpp"

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

inline std::size_t rows_of(std::span<const BatchText> texts) {
    std::size_t rows = 0;
    for (const BatchText& text : texts) rows += text.rows;
    return rows;
}

// A search under way, in one group or several: as BeamSearch is driven, texts() and step().
class DiverseSearch {
public:
    DiverseSearch(const BeamRequest& request, int groups, double penalty,
                  std::span<const int> prompt)
        : state_(std::make_unique<State>(State{request, {}, {}})) {
        check_groups(request, groups, penalty);
        check_beams(request, prompt.size());
        state_->requests.assign(index(groups), request);
        for (BeamRequest& r : state_->requests) {
            if (groups > 1) divide(r, request.beams.num_beams / groups, penalty);
            searches_.emplace_back(r, prompt);
        }
    }

    bool done() const {
        return std::all_of(searches_.begin(), searches_.end(),
                           [](const BeamSearch& search) { return search.done(); });
    }
    // Beam i of group g is kept in slot first_slot + g·(B/G) + i.
    std::vector<BatchText> texts(std::size_t first_slot = 0) {
        const auto beams = index(state_->requests[0].beams.num_beams);
        std::vector<BatchText> texts;
        for (std::size_t g = 0; g < searches_.size(); ++g) {
            for (const BatchText& t : searches_[g].texts(first_slot + g * beams))
                texts.push_back(t);
        }
        return texts;
    }
    // The rows of logits (V) that texts() asked for, group after group.
    void step(std::span<const std::span<const float>> rows) {
        std::vector<int>& taken = state_->taken;
        taken.clear();
        for (BeamSearch& search : searches_) {
            const std::size_t count = rows_of(search.texts());
            if (count == 0) continue;
            search.step(rows.first(count));
            rows = rows.subspan(count);
            taken.insert(taken.end(), search.last_tokens().begin(), search.last_tokens().end());
        }
    }
    void interrupt() {
        for (BeamSearch& search : searches_) search.interrupt();
    }

    // The best of all groups, the best first. Their scores include what they paid.
    std::vector<BeamText> results() const {
        std::vector<BeamText> found;
        for (const BeamSearch& search : searches_)
            for (BeamText& t : search.results()) found.push_back(std::move(t));
        std::stable_sort(found.begin(), found.end(),
                         [](const BeamText& a, const BeamText& b) { return a.score > b.score; });
        found.resize(std::min(found.size(), index(state_->whole.beams.num_return_sequences)));
        return found;
    }
    const std::vector<BeamSearch>& groups() const { return searches_; }

private:
    struct State {  // keeps its place when the search is moved
        BeamRequest whole;
        std::vector<BeamRequest> requests;  // of each group
        std::vector<int> taken;             // in this step, by earlier groups
    };

    // The share of one group: so many beams, its own luck, and the price of what is taken.
    // The groups go in step, so none of them is read ahead.
    void divide(BeamRequest& r, int beams, double penalty) {
        r.beams.num_beams = r.beams.num_return_sequences = beams;
        if (r.seed) *r.seed += searches_.size();
        r.forced = {};
        r.processor = [state = state_.get(), penalty](std::span<float> row,
                                                      std::span<const int> ids) {
            for (const int id : state->taken) row[index(id)] -= static_cast<float>(penalty);
            if (state->whole.processor) state->whole.processor(row, ids);
        };
    }

    std::unique_ptr<State> state_;
    std::vector<BeamSearch> searches_;
};

// Several searches side by side, their beams in one forward pass a step; search i keeps its beams
// from slot i·slots on. go_on, when given, is asked before each pass; false ends them all.
template <class Search>
void run_searches(const BatchLogits& model, std::span<Search> searches, std::size_t slots,
                  const std::function<bool()>& go_on = {}) {
    for (;;) {
        std::vector<BatchText> texts;
        std::vector<std::size_t> counts;
        for (std::size_t i = 0; i < searches.size(); ++i) {
            const std::vector<BatchText> own = searches[i].texts(i * slots);
            texts.insert(texts.end(), own.begin(), own.end());
            counts.push_back(rows_of(own));
        }
        if (texts.empty()) return;
        if (go_on && !go_on()) {
            for (Search& search : searches) search.interrupt();
            return;
        }
        const std::vector<std::span<const float>> rows = model(texts);
        std::span<const std::span<const float>> rest = rows;
        for (std::size_t i = 0; i < searches.size(); ++i) {
            if (counts[i] > 0) searches[i].step(rest.first(counts[i]));
            rest = rest.subspan(counts[i]);
        }
    }
}

inline std::vector<BeamText> diverse_beam_search(const BatchLogits& model,
                                                 const BeamRequest& request, int groups,
                                                 double penalty, std::span<const int> prompt,
                                                 const std::function<bool()>& go_on = {}) {
    DiverseSearch search(request, groups, penalty, prompt);
    run_searches<DiverseSearch>(model, {&search, 1}, 0, go_on);
    return search.results();
}

}  // namespace tbt
