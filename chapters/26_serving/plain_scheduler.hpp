// Which requests take part in the next forward pass, and how many tokens of each are read.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt {

// One request's part of a pass: so many of its tokens are read, in this slot.
struct Share {
    int id = 0;
    std::size_t slot = 0;
    int tokens = 1;
    bool writes = true;  // a token is chosen afterwards; false: its prompt is not read yet
};

// Requests wait, run in a slot, and finish. budget: the most tokens a pass reads, unless prompts
// are read whole (0). in_batches: slots are filled only when all are free.
class PlainScheduler {
public:
    explicit PlainScheduler(int slots, int budget = 0, bool in_batches = false)
        : budget_(budget), in_batches_(in_batches) {
        check_at_least("scheduler: slots", slots, 1);
        // While one text reads its prompt, all others may write: one token is left for it.
        if (budget != 0) check_at_least("scheduler: tokens for each pass", budget, slots);
        for (int s = slots; s-- > 0;) free_.push_back(static_cast<std::size_t>(s));
    }
    void add(int id, int prompt, int client = -1) {  // client: who asks; −1: somebody else
        waiting_.push_back({id, client, std::max(prompt, 1)});
        take_turns();
    }
    void finish(int id) {  // or cancel, wherever it is
        std::erase_if(waiting_, [&](const Request& r) { return r.id == id; });
        for (const Request& r : running_)
            if (r.id == id) free_.push_back(r.slot);
        std::erase_if(running_, [&](const Request& r) { return r.id == id; });
        take_turns();
    }
    // A request that runs waits again, before all others; so many tokens are to be read then.
    void preempt(int id, int tokens) {
        const int client = std::ranges::find(running_, id, &Request::id)->client;
        finish(id);
        waiting_.push_front({id, client, std::max(tokens, 1)});
        take_turns();
    }
    // begins: asked before a request takes a slot. How many of its tokens need not be read, all but
    // one at most; below 0: there is no room for it yet.
    std::vector<Share> next(const std::function<int(int id, std::size_t slot)>& begins = {}) {
        for (bool begin = !in_batches_ || running_.empty(); begin && !waiting_.empty();) {
            if (free_.empty()) break;
            const Request& first = waiting_.front();
            const int known = begins ? begins(first.id, free_.back()) : 0;
            if (known < 0) break;
            running_.push_back({first.id, first.client, first.unread - known, free_.back()});
            waiting_.pop_front(), free_.pop_back();
        }
        std::vector<Share> pass;  // those who write first, then prompts, the oldest first
        for (const Request& r : running_)
            if (r.unread == 0) pass.push_back({r.id, r.slot, 1, true});
        int left = budget_ - static_cast<int>(pass.size());
        for (Request& r : running_) {
            const int tokens = budget_ == 0 ? r.unread : std::min(r.unread, left);
            if (tokens < 1) continue;
            r.unread -= tokens, left -= tokens;
            pass.push_back({r.id, r.slot, tokens, r.unread == 0});
        }
        return pass;
    }
    std::size_t waiting() const { return waiting_.size(); }
    std::size_t running() const { return running_.size(); }
    // The one that began last. Some request must run.
    Share youngest() const { return {running_.back().id, running_.back().slot}; }
    // One that runs while another client's turn has come and no slot is free.
    std::optional<Share> out_of_turn() const {
        if (!free_.empty() || waiting_.empty()) return {};
        const Request& last = *std::ranges::max_element(running_, {}, &Request::turn);
        if (last.turn <= waiting_.front().turn) return {};
        return Share{last.id, last.slot};
    }
    std::optional<std::size_t> slot(int id) const {  // none: it does not run
        for (const Request& r : running_)
            if (r.id == id) return r.slot;
        return {};
    }

private:
    struct Request {
        int id, client, unread;  // tokens of its prompt
        std::size_t slot = 0;
        int turn = 0;
    };
    void take_turns() {  // the first requests of all clients, then their second ones, …
        std::map<int, int> requests;
        for (std::deque<Request>* all : {&running_, &waiting_})
            for (Request& r : *all) r.turn = r.client < 0 ? 0 : requests[r.client]++;
        std::ranges::stable_sort(waiting_, {}, &Request::turn);
    }
    std::deque<Request> waiting_, running_;  // those that run in the order in which they began
    std::vector<std::size_t> free_;
    int budget_;
    bool in_batches_;
};

}  // namespace tbt
