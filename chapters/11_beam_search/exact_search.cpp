#include "chapters/11_beam_search/exact_search.hpp"

#include <algorithm>
#include <utility>

#include "chapters/11_beam_search/plain_beam_search.hpp"
#include "lib/core/index.hpp"

namespace tbt {

namespace {

class ExactSearch {
public:
    ExactSearch(NextLogits model, const BeamRequest& request, std::span<const int> prompt,
                double at_least, long most_expanded)
        : model_(std::move(model)),
          request_(request),
          ids_(prompt.begin(), prompt.end()),
          prompt_length_(prompt.size()),
          most_expanded_(most_expanded) {
        check_beams(request, prompt.size());
        limit_ = std::min(index(request.stop.max_new_tokens),
                          index(request.stop.context) - prompt.size());
        best_.score = at_least;
    }

    ExactText run() {
        extend(0, TextStream(request_.stop.strings));
        return best_;
    }

private:
    double bound(double sum, std::size_t n) const {
        const double alpha = request_.beams.length_penalty;
        return length_normalised(sum, alpha > 0 ? limit_ : n, alpha);
    }

    // The continuations that can still win, the most probable first, with their sums.
    std::vector<std::pair<double, int>> promising(double sum, std::size_t n) {
        const std::span<const float> logits = model_(ids_);
        Candidates c(logits);
        double log_sum = static_cast<double>(c.largest()) + c.log_sum();
        std::vector<float> row(logits.begin(), logits.end());
        if (request_.processor) {
            for (float& s : row) s = static_cast<float>(static_cast<double>(s) - log_sum);
            request_.processor(row, ids_);
            log_sum = 0;
        }
        std::vector<std::pair<double, int>> children;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const double log_probability = static_cast<double>(row[i]) - log_sum;
            if (log_probability > 0)
                throw Error("exact search: token " + std::to_string(i) +
                            " has a log-probability above 0, so no "
                            "branch can be cut; leave out the bias that raises it");
            const double child = sum + log_probability;
            if (bound(child, n) > best_.score) children.emplace_back(-child, to_int(i));
        }
        std::sort(children.begin(), children.end());
        return children;
    }

    void extend(double sum, const TextStream& stream) {
        if (best_.expanded >= most_expanded_) {
            best_.proven = false;
            return;
        }
        ++best_.expanded;
        const std::size_t n = ids_.size() - prompt_length_ + 1;
        for (const auto& [negative, id] : promising(sum, n)) {
            if (!(bound(-negative, n) > best_.score)) return;  // the rest is no better
            ids_.push_back(id);
            TextStream longer = stream;
            if (request_.bytes && !request_.stop.is_eos(id)) longer.push_token(request_.bytes(id));
            if (why_stop(request_.stop, id, longer, to_int(n), count(ids_))) finish(-negative, n);
            else extend(-negative, longer);
            ids_.pop_back();
        }
    }

    void finish(double sum, std::size_t n) {
        const double score = length_normalised(sum, n, request_.beams.length_penalty);
        if (!(score > best_.score)) return;
        best_.ids.assign(ids_.begin() + to_int(prompt_length_), ids_.end());
        best_.sum = sum, best_.score = score;
    }

    NextLogits model_;
    const BeamRequest& request_;
    std::vector<int> ids_;
    std::size_t prompt_length_, limit_ = 0;
    long most_expanded_;
    ExactText best_;
};

}  // namespace

ExactText exact_search(NextLogits model, const BeamRequest& request, std::span<const int> prompt,
                       double at_least, long most_expanded) {
    return ExactSearch(std::move(model), request, prompt, at_least, most_expanded).run();
}

}  // namespace tbt
