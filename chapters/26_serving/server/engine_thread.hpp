// The one thread that owns the model. All others hand it jobs and wait for their outboxes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "chapters/26_serving/engine.hpp"
#include "chapters/26_serving/server/job.hpp"
#include "chapters/26_serving/server/metrics.hpp"
#include "lib/serve/prefix_cache.hpp"

namespace tbt {

struct ServingLimits {
    int running = 16;      // texts at a time
    int waiting = 64;      // texts that wait, beyond which a request is refused
    int batch_tokens = 0;  // tokens that a pass reads; 0: prompts whole
    int pages = 0;         // of keys and values, of texts that run and of what is remembered
};

class EngineThread {
public:
    // generator and metrics must outlive it.
    EngineThread(TextGenerator& generator, ServingLimits limits, Metrics& metrics);
    ~EngineThread();
    EngineThread(const EngineThread&) = delete;

    // Throws ApiError 429 when too many wait, 503 while it drains.
    void submit(const std::shared_ptr<ServerJob>& job);
    // Its texts end before the next pass. Nothing if it has ended.
    void cancel(const std::shared_ptr<ServerJob>& job);
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
    };

    void run();
    // Whatever has come meanwhile, then one pass of the engine.
    void turn();
    void start(const std::shared_ptr<ServerJob>& job);
    void add_texts(Active& active, const GenerateRequest& request);
    void tell(Active& active, std::size_t text, const std::string& piece, const TextWriter& writer);
    void collect();
    void end_text(Active& active, std::size_t text, ServedText ended);
    void drop(Active& active);
    void fail_all(const std::string& why);
    // A search, or another generation that needs passes of its own. The engine's texts go on
    // between them.
    void run_own(const std::shared_ptr<ServerJob>& job);
    void done(const std::shared_ptr<ServerJob>& job);
    bool has_work() const { return !active_.empty() || !own_.empty(); }

    TextGenerator* generator_;
    ServingLimits limits_;
    Metrics* metrics_;
    PrefixCache cache_;
    CachedBatch batch_;
    Engine engine_;
    std::list<Active> active_;
    std::deque<std::shared_ptr<ServerJob>> own_;  // wait for passes of their own

    std::mutex mutex_;  // of what follows
    std::condition_variable wake_, drained_;
    std::deque<std::shared_ptr<ServerJob>> arrived_;
    std::size_t arrived_texts_ = 0;
    bool left_ = false;  // some job was cancelled
    int jobs_ = 0;       // handed in, and not ended
    bool draining_ = false, stop_ = false;

    std::thread thread_;  // last: it uses all the others
};

}  // namespace tbt
