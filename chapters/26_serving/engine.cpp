#include "chapters/26_serving/engine.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

Engine::Engine(BatchLogits model, TokenBytes bytes, int vocab_size, PlainScheduler scheduler)
    : model_(std::move(model)),
      bytes_(std::move(bytes)),
      vocab_size_(vocab_size),
      scheduler_(std::move(scheduler)) {
    if (!model_ || !bytes_)
        throw Error("engine: no model, or no function for the bytes of tokens, was given");
}

Engine::Engine(CachedBatch* batch, TokenBytes bytes, int vocab_size, PlainScheduler scheduler)
    : Engine(batch ? BatchLogits(std::ref(*batch)) : BatchLogits(), std::move(bytes), vocab_size,
             std::move(scheduler)) {
    if (batch->cache()) batch_ = batch;
}

int Engine::add(std::vector<int> prompt, GenerateRequest request, int sample, OnText on_text,
                int client, FormWorker::Form form) {
    check_request(request, prompt.size());
    check_ids("engine: prompt", prompt, index(vocab_size_));
    check_ids("engine: begun", request.begun, index(vocab_size_));
    checked_place("engine: sample", sample, index(request.samples));
    check_fits(prompt.size(), request.stop);
    const int id = next_++;
    Text& text = *texts_
                      .emplace(id, std::make_unique<Text>(std::move(prompt), std::move(request),
                                                          sample, std::move(on_text)))
                      .first->second;
    text.form = form;
    text.writer.begin(bytes_);
    text.writer.window();
    const bool beside = slow_.contains(form) && !held_.contains(form);
    if (text.request.stop.max_new_tokens <= count(text.request.begun))
        text.show(text.writer.end(FinishReason::length));
    else if (!beside) guarded(text, [&] { skip_forced(text); });
    if (text.writer.done()) return id;
    scheduler_.add(id, count(text.writer.window()), client);
    if (beside) prepare(id);
    return id;
}

std::shared_ptr<void> Engine::hold(FormWorker::Form form) {
    if (form) worker_.wait_for(form), held_.insert(form);
    return {nullptr, [this, form](void*) { held_.erase(form); }};
}

void Engine::cancel(int text) {
    Text& t = known(text, "cancel");
    if (t.writer.done()) return;
    t.show(t.writer.end(FinishReason::interrupted));
    finish(text);
}

bool Engine::step() {
    constexpr std::chrono::milliseconds quick(2), patience(5);
    const std::size_t running = scheduler_.running();
    const std::vector<BatchText> batch = next_pass();
    if (batch.empty()) {
        const bool prepares =
            std::ranges::any_of(texts_, [](const auto& t) { return t.second->prepares; });
        if (prepares) worker_.wait(patience);
        return prepares || scheduler_.running() < running;  // some may have ended
    }
    const std::vector<std::span<const float>> rows = model_(batch);
    check_size("engine: logits from the model", rows.size(), batch.size());
    std::vector<int> slow;
    for (std::size_t i = 0; i < shares_.size(); ++i) {
        Text& text = *texts_.at(shares_[i].id);
        text.read = batch[i].ids.size();
        if (!shares_[i].writes) continue;  // the logits in the middle of a prompt
        const auto begin = std::chrono::steady_clock::now();
        const bool beside = slow_.contains(text.form) && !held_.contains(text.form);
        guarded(text, [&] {
            text.show(text.writer.step(rows[i], bytes_, scratch_));
            if (!beside) skip_forced(text);
        });
        if (text.form && std::chrono::steady_clock::now() - begin > quick) slow_.insert(text.form);
        if (text.writer.done()) finish(shares_[i].id);
        else if (beside) slow.push_back(shares_[i].id);
    }
    for (const int id : slow) prepare(id);  // only now: their forms were in use
    return true;
}

void Engine::prepare(int id) {
    Text& text = *texts_.at(id);
    text.prepares = true;
    const TextSoFar now = text.writer.so_far();
    // A copy, since the text may be cancelled meanwhile.
    worker_.add(text.form, id,
                [ids = std::vector<int>(now.ids.begin(), now.ids.end()), length = now.prompt_length,
                 forced = text.request.foresight.forced] {
                    forced({ids, length, {}});
                });
}

