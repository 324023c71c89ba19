#include "chapters/10_generate/generate.hpp"

#include "lib/core/unicode.hpp"

namespace tbt {

TextWriter::TextWriter(const GenerateRequest& request, std::span<const int> prompt,
                       std::uint64_t sample)
    : request_(&request),
      surprise_(request.chain.surprise()),
      ids_(prompt.begin(), prompt.end()),
      prompt_length_(prompt.size()),
      stream_(request.stop.strings),
      rng_(request.seed, request.first_stream + sample),
      window_(request.window()) {}

void TextWriter::begin(const TokenBytes& bytes) {
    std::string begun;
    for (const int id : request_->begun) {
        rng_.next();  // as if the token had been drawn
        if (surprise_ != Surprise::none) log_probabilities_.push_back(not_known);
        ids_.push_back(id);
        const TokenText text = bytes(id);
        begun += text;
        begun_bytes_ += text.size();
        stream_.push_token(text);
        // A stop string that ends here was no end: somebody wants the text to go on after it.
        if (stream_.stopped()) stream_ = TextStream(request_->stop.strings), begun_bytes_ = 0;
    }
    if (find_invalid_utf8(begun) != std::string::npos)
        throw Error("generate: the tokens that a text begins with are no whole characters");
    old_bytes_ = begun_bytes_ - stream_.text().size();
}

// What begun tokens still held back is part of them.
std::string TextWriter::new_part(std::string piece) {
    const std::size_t old = std::min(old_bytes_, piece.size());
    old_bytes_ -= old;
    return piece.erase(0, old);
}

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
                                               : scratch.log_probability(scratch.position_of(id)));
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
    return new_part(stream_.finish());
}

GeneratedText TextWriter::result() {
    if (!reason_) throw Error("generate: this text has not ended, so it has no result yet");
    const std::string& text = stream_.text();
    return {{ids_.begin() + to_int(prompt_length_ + request_->begun.size()), ids_.end()},
            text.substr(std::min(begun_bytes_, text.size())),
            *reason_,
            stream_.stop_string(),
            std::move(traces_)};
}

std::string TextWriter::append(int id, const TokenBytes& bytes) {
    ids_.push_back(id);
    std::string shown;
    if (!request_->stop.is_eos(id)) shown = stream_.push_token(bytes(id));
    shown = new_part(std::move(shown));
    const std::size_t generated = ids_.size() - prompt_length_;
    if (const auto why = why_stop(request_->stop, id, stream_, to_int(generated), count(ids_)))
        shown += end(*why);
    else window();  // slides token by token, even if a pass has read several
    return shown;
}

void check_request(const GenerateRequest& request, std::size_t prompt_length) {
    if (request.samples < 1 || request.samples > to_int(CachedBatch::max_slots))
        throw UsageError("num-return-sequences: got " + std::to_string(request.samples) +
                         ", expected 1 or more, up to " + std::to_string(CachedBatch::max_slots));
    if (request.stop.context < 1)
        throw Error("generate: a context of " + std::to_string(request.stop.context) +
                    " tokens, expected 1 or more");
    if (prompt_length == 0)
        throw Error("generate: an empty prompt; start from the document separator");
    if (request.stop.policy == ContextPolicy::refuse &&
        prompt_length + request.begun.size() >= index(request.stop.context)) {
        throw Error("generate: the prompt's " +
                    std::to_string(prompt_length + request.begun.size()) +
                    " tokens fill the context of " + std::to_string(request.stop.context) +
                    "; shorten it, or let the context slide");
    }
}

namespace {

// The texts of a generation, which are generated together.
class TextBatch {
public:
    TextBatch(const BatchLogits& model, const TokenBytes& bytes,
              std::span<const std::vector<int>> prompts, const GenerateRequest& request,
              const GenerateObserver& observer)
        : model_(&model), bytes_(&bytes), request_(&request), observer_(&observer) {
        if (!model || !bytes)
            throw Error("generate: no model, or no function for the bytes of tokens, was given");
        for (const std::vector<int>& prompt : prompts) {
            check_request(request, prompt.size());
            for (int i = 0; i < request.samples; ++i)
                writers_.emplace_back(request, prompt, static_cast<std::uint64_t>(i));
        }
    }

    std::vector<GeneratedText> write() {
        for (TextWriter& writer : writers_) writer.begin(*bytes_);
        for (TextWriter& writer : writers_) writer.window();
        if (request_->stop.max_new_tokens <= count(request_->begun)) end_all(FinishReason::length);
        skip_forced();
        read_prompts();
        // Then each step is one pass over the texts that still run.
        while (!all_done()) {
            if (observer_->go_on && !observer_->go_on()) end_all(FinishReason::interrupted);
            else pass();
        }
        std::vector<GeneratedText> texts;
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            texts.push_back(writers_[i].result());
            texts.back().prompt = i / index(request_->samples);
        }
        return texts;
    }

private:
    // What the model reads of a text in a pass if there are guesses.
    struct Ahead {
        Guesses guesses;
        std::vector<int> ids, follows;
    };

    bool all_done() const {
        return std::all_of(writers_.begin(), writers_.end(),
                           [](const TextWriter& writer) { return writer.done(); });
    }

