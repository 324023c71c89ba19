#include "chapters/26_serving/server/engine_thread.hpp"

#include <algorithm>
#include <utility>

#include "chapters/10_generate/options.hpp"
#include "chapters/26_serving/server/body_options.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

void Seconds::add(double seconds) {
    std::size_t bucket = 0;
    while (bucket < bounds.size() && seconds > bounds[bucket]) ++bucket;
    const std::lock_guard lock(mutex_);
    ++counts_[bucket];
    sum_ += seconds;
}

std::string Seconds::lines(const std::string& name, const std::string& help) const {
    const std::lock_guard lock(mutex_);
    std::string text = "# HELP " + name + " " + help + "\n# TYPE " + name + " histogram\n";
    long sum = 0;
    for (std::size_t b = 0; b < counts_.size(); ++b) {
        sum += counts_[b];
        text += name + "_bucket{le=\"" + (b < bounds.size() ? short_number(bounds[b]) : "+Inf") +
                "\"} " + std::to_string(sum) + "\n";
    }
    return text + name + "_sum " + std::to_string(sum_) + "\n" + name + "_count " +
           std::to_string(sum) + "\n";
}

double Metrics::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void Metrics::pass(double seconds, const std::vector<Share>& shares) {
    ++passes;
    for (const Share& share : shares) pass_tokens += static_cast<std::size_t>(share.tokens);
    passes_.add(seconds);
}

void Metrics::first_token(std::chrono::steady_clock::time_point arrived) {
    first_tokens_.add(
        std::chrono::duration<double>(std::chrono::steady_clock::now() - arrived).count());
}

void Metrics::answered(const std::string& endpoint, int status, double seconds) {
    requests_.add(seconds);
    const std::lock_guard lock(mutex_);
    ++answers_[{endpoint, status}];
}

static std::string label(const std::string& text) {
    std::string escaped;
    for (const char c : text) {
        if (c == '\\' || c == '"') escaped += '\\';
        escaped += c == '\n' ? "\\n" : std::string(1, c);
    }
    return escaped;
}

std::string Metrics::prometheus(const std::string& model) const {
    std::string text;
    const auto line = [&](const std::string& name, std::size_t value, const char* help) {
        text += "# HELP tbt_" + name + " " + help + "\n# TYPE tbt_" + name +
                (name.ends_with("_total") ? " counter" : " gauge") + "\ntbt_" + name + "{model=\"" +
                label(model) + "\"} " + std::to_string(value) + "\n";
    };
    line("texts_running", running, "Texts that are being written.");
    line("texts_waiting", waiting, "Texts that wait for a slot.");
    line("cache_pages", pages, "Pages of keys and values in use, or remembered.");
    line("preemptions_total", preemptions, "Texts that had to make room, and were read again.");
    line("prompt_tokens_total", prompt_tokens, "Tokens of all prompts.");
    line("cached_tokens_total", cached_tokens, "Those of them that were known already.");
    line("generated_tokens_total", generated_tokens, "Tokens written.");
    line("passes_total", passes, "Forward passes.");
    line("pass_tokens_total", pass_tokens, "Tokens read in them.");
    line("requests_cancelled_total", cancelled, "Requests whose client went away.");
    text += passes_.lines("tbt_pass_seconds", "Length of a forward pass.") +
            first_tokens_.lines("tbt_first_token_seconds", "From a request to its first token.") +
            requests_.lines("tbt_request_seconds", "From a request to the end of its answer.") +
            "# HELP tbt_requests_total Requests by endpoint and status.\n"
            "# TYPE tbt_requests_total counter\n";
    const std::lock_guard lock(mutex_);
    for (const auto& [answer, times] : answers_)
        text += "tbt_requests_total{endpoint=\"" + label(answer.first) + "\",status=\"" +
                std::to_string(answer.second) + "\"} " + std::to_string(times) + "\n";
    return text;
}

static const char* const stopped_early = "the server stopped before this text was complete";

EngineThread::EngineThread(TextGenerator& generator, const ServerSettings& settings, int pages,
                           Metrics& metrics)
    : generator_(&generator),
      settings_(&settings),
      metrics_(&metrics),
      cache_(generator.model().transformer, pages),
      batch_(cache_),
      engine_(&batch_, token_bytes_of(generator.model().tokenizer),
              generator.model().config().vocab_size,
              PlainScheduler(settings.max_running, settings.max_batch_tokens)),
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