bool Engine::sits_out(const Share& share) {
    constexpr double most_seconds = 30;
    Text& text = *texts_.at(share.id);
    if (is_busy(text.form)) return share.writes;  // a prompt may be read on
    if (!text.prepares) return false;
    text.prepares = false;
    guarded(text, [&] {
        if (worker_.seconds(share.id) > most_seconds)
            throw Error("what the grammar allows takes too long to find out; make it simpler");
        if (text.request.traced_tokens >= 0) return;
        if (const int forced = text.writer.forced(); forced >= 0) {
            text.show(text.writer.step_forced(forced, bytes_));
            text.prepares = !text.writer.done();
        }
    });
    return text.prepares || text.writer.done();
}

// Takes those that sit out from the pass; those of a form that is in use from now on, too.
void Engine::drop_sitting_out() {
    std::vector<int> ended, forced;
    std::erase_if(shares_, [&](const Share& share) {
        const bool out = sits_out(share);
        const Text& text = *texts_.at(share.id);
        if (text.writer.done()) ended.push_back(share.id);
        else if (out && !is_busy(text.form)) forced.push_back(share.id);
        return out;
    });
    for (const int id : ended) finish(id);
    for (const int id : forced) prepare(id);
    std::erase_if(shares_, [&](const Share& share) {
        return share.writes && is_busy(texts_.at(share.id)->form);
    });
}

std::vector<BatchText> Engine::next_pass() {
    const auto plan = [&] {
        shares_ = batch_
                      ? scheduler_.next([&](int id, std::size_t slot) { return begins(id, slot); })
                      : scheduler_.next();
    };
    if (batch_)
        while (const std::optional<Share> share = scheduler_.out_of_turn()) preempt(*share);
    for (plan(); !shares_.empty();) {
        drop_sitting_out();
        if (shares_.empty()) break;
        std::vector<BatchText> batch;
        for (const Share& share : shares_) {
            Text& text = *texts_.at(share.id);
            const std::span<const int> window = text.writer.window();
            const std::size_t read = text.read + index(share.tokens);
            batch.push_back({share.slot,
                             share.writes ? window : window.first(read),
                             1,
                             {},
                             text.writer.longest()});
        }
        if (!batch_ || batch_->has_room(batch)) return batch;
        preempt(scheduler_.youngest());
        if (shares_.empty()) plan();
    }
    return {};
}

int Engine::begins(int id, std::size_t slot) {
    Text& text = *texts_.at(id);
    const std::span<const int> ids = text.writer.window();
    const int known = batch_->start({slot, ids, 1, {}, text.writer.longest()});
    // Whoever runs may need another page soon: a text that would have to leave again waits.
    const int pages = batch_->pages_to_take(slot, ids) + to_int(scheduler_.running());
    if (scheduler_.running() > 0 && !batch_->cache()->has_room(pages)) {
        batch_->drop(slot);
        return -1;
    }
    text.read = index(known);
    if (text.cached < 0) text.cached = std::min(known, count(text.prompt));
    return known;
}

void Engine::preempt(const Share& youngest) {
    if (scheduler_.running() == 1)
        throw Error("engine: the cache of " + std::to_string(batch_->cache()->limit()) +
                    " pages is full, and not by texts of this engine");
    scheduler_.preempt(youngest.id, count(texts_.at(youngest.id)->writer.window()));
    batch_->release(youngest.slot);
    std::erase_if(shares_, [&](const Share& share) { return share.id == youngest.id; });
    ++preemptions_;
}

void Engine::finish(int id) {
    if (batch_)
        if (const std::optional<std::size_t> slot = scheduler_.slot(id)) batch_->release(*slot);
    scheduler_.finish(id);
}

void Engine::check_fits(std::size_t prompt, const StopRules& stop) const {
    const int limit = batch_ ? batch_->cache()->limit() : 0;
    if (limit == 0) return;
    const int longest =
        std::min(longest_text(prompt, stop), batch_->cache()->model().config().n_positions);
    // One more, to copy a page that is known in part.
    const int pages = KvCache::block_count(longest) + 1;
    if (pages > limit)
        throw Error("engine: a text of up to " + std::to_string(longest) + " tokens needs " +
                    std::to_string(pages) + " pages, and the cache has " + std::to_string(limit) +
                    "; ask for fewer tokens, or give it more memory");
}

ServedText Engine::take(int text) {
    Text& t = known(text, "take");
    ServedText ended{t.writer.result(), t.error, std::max(t.cached, 0)};
    worker_.forget(text);
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