    void end_all(FinishReason reason) {
        for (std::size_t i = 0; i < writers_.size(); ++i)
            if (!writers_[i].done()) show(i, writers_[i].end(reason));
    }

    // Reads each prompt once; the first tokens of all its samples are drawn from the same logits.
    void read_prompts() {
        if (all_done()) return;
        if (observer_->go_on && !observer_->go_on()) return end_all(FinishReason::interrupted);
        const auto samples = index(request_->samples);
        std::vector<BatchText> texts;
        for (std::size_t i = 0; i < writers_.size(); i += samples)
            if (!writers_[i].done())
                texts.push_back({i, writers_[i].window(), 1, {}, writers_[i].longest()});
        const std::vector<std::span<const float>> rows = logits_of(texts, texts.size());
        for (std::size_t p = 0; p < texts.size(); ++p)
            for (std::size_t i = 0; i < samples; ++i) step(texts[p].slot + i, rows[p]);
        skip_forced();
    }

    // A text's window followed by the guesses; for a tree, also the row that each guess follows.
    BatchText with_guesses(std::size_t i, Ahead& ahead) {
        const std::span<const int> window = writers_[i].window();
        ahead.guesses = guess(i);
        const std::vector<int>& ids = ahead.guesses.ids;
        const int longest = writers_[i].longest();
        if (ids.empty()) return {i, window, 1, {}, longest};
        ahead.ids.assign(window.begin(), window.end());
        ahead.ids.insert(ahead.ids.end(), ids.begin(), ids.end());
        if (!ahead.guesses.parents.empty()) {
            ahead.follows = {-1};  // the text's last token, which is read in the same pass
            for (const int parent : ahead.guesses.parents) ahead.follows.push_back(parent + 1);
        }
        return {i, ahead.ids, ids.size() + 1, ahead.follows, longest};
    }

    // One pass over each running text and its guesses; then draws what really follows.
    void pass() {
        std::vector<Ahead> ahead(writers_.size());
        std::vector<BatchText> texts;
        std::size_t wanted = 0, row = 0;
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            if (writers_[i].done()) continue;
            texts.push_back(with_guesses(i, ahead[i]));
            wanted += texts.back().rows;
        }
        const std::vector<std::span<const float>> rows = logits_of(texts, wanted);
        for (const BatchText& text : texts) {
            take(text.slot, ahead[text.slot].guesses, std::span(rows).subspan(row, text.rows));
            row += text.rows;
        }
        skip_forced();
    }

    std::vector<std::span<const float>> logits_of(std::span<const BatchText> texts,
                                                  std::size_t wanted) {
        std::vector<std::span<const float>> rows = (*model_)(texts);
        check_size("generate: logits from the model", rows.size(), wanted);
        return rows;
    }

    Guesses guess(std::size_t i) {
        const int room = request_->foresight.guess ? writers_[i].room() : 0;
        if (room < 1) return {};
        return request_->foresight.guess(i, writers_[i].so_far(), writers_[i].random(), room);
    }

    // The first row has the logits after the text; each other row has those after a guess and is
    // used if that guess was drawn.
    void take(std::size_t i, const Guesses& guesses, std::span<const std::span<const float>> rows) {
        int at = -1, right = 0;
        for (;;) {
            step(i, rows[index(at + 1)]);
            at = guesses.child(at, writers_[i].last_token());
            if (at < 0) break;
            ++right;
            if (writers_[i].done()) break;
        }
        if (!guesses.empty() && request_->foresight.judged)
            request_->foresight.judged(i, count(guesses.ids), right);
    }

    void step(std::size_t i, std::span<const float> logits) {
        const std::string piece = writers_[i].step(logits, *bytes_, scratch_);
        if (observer_->on_trace && writers_[i].last_trace())
            observer_->on_trace(i, *writers_[i].last_trace());
        show(i, piece);
    }

    // Appends forced tokens without asking the model. Only a trace needs the model's logits there.
    void skip_forced() {
        if (!request_->foresight.forced || request_->traced_tokens >= 0) return;
        for (std::size_t i = 0; i < writers_.size(); ++i) {
            while (!writers_[i].done()) {
                const int id = writers_[i].forced();
                if (id < 0) break;
                show(i, writers_[i].step_forced(id, *bytes_));
            }
        }
    }

    void show(std::size_t i, const std::string& piece) {
        if (observer_->on_text && !piece.empty()) observer_->on_text(i, piece);
    }

    const BatchLogits* model_;
    const TokenBytes* bytes_;
    const GenerateRequest* request_;
    const GenerateObserver* observer_;
    std::vector<TextWriter> writers_;
    Candidates scratch_;
};

}  // namespace

std::vector<GeneratedText> generate_batch(const BatchLogits& model, const TokenBytes& bytes,
                                          std::span<const std::vector<int>> prompts,
                                          const GenerateRequest& request,
                                          const GenerateObserver& observer) {
    return TextBatch(model, bytes, prompts, request, observer).write();
}

std::vector<GeneratedText> generate_texts(const BatchLogits& model, const TokenBytes& bytes,
                                          std::span<const int> prompt,
                                          const GenerateRequest& request,
                                          const GenerateObserver& observer) {
    const std::vector<int> alone(prompt.begin(), prompt.end());
    return generate_batch(model, bytes, {&alone, 1}, request, observer);
}

}  // namespace tbt
