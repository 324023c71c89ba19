// What the server is doing and has done, as numbers for Prometheus and for the page.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "chapters/26_serving/plain_scheduler.hpp"

namespace tbt {

// A histogram of seconds, with Prometheus' cumulative buckets.
class Seconds {
public:
    void add(double seconds);
    std::string lines(const std::string& name) const;

private:
    static constexpr std::array<double, 12> bounds = {.001, .0025, .005, .01, .025, .05,
                                                      .1,   .25,   .5,   1,   2.5,  10};
    mutable std::mutex mutex_;
    std::array<long, bounds.size() + 1> counts_{};
    double sum_ = 0;
};

class Metrics {
public:
    std::atomic<std::size_t> running = 0, waiting = 0, pages = 0, preemptions = 0;
    std::atomic<std::size_t> prompt_tokens = 0, generated_tokens = 0, cached_tokens = 0, passes = 0,
                             pass_tokens = 0, cancelled = 0;

    double seconds() const;  // since the server started
    void pass(double seconds, const std::vector<Share>& shares);
    void first_token(std::chrono::steady_clock::time_point arrived);
    void answered(const std::string& endpoint, int status, double seconds);

    std::string prometheus(const std::string& model) const;

private:
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    Seconds passes_, first_tokens_, requests_;
    mutable std::mutex mutex_;
    std::map<std::pair<std::string, int>, long> answers_;  // by endpoint and status
};

}  // namespace tbt