std::shared_ptr<void> EngineThread::place() {
    const std::lock_guard lock(mutex_);
    const std::size_t waiting = reading_ + arrived_.size() + waiting_jobs_;
    if (waiting >= index(settings_->max_waiting))
        throw ApiError(429,
                       std::to_string(waiting) + " requests are waiting already, and at most " +
                           std::to_string(settings_->max_waiting) + " may; try again later",
                       "", "too_many_requests");
    ++reading_;
    return {nullptr, [this](void*) {
                const std::lock_guard again(mutex_);
                --reading_;
            }};
}

std::shared_ptr<void> EngineThread::submit(const std::shared_ptr<ServerJob>& job) {
    const std::lock_guard lock(mutex_);
    if (draining_) throw ApiError(503, "the server is shutting down; use another one");
    arrived_.push_back(job);
    ++jobs_;
    wake_.notify_all();
    return {nullptr, [this, job](void*) {
                job->cancelled = true;
                const std::lock_guard again(mutex_);
                left_ = true;
                wake_.notify_all();
            }};
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
            wake_.wait(lock, [&] {
                return stop_ || left_ || !arrived_.empty() || !active_.empty() || !own_.empty();
            });
            if (stop_) break;
        }
        turn();
        if (own_.empty()) continue;
        const std::shared_ptr<ServerJob> next = own_.front();
        own_.pop_front();
        if (!next->prompts_read && (next->embeds || next->prompt_logprobs >= 0)) read_prompts(next);
        else run_own(next);
    }
    fail_all(stopped_early);
}

void EngineThread::turn() {
    std::deque<std::shared_ptr<ServerJob>> arrived;
    bool left = false;
    {
        const std::lock_guard lock(mutex_);
        arrived.swap(arrived_);
        waiting_jobs_ += arrived.size();
        left = std::exchange(left_, false);
    }
    for (const std::shared_ptr<ServerJob>& job : arrived)
        if (job->language && engine_.is_busy(job->language.get())) {  // not yet
            const std::lock_guard lock(mutex_);
            arrived_.push_back(job);
        } else start(job);
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
    const std::lock_guard lock(mutex_);
    waiting_jobs_ = own_.size() + index(std::ranges::count(active_, false, &Active::begun));
}

// What the generator makes of a job. Where a form needs more tokens than the client wants, the text
// is cut off, as others do: it is written as if it had room.
GenerateRequest EngineThread::request_for(const ServerJob& job) {
    GenerateRequest request;
    try {
        request = generator_->request(job.options, job.prompts);
    } catch (const UsageError&) {
        throw;
    } catch (const Error&) {
        if (job.strict || !job.language || job.options.unlimited()) throw;
        TextOptions longer = job.options;
        longer.max_new_tokens = -1;
        request = generator_->request(longer, job.prompts);
        request.stop.max_new_tokens = job.options.max_new_tokens.value_or(200);
    }
    request.samples = job.samples;
    request.begun = job.begun;
    return request;
}

void EngineThread::start(const std::shared_ptr<ServerJob>& job) {
    const auto refuse = [&](const ApiError& error) {
        job->outbox.refuse(error);
        done();
    };
    try {
        if (job->cancelled) throw ApiError(499, "the client has disconnected");
        if (!job->prompts_read) {
            for (const std::vector<int>& prompt : job->prompts)
                metrics_->prompt_tokens += prompt.size();
            if (job->embeds || job->prompt_logprobs >= 0) return own_.push_back(job);
        }
        const GenerateRequest request = request_for(*job);
        if (needs_own_passes(job->options)) return own_.push_back(job);
        active_.push_back({job, {}, std::vector<std::size_t>(job->texts()), 0, next_client_++});
        add_texts(active_.back(), request);
    } catch (const ApiError& error) {
        refuse(error);
    } catch (const UsageError& error) {
        refuse(about_option(400, error.what(), job->most_name));
    } catch (
        const Error& error) {  // right in itself, and impossible: a form that takes more tokens
        refuse(about_option(422, error.what(), job->most_name));
    } catch (const std::exception& error) {
        refuse(ApiError(500, error.what()));
    }
}

