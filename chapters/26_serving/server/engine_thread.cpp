#include "chapters/26_serving/server/engine_thread.hpp"

#include <algorithm>
#include <utility>

#include "chapters/10_generate/options.hpp"
#include "chapters/26_serving/server/body_options.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

EngineThread::EngineThread(TextGenerator& generator, ServingLimits limits, Metrics& metrics)
    : generator_(&generator),
      limits_(limits),
      metrics_(&metrics),
      cache_(generator.model().transformer, limits.pages),
      batch_(cache_),
      engine_(&batch_, token_bytes_of(generator.model().tokenizer),
              generator.model().config().vocab_size,
              PlainScheduler(limits.running, limits.batch_tokens)),
      thread_([this] { run(); }) {}

EngineThread::~EngineThread() { stop(); }

void EngineThread::stop() {
    {
        const std::lock_guard lock(mutex_);
        draining_ = stop_ = true;
        wake_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
}

void EngineThread::submit(const std::shared_ptr<ServerJob>& job) {
    const std::lock_guard lock(mutex_);
    if (draining_) throw ApiError(503, "the server is shutting down; use another one");
    const std::size_t waiting = arrived_texts_ + metrics_->waiting.load();
    if (waiting >= index(limits_.waiting))
        throw ApiError(429,
                       std::to_string(waiting) + " texts are waiting already, and at most " +
                           std::to_string(limits_.waiting) + " may; try again later",
                       "", "too_many_requests");
    arrived_.push_back(job);
    arrived_texts_ += job->texts();
    ++jobs_;
    wake_.notify_all();
}

void EngineThread::cancel(const std::shared_ptr<ServerJob>& job) {
    job->cancelled = true;
    const std::lock_guard lock(mutex_);
    left_ = true;
    wake_.notify_all();
}

bool EngineThread::drain(std::chrono::milliseconds longest) {
    std::unique_lock lock(mutex_);
    draining_ = true;
    return drained_.wait_for(lock, longest, [&] { return jobs_ == 0; });
}

void EngineThread::run() {
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [&] { return stop_ || left_ || !arrived_.empty() || has_work(); });
            if (stop_) break;
        }
        turn();
        if (own_.empty()) continue;
        const std::shared_ptr<ServerJob> next = own_.front();
        own_.pop_front();
        run_own(next);
    }
    fail_all("the server stopped before this text was complete");
}

void EngineThread::turn() {
    std::deque<std::shared_ptr<ServerJob>> arrived;
    bool left = false;
    {
        const std::lock_guard lock(mutex_);
        arrived.swap(arrived_);
        arrived_texts_ = 0;
        left = std::exchange(left_, false);
    }
    for (const std::shared_ptr<ServerJob>& job : arrived) start(job);
    if (left)
        for (Active& active : active_)
            if (active.job->cancelled) drop(active);
    try {
        const double before = metrics_->seconds();
        if (engine_.step()) metrics_->pass(metrics_->seconds() - before, engine_.last_pass());
        collect();
    } catch (const std::exception& error) {  // too little memory, say: the next request may fit
        fail_all(error.what());
    }
    metrics_->running = engine_.scheduler().running();
    metrics_->preemptions = index(engine_.preemptions());
    metrics_->pages = index(cache_.used());
    metrics_->waiting = engine_.scheduler().waiting() + own_.size();
}

void EngineThread::start(const std::shared_ptr<ServerJob>& job) {
    try {
        if (job->cancelled) throw ApiError(499, "the client has disconnected");
        const GenerateRequest request = generator_->request(job->options, job->prompts);
        if (job->prompt_logprobs >= 0)
            for (const std::vector<int>& prompt : job->prompts)
                job->prompt_tokens.push_back(
                    generator_->prompt_logprobs(prompt, job->prompt_logprobs));
        for (const std::vector<int>& prompt : job->prompts)
            metrics_->prompt_tokens += prompt.size();
        if (needs_own_passes(job->options)) {
            own_.push_back(job);
            return job->outbox.started();
        }
        active_.push_back({job, {}, std::vector<std::size_t>(job->texts()), 0});
        add_texts(active_.back(), request);
        job->outbox.started();
    } catch (const ApiError& error) {
        job->outbox.refuse(error);
        done(job);
    } catch (const UsageError& error) {
        job->outbox.refuse(about_option(400, error.what()));
        done(job);
    } catch (
        const Error& error) {  // right in itself, and impossible: a form that takes more tokens
        job->outbox.refuse(about_option(422, error.what()));
        done(job);
    } catch (const std::exception& error) {
        job->outbox.refuse(ApiError(500, error.what()));
        done(job);
    }
}

