#include "chapters/11_beam_search/beam_search.hpp"

namespace tbt {

BeamSearch::BeamSearch(const BeamRequest& request, std::span<const int> prompt)
    : request_(&request),
      beams_(index(std::max(1, request.beams.num_beams))),
      prompt_length_(prompt.size()),
      candidates_(request),
      lattice_(request.keep_lattice) {
    check_beams(request, prompt.size());
    const std::size_t room = index(request.stop.context) - prompt.size();
    limit_ = std::min(index(request.stop.max_new_tokens), room);
    live_.push_back({{prompt.begin(), prompt.end()}, 0, TextStream(request.stop.strings), -1, 0});
}

std::vector<BatchText> BeamSearch::texts(std::size_t first_slot) {
    if (!asked_) read_ahead();
    std::vector<BatchText> texts;
    for (std::size_t i = 0; i < live_.size(); ++i)
        texts.push_back({first_slot + i, run_ > 0 ? ahead_[i] : live_[i].ids, run_ + 1});
    return texts;
}

void BeamSearch::step(std::span<const std::span<const float>> rows) {
    if (!asked_) read_ahead();
    const std::size_t each = run_ + 1;
    check_size("beam search: logits from the model", rows.size(), live_.size() * each);
    asked_ = false, run_ = 0;
    std::vector<std::size_t> first_row;  // of each live beam
    for (std::size_t b = 0; b < live_.size(); ++b) first_row.push_back(b * each);
    for (std::size_t k = 0; k < each && !done(); ++k) {
        std::vector<std::span<const float>> logits;
        for (const std::size_t first : first_row) logits.push_back(rows[first + k]);
        step_once(logits);
        const std::vector<std::size_t> before = first_row;
        first_row.clear();
        for (const Hypothesis& h : live_) first_row.push_back(before[h.parent]);
    }
}

void BeamSearch::interrupt() {
    for (Hypothesis& h : live_) {
        const double score = score_of(h.sum);
        admit({std::move(h), score, FinishReason::interrupted});
    }
    live_.clear();
}

std::vector<BeamText> BeamSearch::results() const {
    if (finished_.empty())
        throw Error(
            "beam search: no text could be finished: every continuation is banned; loosen the "
            "bans");
    std::vector<BeamText> texts;
    for (const Finished& f : finished_) {
        if (texts.size() == index(request_->beams.num_return_sequences)) break;
        TextStream stream = f.h.stream;
        stream.finish();
        texts.push_back({{f.h.ids.begin() + to_int(prompt_length_), f.h.ids.end()},
                         f.h.sum,
                         f.score,
                         f.reason,
                         stream.stop_string(),
                         stream.text()});
    }
    return texts;
}

double BeamSearch::score_of(double sum) const {
    return length_normalised(sum, generated_, request_->beams.length_penalty);
}

void BeamSearch::step_once(std::span<const std::span<const float>> logits) {
    for (std::size_t b = 0; b < live_.size(); ++b)
        candidates_.extend(b, live_[b].sum, live_[b].ids, logits[b]);
    ++generated_;
    last_tokens_.clear();
    std::vector<Hypothesis> next;
    std::size_t rank = 0;
    for (const BeamCandidate& c : candidates_.take_best()) {
        if (rank == 0) best_sum_ = c.sum;
        place(c, rank++, next);
    }
    live_ = std::move(next);
    if (!worth_going_on()) end_live("unfinished when the search stopped");
}

void BeamSearch::read_ahead() {
    asked_ = true, run_ = 0;
    if (!request_->forced) return;
    ahead_.clear();
    std::size_t run = limit_ - generated_ - 1;
    for (const Hypothesis& h : live_) {
        ahead_.push_back(h.ids);
        std::vector<int>& ids = ahead_.back();
        while (ids.size() - h.ids.size() < run) {
            const int only = request_->forced({ids, prompt_length_});
            if (only < 0 || request_->stop.is_eos(only)) break;
            ids.push_back(only);
        }
        run = ids.size() - h.ids.size();
    }
    run_ = run;
    for (std::size_t b = 0; b < live_.size(); ++b) ahead_[b].resize(live_[b].ids.size() + run_);
}

void BeamSearch::place(const BeamCandidate& c, std::size_t rank, std::vector<Hypothesis>& next) {
    const Hypothesis& parent = live_[c.parent];
    TextStream stream = parent.stream;
    if (request_->bytes && !request_->stop.is_eos(c.id)) stream.push(request_->bytes(c.id));
    const auto end = why_stop(request_->stop, c.id, stream, to_int(generated_),
                              to_int(prompt_length_ + generated_));
    const bool among_first = rank < beams_;
    const bool kept = end ? among_first : next.size() < beams_;
    const int step = to_int(generated_);
    const int node =
        lattice_.add({step, parent.node, c.id, c.sum - parent.sum, c.sum, score_of(c.sum), {}, {}},
                     end, kept, beams_);
    if (!kept) return;
    Hypothesis h{parent.ids, c.sum, std::move(stream), node, c.parent};
    h.ids.push_back(c.id);
    if (!end || *end == FinishReason::length || *end == FinishReason::context)
        last_tokens_.push_back(c.id);
    if (end) admit({std::move(h), score_of(c.sum), *end});
    else next.push_back(std::move(h));
}

void BeamSearch::admit(Finished f) {
    const auto at =
        std::upper_bound(finished_.begin(), finished_.end(), f.score,
                         [](double score, const Finished& other) { return score > other.score; });
    finished_.insert(at, std::move(f));
    if (finished_.size() <= beams_) return;
    lattice_.prune(finished_.back().h.node, "ended, but better ones are finished");
    finished_.pop_back();
}

bool BeamSearch::worth_going_on() const {
    if (live_.empty() || finished_.size() < beams_) return true;
    const BeamOptions& o = request_->beams;
    if (o.early_stopping == EarlyStopping::yes) return false;
    const bool to_the_limit = o.early_stopping == EarlyStopping::never && o.length_penalty > 0;
    const std::size_t length = to_the_limit ? limit_ : generated_;
    const double best = o.ends_speak ? best_sum_ : live_[0].sum;
    return length_normalised(best, length, o.length_penalty) > finished_.back().score;
}

void BeamSearch::end_live(const char* why) {
    for (const Hypothesis& h : live_) lattice_.prune(h.node, why);
    live_.clear();
}

BeamSearch run_beam_search(const BatchLogits& model, const BeamRequest& request,
                           std::span<const int> prompt, const std::function<bool()>& go_on) {
    BeamSearch search(request, prompt);
    while (!search.done()) {
        if (go_on && !go_on()) search.interrupt();
        else search.step(model(search.texts()));
    }
    return search;
}

std::vector<BeamText> beam_search(const BatchLogits& model, const BeamRequest& request,
                                  std::span<const int> prompt) {
    return run_beam_search(model, request, prompt).results();
}

}  // namespace tbt
