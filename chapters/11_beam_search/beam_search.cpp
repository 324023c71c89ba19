#include "chapters/11_beam_search/beam_search.hpp"

namespace tbt {

EarlyStopping early_stopping_named(std::string_view name) {
    if (name == "true") return EarlyStopping::yes;
    if (name == "false") return EarlyStopping::no;
    if (name == "never") return EarlyStopping::never;
    throw UsageError("early-stopping: got '" + std::string(name) +
                     "', expected true, false or never");
}

void check_beams(const BeamRequest& r, std::size_t prompt_length) {
    const BeamOptions& b = r.beams;
    if (b.num_beams < 1)
        throw UsageError("num-beams: got " + std::to_string(b.num_beams) +
                         ", expected 1 or more; 1 is greedy decoding, 4 is usual");
    // length^50 is finite for a million tokens; where it is not, all scores are the same.
    if (!(std::abs(b.length_penalty) <= 50))
        throw UsageError(
            "length-penalty: got " + short_number(b.length_penalty) +
            ", expected -50 to 50; 0 compares sums, 1 means, more than 1 favours long texts");
    if (b.num_return_sequences < 1 || b.num_return_sequences > b.num_beams)
        throw UsageError("num-return-sequences: got " + std::to_string(b.num_return_sequences) +
                         ", expected 1 to " + std::to_string(b.num_beams) +
                         ", the number of beams; raise --num-beams for more");
    if (r.stop.max_new_tokens < 1)
        throw UsageError("max-new-tokens: got " + std::to_string(r.stop.max_new_tokens) +
                         ", expected 1 or more: a search needs something to search");
    if (!r.stop.strings.strings().empty() && !r.bytes)
        throw Error("beam search: stop strings need the bytes of the tokens");
    if (prompt_length == 0)
        throw Error("beam search: an empty prompt; start from the document separator");
    if (r.stop.context < 1 || prompt_length >= index(r.stop.context))
        throw Error("beam search: the prompt has " + std::to_string(prompt_length) +
                    " tokens and the context " + std::to_string(r.stop.context) +
                    ", so there is no room for a new one; shorten the prompt");
}

BeamProcessor processor_of(Chain chain, std::size_t prompt_length) {
    if (chain.steps().empty()) return {};
    const auto scratch = std::make_shared<Candidates>();
    const auto changed = std::make_shared<std::vector<float>>();
    return [chain = std::move(chain), prompt_length, scratch, changed](std::span<float> log_probs,
                                                                       std::span<const int> ids) {
        Candidates& c = *scratch;
        c.reset(log_probs);
        chain.apply(c, {ids, prompt_length});
        changed->assign(log_probs.size(), banned);
        for (std::size_t i = 0; i < c.size(); ++i) {
            const double value = static_cast<double>(c.logits()[i]) / c.temperature();
            (*changed)[index(c.id(i))] = static_cast<float>(value);
        }
        std::copy(changed->begin(), changed->end(), log_probs.begin());
    };
}

int Lattice::add(LatticeNode node, std::optional<FinishReason> end, bool kept, std::size_t beams) {
    if (!on_) return -1;
    node.fate = !kept ? Fate::pruned : end ? Fate::finished : Fate::live;
    if (!kept)
        node.why =
            std::string(end ? "ended, but " : "") + "beyond the best " + std::to_string(beams);
    else if (end) node.why = to_string(*end);
    nodes_.push_back(std::move(node));
    return count(nodes_) - 1;
}

void Lattice::prune(int node, const char* why) {
    if (node < 0 || index(node) >= nodes_.size()) return;
    LatticeNode& n = nodes_[index(node)];
    n.fate = Fate::pruned, n.why = why;
}

std::vector<bool> path_of(const std::vector<LatticeNode>& lattice, const std::vector<int>& ids) {
    std::vector<bool> on_path(lattice.size(), false);
    int at = -1;
    for (std::size_t i = 0, step = 1; i < lattice.size() && step <= ids.size(); ++i) {
        if (lattice[i].step > to_int(step)) break;  // it was pruned before
        if (lattice[i].step != to_int(step) || lattice[i].parent != at) continue;
        if (lattice[i].token != ids[step - 1]) continue;
        on_path[i] = true;
        at = to_int(i);
        ++step;
    }
    return on_path;
}

BeamCandidates::BeamCandidates(const BeamRequest& request)
    : request_(&request), rng_(request.seed.value_or(0)) {
    // As transformers: each kind of end could take a place in the row of every beam.
    const std::size_t a_beam = std::max<std::size_t>(2, 1 + request.stop.eos.size());
    wanted_ = a_beam * index(std::max(1, request.beams.num_beams));
}

void BeamCandidates::extend(std::size_t parent, double sum, std::span<const int> ids,
                            std::span<const float> logits) {
    row_.reset(logits);
    double log_sum = static_cast<double>(row_.largest()) + row_.log_sum();
    if (request_->processor) {
        log_probs_.resize(logits.size());
        for (std::size_t i = 0; i < logits.size(); ++i)
            log_probs_[i] = static_cast<float>(static_cast<double>(logits[i]) - log_sum);
        request_->processor(log_probs_, ids);
        if (std::all_of(log_probs_.begin(), log_probs_.end(), [](float x) { return x == banned; }))
            return;
        row_.reset(log_probs_);
        log_sum = 0;
    }
    if (!request_->seed) keep_top_k(row_, to_int(std::min(wanted_, logits.size())));
    for (std::size_t i = 0; i < row_.size(); ++i) {
        const float value = row_.logits()[i];
        if (value == banned) continue;
        const double total = sum + (static_cast<double>(value) - log_sum);
        all_.push_back(
            {parent, row_.id(i), value, total, request_->seed ? total + gumbel() : total});
    }
}

std::vector<BeamCandidate> BeamCandidates::take_best() {
    const auto in_order = [](const BeamCandidate& a, const BeamCandidate& b) {
        if (a.sum != b.sum) return a.sum > b.sum;
        if (a.parent != b.parent) return a.parent < b.parent;
        return comes_before(a.value, a.id, b.value, b.id);
    };
    const auto end = all_.begin() + to_int(std::min(all_.size(), wanted_));
    std::partial_sort(all_.begin(), end, all_.end(),
                      [&](const BeamCandidate& a, const BeamCandidate& b) {
                          return a.key != b.key ? a.key > b.key : in_order(a, b);
                      });
    std::vector<BeamCandidate> best(all_.begin(), end);
    std::sort(best.begin(), best.end(), in_order);
    all_.clear();
    return best;
}

double BeamCandidates::gumbel() {
    const double u = (static_cast<double>(rng_.next() >> 11) + 0.5) * 0x1p-53;
    return -portable_log(-portable_log(u));
}

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
        texts.push_back({first_slot + i,
                         run_ > 0 ? ahead_[i] : live_[i].ids,
                         run_ + 1,
                         {},
                         to_int(prompt_length_ + limit_)});
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
    if (request_->bytes && !request_->stop.is_eos(c.id)) stream.push_token(request_->bytes(c.id));
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
