#include "chapters/11_beam_search/diverse_beams.hpp"

namespace tbt {

void check_groups(const BeamRequest& request, int groups, double penalty) {
    const int B = request.beams.num_beams;
    if (groups < 1 || B % groups != 0)
        throw UsageError("num-beam-groups: got " + std::to_string(groups) +
                         ", expected a divisor of the " + std::to_string(B) + " beams");
    if (!std::isfinite(penalty) || penalty < 0)
        throw UsageError("diversity-penalty: got " + short_number(penalty) +
                         ", expected 0 or more; 0.5 to 1 is usual");
}

static std::size_t rows_of(std::span<const BatchText> texts) {
    std::size_t rows = 0;
    for (const BatchText& text : texts) rows += text.rows;
    return rows;
}

DiverseSearch::DiverseSearch(const BeamRequest& request, int groups, double penalty,
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

bool DiverseSearch::done() const {
    return std::all_of(searches_.begin(), searches_.end(),
                       [](const BeamSearch& search) { return search.done(); });
}

std::vector<BatchText> DiverseSearch::texts(std::size_t first_slot) {
    const auto beams = index(state_->requests[0].beams.num_beams);
    std::vector<BatchText> texts;
    for (std::size_t g = 0; g < searches_.size(); ++g) {
        for (const BatchText& t : searches_[g].texts(first_slot + g * beams)) texts.push_back(t);
    }
    return texts;
}

void DiverseSearch::step(std::span<const std::span<const float>> rows) {
    std::vector<int>& taken = state_->taken;
    const BeamOptions& beams = state_->requests[0].beams;
    taken.clear();
    for (BeamSearch& search : searches_) {
        const std::size_t count = rows_of(search.texts());
        if (count == 0) {
            if (beams.finished_groups_write >= 0)
                taken.insert(taken.end(), index(beams.num_beams), beams.finished_groups_write);
            continue;
        }
        search.step(rows.first(count));
        rows = rows.subspan(count);
        taken.insert(taken.end(), search.last_tokens().begin(), search.last_tokens().end());
    }
}

void DiverseSearch::interrupt() {
    for (BeamSearch& search : searches_) search.interrupt();
}

std::vector<BeamText> DiverseSearch::results() const {
    std::vector<BeamText> found;
    for (const BeamSearch& search : searches_)
        for (BeamText& t : search.results()) found.push_back(std::move(t));
    std::stable_sort(found.begin(), found.end(),
                     [](const BeamText& a, const BeamText& b) { return a.score > b.score; });
    found.resize(std::min(found.size(), index(state_->whole.beams.num_return_sequences)));
    return found;
}

void DiverseSearch::divide(BeamRequest& r, int beams, double penalty) {
    r.beams.num_beams = r.beams.num_return_sequences = beams;
    if (r.seed) *r.seed += searches_.size();
    r.forced = {};
    r.processor = [state = state_.get(), penalty](std::span<float> row, std::span<const int> ids) {
        for (const int id : state->taken) row[index(id)] -= static_cast<float>(penalty);
        if (state->whole.processor) state->whole.processor(row, ids);
    };
}

void run_searches(const BatchLogits& model, std::span<DiverseSearch> searches, std::size_t slots,
                  const std::function<bool()>& go_on) {
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
            for (DiverseSearch& search : searches) search.interrupt();
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

std::vector<BeamText> diverse_beam_search(const BatchLogits& model, const BeamRequest& request,
                                          int groups, double penalty, std::span<const int> prompt) {
    DiverseSearch search(request, groups, penalty, prompt);
    run_searches(model, {&search, 1}, 0);
    return search.results();
}

}  // namespace tbt
