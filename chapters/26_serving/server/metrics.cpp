#include "chapters/26_serving/server/metrics.hpp"

#include "lib/show/short_number.hpp"

namespace tbt {

void Seconds::add(double seconds) {
    std::size_t bucket = 0;
    while (bucket < bounds.size() && seconds > bounds[bucket]) ++bucket;
    const std::lock_guard lock(mutex_);
    ++counts_[bucket];
    sum_ += seconds;
}

std::string Seconds::lines(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    std::string text = "# TYPE " + name + " histogram\n";
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

std::string Metrics::prometheus(const std::string& model) const {
    std::string text;
    const auto line = [&](const char* kind, const std::string& name, std::size_t value) {
        text += "# TYPE tbt_" + name + " " + kind + "\ntbt_" + name + "{model=\"" + model + "\"} " +
                std::to_string(value) + "\n";
    };
    line("gauge", "texts_running", running), line("gauge", "texts_waiting", waiting);
    line("gauge", "cache_pages", pages), line("counter", "preemptions_total", preemptions);
    line("counter", "prompt_tokens_total", prompt_tokens);
    line("counter", "cached_tokens_total", cached_tokens);
    line("counter", "generated_tokens_total", generated_tokens);
    line("counter", "passes_total", passes), line("counter", "pass_tokens_total", pass_tokens);
    line("counter", "requests_cancelled_total", cancelled);
    text += passes_.lines("tbt_pass_seconds") + first_tokens_.lines("tbt_first_token_seconds") +
            requests_.lines("tbt_request_seconds") + "# TYPE tbt_requests_total counter\n";
    const std::lock_guard lock(mutex_);
    for (const auto& [answer, times] : answers_)
        text += "tbt_requests_total{endpoint=\"" + answer.first + "\",status=\"" +
                std::to_string(answer.second) + "\"} " + std::to_string(times) + "\n";
    return text;
}

}  // namespace tbt