void EngineThread::add_texts(Active& active, const GenerateRequest& request) {
    ServerJob& job = *active.job;
    try {
        for (const std::vector<int>& prompt : job.prompts)
            for (int s = 0; s < job.samples; ++s) {
                Engine::OnText news = [this, &active, text = active.ids.size()](
                                          const std::string& piece, const TextWriter& writer) {
                    if (!std::exchange(active.begun, true))
                        metrics_->first_token(active.job->arrived);
                    if (active.job->pieces) tell(active, text, piece, writer);
                };
                active.ids.push_back(-1);
                active.ids.back() = engine_.add(prompt, request, s, std::move(news), active.client,
                                                job.language.get());
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
        done();
    }
}

void EngineThread::end_text(Active& active, std::size_t text, ServedText ended, int status) {
    --active.left;
    metrics_->generated_tokens += ended.text.ids.size();
    metrics_->cached_tokens += index(ended.cached);
    Piece last{text, "", ended.text.ids.size(), {}};
    for (std::size_t i = active.shown[text]; i < ended.text.traces.size(); ++i)
        last.logprobs.push_back(logprob_of(ended.text.traces[i]));
    last.ended = std::move(ended);
    last.status = status;
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
            end_text(active, t, std::move(ended), 503);
        }
    collect();
    std::deque<std::shared_ptr<ServerJob>> rest(std::exchange(own_, {}));
    {
        const std::lock_guard lock(mutex_);
        rest.insert(rest.end(), arrived_.begin(), arrived_.end());
        arrived_.clear();
    }
    for (const std::shared_ptr<ServerJob>& job : rest) {
        job->outbox.refuse(ApiError(503, why));
        done();
    }
}

// Of each prompt, what the model says of its tokens, or its states. The engine's texts go on
// between chunks.
void EngineThread::read_prompts(const std::shared_ptr<ServerJob>& job) {
    constexpr std::size_t chunk = 32;
    Transformer& gpt = generator_->model().transformer;
    job->prompts_read = true;
    try {
        for (const std::vector<int>& prompt : job->prompts) {
            KvCache cache(gpt.config());
            std::vector<float> before;  // logits after the last token that was read
            auto& tokens = job->prompt_tokens.emplace_back();
            const std::size_t channels = index(gpt.config().n_embd);
            auto& state = job->states.emplace_back(job->embeds ? channels : 0);
            for (std::size_t at = 0; at < prompt.size(); at += chunk) {
                const std::span<const int> part =
                    std::span(prompt).subspan(at, std::min(chunk, prompt.size() - at));
                const Logits rows = gpt.forward_all(cache, part);
                for (std::size_t i = 0; i < part.size() && job->prompt_logprobs >= 0; ++i)
                    tokens.push_back(prompt_token(
                        part[i], i == 0 ? std::span<const float>(before) : rows.row(to_int(i) - 1),
                        job->prompt_logprobs));
                before.assign(rows.last().begin(), rows.last().end());
                for (std::size_t i = 0; i < rows.states.size() && job->embeds; ++i) {
                    double& sum = state[i % channels];
                    sum = rows.states[i] + (job->last_state ? 0 : sum);
                }
                turn();
                const std::lock_guard lock(mutex_);
                if (stop_) throw ApiError(503, "the server stopped before this was complete");
                if (job->cancelled) throw ApiError(499, "the client has disconnected");
            }
        }
    } catch (const ApiError& error) {
        job->outbox.refuse(error);
        return done();
    } catch (const std::exception& error) {
        job->outbox.refuse(ApiError(500, error.what()));
        return done();
    }
    if (!job->embeds) {  // in its turn: its form may be in use
        const std::lock_guard lock(mutex_);
        return arrived_.push_back(job);
    }
    job->outbox.close();
    done();
}

void EngineThread::run_own(const std::shared_ptr<ServerJob>& job) {
    const std::shared_ptr<void> held = engine_.hold(job->language.get());
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
    Active active{job, {}, std::vector<std::size_t>(job->texts()), job->texts(), 0};
    try {
        std::vector<GeneratedText> texts =
            generator_->generate_ids(job->prompts, job->options, observer);
        // A search may find fewer texts of a prompt than were asked for.
        std::vector<std::size_t> ended(job->prompts.size());
        for (GeneratedText& text : texts) {
            const std::size_t p = text.prompt;
            // One that was stopped on the way has no text to show.
            const bool stopped = text.reason == FinishReason::interrupted && !job->cancelled;
            end_text(active, p * index(job->samples) + ended[p]++,
                     {std::move(text), stopped ? stopped_early : "", 0}, 503);
        }
    } catch (const std::exception& error) {
        for (std::size_t t = 0; t < active.shown.size(); ++t)
            end_text(active, t, {{}, about_option(422, error.what(), job->most_name).what(), 0});
    }
    if (job->cancelled) ++metrics_->cancelled;
    job->outbox.close();
    done();
}

void EngineThread::done() {
    const std::lock_guard lock(mutex_);
    if (--jobs_ == 0) drained_.notify_all();
}

}  // namespace tbt
