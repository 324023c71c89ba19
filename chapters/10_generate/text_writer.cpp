#include "chapters/10_generate/text_writer.hpp"

namespace tbt {

TextWriter::TextWriter(const GenerateRequest& request, std::span<const int> prompt,
                       std::uint64_t sample)
    : request_(&request),
      surprise_(request.chain.surprise()),
      ids_(prompt.begin(), prompt.end()),
      prompt_length_(prompt.size()),
      stream_(request.stop.strings),
      rng_(request.seed, request.first_stream + sample),
      window_(window_of(request)) {}

int TextWriter::forced() const {
    return request_->foresight.forced ? request_->foresight.forced(so_far()) : -1;
}

int TextWriter::room() {
    const auto generated = to_int(ids_.size() - prompt_length_);
    return std::min(request_->stop.max_new_tokens - generated - 1,
                    request_->stop.context - count(window()));
}

std::string TextWriter::step(std::span<const float> logits, const TokenBytes& bytes,
                             Candidates& scratch) {
    const double u = rng_.uniform();
    const int only = forced();
    const int id = only >= 0 ? only : request_->chain.pick(logits, so_far(), u, scratch);
    if (request_->traced_tokens >= 0)
        traces_.push_back(trace(request_->chain, logits, so_far(), u, id, request_->traced_tokens));
    if (surprise_ != Surprise::none) {
        // After pick() the candidates are those that the chain left. A forced token is no surprise.
        if (only < 0 && surprise_ == Surprise::raw) scratch.reset(logits);
        log_probabilities_.push_back(only >= 0 ? not_known
                                               : scratch.log_probability(position_of(scratch, id)));
    }
    return append(id, bytes);
}

std::string TextWriter::step_forced(int id, const TokenBytes& bytes) {
    static_cast<void>(rng_.uniform());
    if (surprise_ != Surprise::none) log_probabilities_.push_back(not_known);
    return append(id, bytes);
}

std::string TextWriter::end(FinishReason reason) {
    reason_ = reason;
    return stream_.finish();
}

GeneratedText TextWriter::result() {
    if (!reason_) throw Error("generate: this text has not ended, so it has no result yet");
    return {{ids_.begin() + to_int(prompt_length_), ids_.end()},
            stream_.text(),
            *reason_,
            stream_.stop_string(),
            std::move(traces_)};
}

Window TextWriter::window_of(const GenerateRequest& request) {
    return {request.stop.context,
            request.keep > 0 ? request.keep : default_keep(request.stop.context)};
}

std::string TextWriter::append(int id, const TokenBytes& bytes) {
    ids_.push_back(id);
    std::string shown;
    if (!request_->stop.is_eos(id)) shown = stream_.push(bytes(id));
    const std::size_t generated = ids_.size() - prompt_length_;
    if (const auto why = why_stop(request_->stop, id, stream_, to_int(generated), count(ids_)))
        shown += end(*why);
    else window();  // slides token by token, even if a pass has read several
    return shown;
}

}  // namespace tbt
