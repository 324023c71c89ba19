// The one thread that owns the model, and what it counts. All others hand it jobs and wait for
// their outboxes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "chapters/26_serving/engine.hpp"
#include "chapters/26_serving/server/job.hpp"
#include "chapters/26_serving/server/settings.hpp"
#include "lib/serve/prefix_cache.hpp"

namespace tbt {

// A histogram of seconds, with Prometheus' cumulative buckets.
class Seconds {
public:
    void add(double seconds);
    std::string lines(const std::string& name, const std::string& help) const;

private:
    static constexpr std::array<double, 12> bounds = {.001, .0025, .005, .01, .025, .05,
                                                      .1,   .25,   .5,   1,   2.5,  10};
    mutable std::mutex mutex_;
    std::array<long, bounds.size() + 1> counts_{};
    double sum_ = 0;
};

// What the server is doing and has done, for Prometheus and for the page.
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

class EngineThread {
public:
    // pages: of keys and values, of texts that run and of what is remembered. The others must
    // outlive it.
    EngineThread(TextGenerator& generator, const ServerSettings& settings, int pages,
                 Metrics& metrics);
    ~EngineThread();
    EngineThread(const EngineThread&) = delete;

    // The place of a request that waits, while its body is read and its form compiled: as long as
    // the result lives. Throws ApiError 429 when too many wait.
    std::shared_ptr<void> place();
    // A job is of use as long as the result lives, that is, as its client is there: then its texts
    // end before the next pass, if they have not ended. Throws ApiError 503 while it drains.
    std::shared_ptr<void> submit(const std::shared_ptr<ServerJob>& job);
    // From now on nothing is taken; waits until all jobs have ended, so long at most.
    // Whether they did.
    bool drain(std::chrono::milliseconds longest);
    // Ends all texts, as interrupted; nothing is taken any more.
    void stop();

private:
    struct Active {
        std::shared_ptr<ServerJob> job;
        std::vector<int> ids;            // of the engine, −1 once it has ended
        std::vector<std::size_t> shown;  // tokens of each text whose log-probabilities were sent
        std::size_t left = 0;            // texts that run or wait
        int client = 0;                  // of the engine
        bool begun = false;              // one of them has begun
    };

    void run();
    // Whatever has come meanwhile, then one pass of the engine.
    void turn();
    GenerateRequest request_for(const ServerJob& job);
    void start(const std::shared_ptr<ServerJob>& job);
    void add_texts(Active& active, const GenerateRequest& request);
    void tell(Active& active, std::size_t text, const std::string& piece, const TextWriter& writer);
    void collect();
    void end_text(Active& active, std::size_t text, ServedText ended, int status = 422);
    void drop(Active& active);
    void fail_all(const std::string& why);
    void read_prompts(const std::shared_ptr<ServerJob>& job);
    // A search, or another generation that needs passes of its own. The engine's texts go on
    // between them.
    void run_own(const std::shared_ptr<ServerJob>& job);
    void done();  // a job has ended

    TextGenerator* generator_;
    const ServerSettings* settings_;
    Metrics* metrics_;
    PrefixCache cache_;
    CachedBatch batch_;
    Engine engine_;
    std::list<Active> active_;
    std::deque<std::shared_ptr<ServerJob>> own_;  // wait for passes of their own
    int next_client_ = 0;

    std::mutex mutex_;  // of what follows
    std::condition_variable wake_, drained_;
    std::deque<std::shared_ptr<ServerJob>> arrived_;
    std::size_t reading_ = 0;       // requests that have a place, and are not handed in
    std::size_t waiting_jobs_ = 0;  // that arrived earlier, and of which no text has begun
    bool left_ = false;             // some job was cancelled
    int jobs_ = 0;                  // handed in, and not ended
    bool draining_ = false, stop_ = false;

    std::thread thread_;  // last: it uses all the others
};

}  // namespace tbt
