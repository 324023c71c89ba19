// The complete generator: a chain (chapters 03 to 08), rules for stopping (09)
// and a batch of texts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/06_combining/chain.hpp"
#include "chapters/06_combining/trace.hpp"
#include "chapters/09_stopping/stopping.hpp"
#include "chapters/10_generate/batch.hpp"
#include "lib/error.hpp"
#include "lib/kernels/rng.hpp"

namespace tbt {

// The bytes of a token; none for those that are no text.
using TokenBytes = std::function<std::string_view(int id)>;

struct GenerateRequest {
    Chain chain;  // temperature 0 in it: greedy
    StopRules stop;
    int keep = 0;  // tokens kept when the context slides; 0: half of it
    int samples = 1;
    std::uint64_t seed = 0;
    std::uint64_t first_stream = 0;  // sample i draws from stream first_stream + i of the seed
    int traced_tokens = -1;  // traces with that many of the model's first choices; −1: no traces
};

struct GeneratedText {
    std::vector<int> ids;  // generated, EOS included
    std::string text;      // valid UTF-8, without EOS and the stop string
    FinishReason reason = FinishReason::length;
    int stop_string = -1;       // index into the request's
    std::vector<Trace> traces;  // one for each id, on request
};

// Told while the texts are written. Each function may be empty.
struct GenerateObserver {
    std::function<void(std::size_t sample, const std::string& piece)>
        on_text;  // the pieces join to the text
    std::function<void(std::size_t sample, const Trace& trace)> on_trace;
    std::function<bool()> go_on;  // false: every text ends here
};

// One text under way.
class TextWriter {
public:
    TextWriter(const GenerateRequest& request, std::span<const int> prompt, std::uint64_t sample)
        : request_(&request),
          ids_(prompt.begin(), prompt.end()),
          prompt_length_(prompt.size()),
          stream_(request.stop.strings),
          rng_(request.seed, request.first_stream + sample),
          window_(window_of(request)) {}

    // What the model is to read.
    std::span<const int> window() { return window_.view(ids_); }
    bool done() const { return reason_.has_value(); }

    // One step: pick, append, see whether the text is over. Returns the text that became certain.
    std::string step(std::span<const float> logits, const TokenBytes& bytes, Candidates& scratch) {
        const double u = rng_.uniform();
        const TextSoFar so_far{ids_, prompt_length_};
        const int id = request_->chain.pick(logits, so_far, u, scratch);
        if (request_->traced_tokens >= 0)
            traces_.push_back(
                trace(request_->chain, logits, so_far, u, id, request_->traced_tokens));
        ids_.push_back(id);
        std::string shown;
        if (!request_->stop.is_eos(id)) shown = stream_.push(bytes(id));
        const std::size_t generated = ids_.size() - prompt_length_;
        if (const auto why = why_stop(request_->stop, id, stream_, static_cast<int>(generated),
                                      static_cast<int>(ids_.size())))
            shown += end(*why);
        return shown;
    }

    // Ends the text; returns what was still held back.
    std::string end(FinishReason reason) {
        reason_ = reason;
        return stream_.finish();
    }

    const Trace* last_trace() const { return traces_.empty() ? nullptr : &traces_.back(); }

    GeneratedText result() {
        return {{ids_.begin() + static_cast<std::ptrdiff_t>(prompt_length_), ids_.end()},
                stream_.text(),
                *reason_,
                stream_.stop_string(),
                std::move(traces_)};
    }

private:
    static Window window_of(const GenerateRequest& request) {
        return {request.stop.context,
                request.keep > 0 ? request.keep : default_keep(request.stop.context)};
    }

    const GenerateRequest* request_;
    std::vector<int> ids_;
    std::size_t prompt_length_;
    TextStream stream_;
    Rng rng_;
    Window window_;
    std::optional<FinishReason> reason_;
    std::vector<Trace> traces_;
};

inline void check_request(const GenerateRequest& request, std::size_t prompt_length) {
    if (request.samples < 1)
        throw UsageError("num-return-sequences: got " + std::to_string(request.samples) +
                         ", expected 1 or more");
    if (prompt_length == 0)
        throw Error("generate: an empty prompt; start from the document separator");
    if (request.stop.policy == ContextPolicy::refuse &&
        prompt_length >= static_cast<std::size_t>(request.stop.context)) {
        throw Error("generate: the prompt's " + std::to_string(prompt_length) +
                    " tokens fill the context of " + std::to_string(request.stop.context) +
                    "; shorten it, or let the context slide");
    }
}

// Writes `samples` continuations of the prompt. Sample i is the same text however many are asked
// for: it has its own random numbers, and its logits don't depend on who else is in the batch.
inline std::vector<GeneratedText> generate_texts(const BatchLogits& model, const TokenBytes& bytes,
                                                 std::span<const int> prompt,
                                                 const GenerateRequest& request,
                                                 const GenerateObserver& observer = {}) {
    check_request(request, prompt.size());
    std::vector<TextWriter> writers;
    for (int i = 0; i < request.samples; ++i)
        writers.emplace_back(request, prompt, static_cast<std::uint64_t>(i));

    Candidates scratch;
    const auto show = [&](std::size_t i, const std::string& piece) {
        if (observer.on_text && !piece.empty()) observer.on_text(i, piece);
    };
    const auto step = [&](std::size_t i, std::span<const float> logits) {
        const std::string piece = writers[i].step(logits, bytes, scratch);
        if (observer.on_trace && writers[i].last_trace())
            observer.on_trace(i, *writers[i].last_trace());
        show(i, piece);
    };
    const auto interrupted = [&] { return observer.go_on && !observer.go_on(); };

    if (request.stop.max_new_tokens < 1) {
        for (TextWriter& writer : writers) writer.end(FinishReason::length);
    } else if (!interrupted()) {
        // 1. The prompt is read once; every sample's first token is drawn from the same logits.
        for (TextWriter& writer : writers) writer.window();
        const BatchText first{0, writers[0].window()};
        const std::span<const float> logits = model({&first, 1})[0];
        for (std::size_t i = 0; i < writers.size(); ++i) step(i, logits);
    }
    // 2. From then on one pass a step over those that still run.
    std::vector<BatchText> running;
    for (;;) {
        running.clear();
        for (std::size_t i = 0; i < writers.size(); ++i) {
            if (!writers[i].done()) running.push_back({i, writers[i].window()});
        }
        if (running.empty()) break;
        if (interrupted()) {
            for (const BatchText& text : running)
                show(text.slot, writers[text.slot].end(FinishReason::interrupted));
            break;
        }
        const std::vector<std::span<const float>> rows = model(running);
        for (std::size_t i = 0; i < rows.size(); ++i) step(running[i].slot, rows[i]);
    }
    std::vector<GeneratedText> texts;
    for (TextWriter& writer : writers) texts.push_back(writer.result());
    return texts;
}

}  // namespace tbt
