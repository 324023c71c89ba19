#include "chapters/26_serving/engine.hpp"

#include <utility>

#include "lib/check.hpp"
#include "lib/error.hpp"
#include "lib/index.hpp"

namespace tbt {

Engine::Engine(BatchLogits model, TokenBytes bytes, int vocab_size, PlainScheduler scheduler)
    : model_(std::move(model)),
      bytes_(std::move(bytes)),
      vocab_size_(vocab_size),
      scheduler_(std::move(scheduler)) {
    if (!model_ || !bytes_) throw Error("engine: there is no model, or nothing that spells tokens");
}

int Engine::add(std::vector<int> prompt, GenerateRequest request, int sample,
                std::function<void(const std::string& piece)> on_text) {
    check_request(request, prompt.size());
    check_ids("engine: prompt", prompt, index(vocab_size_));
    checked_place("engine: sample", sample, index(request.samples));
    const int id = next_++;
    Text& text = *texts_
                      .emplace(id, std::make_unique<Text>(std::move(prompt), std::move(request),
                                                          sample, std::move(on_text)))
                      .first->second;
    text.writer.window();
    if (text.request.stop.max_new_tokens < 1) text.show(text.writer.end(FinishReason::length));
    else guarded(text, [&] { skip_forced(text); });
    if (!text.writer.done()) scheduler_.add(id, count(text.writer.window()));
    return id;
}

void Engine::cancel(int text) {
    Text& t = known(text, "cancel");
    if (t.writer.done()) return;
    t.show(t.writer.end(FinishReason::interrupted));
    scheduler_.finish(text);
}

bool Engine::step() {
    shares_ = scheduler_.next();
    if (shares_.empty()) return false;
    std::vector<BatchText> batch;
    for (const Share& share : shares_) {
        Text& text = *texts_.at(share.id);
        text.read += index(share.tokens);
        const std::span<const int> window = text.writer.window();
        batch.push_back({share.slot, share.writes ? window : window.first(text.read)});
    }
    const std::vector<std::span<const float>> rows = model_(batch);
    check_size("engine: what the model gave", rows.size(), batch.size());
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        if (!shares_[i].writes) continue;  // the logits in the middle of a prompt
        Text& text = *texts_.at(shares_[i].id);
        guarded(text, [&] {
            text.show(text.writer.step(rows[i], bytes_, scratch_));
            skip_forced(text);
        });
        if (text.writer.done()) scheduler_.finish(shares_[i].id);
    }
    return true;
}

ServedText Engine::take(int text) {
    Text& t = known(text, "take");
    ServedText ended{t.writer.result(), t.error};
    texts_.erase(text);
    return ended;
}

bool Engine::ended(int text) const { return known(text, "ended").writer.done(); }

void Engine::guarded(Text& text, const std::function<void()>& work) {
    try {
        work();
    } catch (const Error& error) {
        text.error = error.what();
        if (!text.writer.done()) text.writer.end(FinishReason::interrupted);
    }
}

void Engine::skip_forced(Text& text) {
    if (!text.request.foresight.forced || text.request.traced_tokens >= 0) return;
    while (!text.writer.done()) {
        const int id = text.writer.forced();
        if (id < 0) break;
        text.show(text.writer.step_forced(id, bytes_));
    }
}

Engine::Text& Engine::known(int text, const char* who) const {
    const auto at = texts_.find(text);
    if (at == texts_.end())
        throw Error(std::string("engine: ") + who + ": there is no text " + std::to_string(text) +
                    "; it was taken, or never added");
    return *at->second;
}

}  // namespace tbt