void EngineThread::add_texts(Active& active, const GenerateRequest& request) {
    ServerJob& job = *active.job;
    try {
        for (const std::vector<int>& prompt : job.prompts)
            for (int s = 0; s < job.options.samples; ++s) {
                Engine::OnText news;
                if (job.pieces)
                    news = [this, &active, text = active.ids.size()](const std::string& piece,
                                                                     const TextWriter& writer) {
                        tell(active, text, piece, writer);
                    };
                active.ids.push_back(-1);
                active.ids.back() = engine_.add(prompt, request, s, std::move(news));
                ++active.left;
            }
    } catch (...) {
        for (const int id : active.ids)
            if (id >= 0) engine_.cancel(id), engine_.take(id);
        active_.pop_back();
        throw;
    }
}

void EngineThread::tell(Active& active, std::size_t text, const std::string& piece,
                        const TextWriter& writer) {
    Piece news{text, piece, writer.generated(), {}};
    std::size_t& shown = active.shown[text];
    for (; shown < writer.traces().size(); ++shown)
        news.logprobs.push_back(logprob_of(writer.traces()[shown]));
    if (writer.generated() == 1) metrics_->first_token(active.job->arrived);
    active.job->outbox.push(std::move(news));
}

void EngineThread::collect() {
    for (auto active = active_.begin(); active != active_.end();) {
        for (std::size_t t = 0; t < active->ids.size(); ++t) {
            int& id = active->ids[t];
            if (id < 0 || !engine_.ended(id)) continue;
            end_text(*active, t, engine_.take(std::exchange(id, -1)));
        }
        if (active->left > 0) {
            ++active;
            continue;
        }
        const std::shared_ptr<ServerJob> job = active->job;
        active = active_.erase(active);
        job->outbox.close();
        done(job);
    }
}

void EngineThread::end_text(Active& active, std::size_t text, ServedText ended) {
    --active.left;
    metrics_->generated_tokens += ended.text.ids.size();
    metrics_->cached_tokens += index(ended.cached);
    Piece last{text, "", ended.text.ids.size(), {}};
    for (std::size_t i = active.shown[text]; i < ended.text.traces.size(); ++i)
        last.logprobs.push_back(logprob_of(ended.text.traces[i]));
    last.ended = std::move(ended);
    active.job->outbox.push(std::move(last));
}

void EngineThread::drop(Active& active) {
    for (const int id : active.ids)
        if (id >= 0) engine_.cancel(id);  // collect() takes it
    ++metrics_->cancelled;
}

void EngineThread::fail_all(const std::string& why) {
    for (Active& active : active_)
        for (std::size_t t = 0; t < active.ids.size(); ++t) {
            if (active.ids[t] < 0) continue;
            engine_.cancel(active.ids[t]);
            ServedText ended = engine_.take(std::exchange(active.ids[t], -1));
            if (ended.text.reason == FinishReason::interrupted) ended.error = why;
            end_text(active, t, std::move(ended));
        }
    collect();
    std::deque<std::shared_ptr<ServerJob>> rest(std::exchange(own_, {}));
    {
        const std::lock_guard lock(mutex_);
        rest.insert(rest.end(), arrived_.begin(), arrived_.end());
        arrived_.clear();
        arrived_texts_ = 0;
    }
    for (const std::shared_ptr<ServerJob>& job : rest) {
        job->outbox.refuse(ApiError(503, why));
        done(job);
    }
}

void EngineThread::run_own(const std::shared_ptr<ServerJob>& job) {
    std::vector<std::size_t> pieces(job->texts());
    GenerateObserver observer;
    if (job->pieces)
        observer.on_text = [&](std::size_t text, const std::string& piece) {
            job->outbox.push({text, piece, ++pieces[text], {}});
        };
    observer.go_on = [&] {
        turn();
        const std::lock_guard lock(mutex_);
        return !job->cancelled && !stop_;
    };
    Active active{job, {}, std::vector<std::size_t>(job->texts()), job->texts()};
    try {
        std::vector<GeneratedText> texts =
            generator_->generate_ids(job->prompts, job->options, observer);
        for (std::size_t t = 0; t < texts.size(); ++t)
            end_text(active, t, {std::move(texts[t]), "", 0});
    } catch (const std::exception& error) {
        for (std::size_t t = 0; t < active.shown.size(); ++t)
            end_text(active, t, {{}, in_body_words(error.what()), 0});
    }
    if (job->cancelled) ++metrics_->cancelled;
    job->outbox.close();
    done(job);
}

void EngineThread::done(const std::shared_ptr<ServerJob>&) {
    const std::lock_guard lock(mutex_);
    if (--jobs_ == 0) drained_.notify_all();
}

}  // namespace tbt
