// A request on its way through the engine: what is asked for, and an outbox for what comes of it.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/26_serving/engine.hpp"
#include "chapters/26_serving/server/body.hpp"

namespace tbt {

TokenLogprob logprob_of(const Trace& trace);

// News of one text.
struct Piece {
    std::size_t text = 0;  // its number in the request
    std::string piece;
    std::size_t tokens = 0;                // that it has now
    std::vector<TokenLogprob> logprobs;    // of those since the last news, if asked for
    std::optional<ServedText> ended = {};  // its end
    int status = 422;                      // of HTTP, where that says an error
};

// From the engine's thread to the one that writes to the client. The engine never waits for a slow
// reader: what is not read yet stays here, and a text is no longer than the model's context.
class Outbox {
public:
    void push(Piece piece);
    void refuse(const ApiError& error);  // instead of a start
    void close();                        // nothing more comes

    // Waits for news, and takes all there is; none: there is nothing more, or nobody is there to
    // read it. `there` is asked from time to time. What comes within 20 ms of the last news is
    // taken together: nobody reads faster, and waking a reader for each token of each text would
    // cost a fifth of the time of the processors that the model needs. Throws the ApiError of a
    // request that was refused.
    std::deque<Piece> news(const std::function<bool()>& there);
    bool complete();  // has everything come, and been read?

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Piece> pieces_;
    std::optional<ApiError> refused_;
    bool closed_ = false;
    bool pausing_ = false;  // the reader is not to be woken before the end
    std::chrono::steady_clock::time_point last_news_{};
};

struct ServerJob {
    TextOptions options;  // traces, if asked for
    int samples = 1;      // texts of each prompt; more than options.samples where all are the same
    std::vector<std::vector<int>> prompts;
    std::vector<int> begun;  // tokens that each text goes on from (GenerateRequest)
    std::shared_ptr<CompiledGrammar> language;  // compiled, and kept until the job is done
    bool pieces = false;                        // the client wants them as they come
    int prompt_logprobs = -1;                   // with so many first choices; −1: none

    Outbox outbox;
    std::vector<std::vector<TokenLogprob>> prompt_tokens;  // before the start
    bool embeds = false;      // nothing is written; the states are what is asked for
    bool last_state = false;  // of each prompt; otherwise their sum, both (C)
    std::vector<std::vector<double>> states;
    bool prompts_read = false;  // both of these are there
    std::atomic<bool> cancelled = false;
    std::chrono::steady_clock::time_point arrived = std::chrono::steady_clock::now();

    bool strict = false;    // a form that has no room is refused
    std::string most_name;  // what the client calls the most tokens of a text

    std::size_t texts() const { return prompts.size() * index(samples); }
};

}  // namespace tbt
