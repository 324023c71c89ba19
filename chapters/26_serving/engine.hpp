// Continuous batching: texts join and leave between two forward passes of one model.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/26_serving/form_worker.hpp"
#include "chapters/26_serving/plain_scheduler.hpp"

namespace tbt {

// A text that has ended. Where something failed that only it asked for, error says what.
struct ServedText {
    GeneratedText text;
    std::string error;
    int cached = 0;  // tokens of its prompt that were known when it began
};

// A text is the one that generate_texts writes for its prompt, request and sample alone, bit for
// bit: logits do not depend on who else is in the batch or how a prompt is divided, and each text
// has its own random numbers. Guesses (request.foresight.guess) are not asked for: they change no
// text, and a full batch leaves no arithmetic to spend on them.
//
// A text that is held to a form (a grammar) whose masks take long sits passes out until its mask is
// there, and no pass waits for it. Which passes a text takes part in changes none of its bits.
//
// With a batch that has a cache for everyone (chapter 27), a text starts after what is known of its
// prompt. When the cache is full, the youngest text is preempted: it waits, and is read again.
class Engine {
public:
    // model: a batch with a slot for each text that runs (CachedBatch). Throws Error where model or
    // bytes are empty.
    Engine(BatchLogits model, TokenBytes bytes, int vocab_size, PlainScheduler scheduler);
    // The same; the batch must outlive it, and no other user may fill the batch's slots.
    Engine(CachedBatch* batch, TokenBytes bytes, int vocab_size, PlainScheduler scheduler);

    // Told each piece of a text, once its tokens are known.
    using OnText = std::function<void(const std::string& piece, const TextWriter& text)>;

    // A text to write: sample `sample` of the request. Its number. on_text gets each piece. client:
    // who asks; where slots are few, clients take turns. form: what the text is held to.
    // Throws Error on what check_request refuses, on ids outside the vocabulary, and on a text that
    // the cache alone could not hold.
    int add(std::vector<int> prompt, GenerateRequest request, int sample = 0, OnText on_text = {},
            int client = -1, FormWorker::Form form = nullptr);
    // Is it in use by another thread? While what hold() gives lives, it is not.
    bool is_busy(FormWorker::Form form) const { return form && worker_.is_busy(form); }
    std::shared_ptr<void> hold(FormWorker::Form form);
    // Ends a text, wherever it is; it counts as interrupted. Nothing if it has ended.
    void cancel(int text);
    // One forward pass. False, and none: there is nothing to do.
    bool step();

    // A text that has ended; from then on it is not known here. Throws Error if it has not.
    ServedText take(int text);
    bool ended(int text) const;

    const PlainScheduler& scheduler() const { return scheduler_; }
    // What each slot did in the last pass.
    const std::vector<Share>& last_pass() const { return shares_; }
    long preemptions() const { return preemptions_; }  // since the beginning

private:
    struct Text {
        Text(std::vector<int> ids, GenerateRequest asked, int sample, OnText tell)
            : prompt(std::move(ids)),
              request(std::move(asked)),
              writer(request, prompt, index(sample)),
              on_text(std::move(tell)) {}

        std::vector<int> prompt;
        GenerateRequest request;
        TextWriter writer;
        OnText on_text;
        FormWorker::Form form = nullptr;
        bool prepares = false;  // what its form allows next is being found out
        std::size_t read = 0;   // tokens of the window, before the next one is written
        int cached = -1;        // tokens of the prompt that were known; −1: it has not begun
        std::string error;

        void show(const std::string& piece) const {
            if (on_text && !piece.empty()) on_text(piece, writer);
        }
    };

    // Runs what may fail for one text, and ends that text alone if it does.
    void guarded(Text& text, const std::function<void()>& work);
    // Tokens that a grammar leaves no choice about are written without the model (chapter 13).
    void skip_forced(Text& text);
    // The same where masks take long: finds out the next one beside the passes.
    void prepare(int id);
    bool sits_out(const Share& share);
    void drop_sitting_out();
    Text& known(int text, const char* who) const;
    // For the scheduler: may a text begin in this slot, and how much of it is known?
    int begins(int id, std::size_t slot);
    // The next pass, in shares_: as many texts as the cache has room for.
    std::vector<BatchText> next_pass();
    void preempt(const Share& youngest);
    void finish(int id);
    void check_fits(std::size_t prompt, const StopRules& stop) const;

    BatchLogits model_;
    CachedBatch* batch_ = nullptr;
    TokenBytes bytes_;
    int vocab_size_;
    PlainScheduler scheduler_;
    std::map<int, std::unique_ptr<Text>> texts_;
    std::vector<Share> shares_;
    Candidates scratch_;
    std::set<FormWorker::Form> slow_, held_;
    int next_ = 0;
    long preemptions_ = 0;
    FormWorker worker_;
};

}  // namespace tbt
