// The scheduler alone: what holds for every list of requests, by enumeration.
#include "tests/catch.hpp"

#include "chapters/26_serving/timeline.hpp"

using namespace tbt;

namespace {

// Every list of so many jobs whose prompts, tokens and arrivals are among these.
void all_lists(std::size_t jobs, std::vector<Job>& list,
               const std::function<void(const std::vector<Job>&)>& use) {
    if (list.size() == jobs) return use(list);
    for (const int prompt : {1, 5})
        for (const int tokens : {1, 3})
            for (const int arrives : {0, 2}) {
                list.push_back({prompt, tokens, arrives});
                all_lists(jobs, list, use);
                list.pop_back();
            }
}

struct Seen {
    int read = 0, written = 0, begins = -1;
    std::size_t slot = 0;
};

// The first rule that a timeline breaks; empty: none.
std::string broken(const std::vector<Job>& jobs, const Timeline& t, int budget, bool in_batches) {
    std::vector<Seen> seen(jobs.size());
    std::vector<int> begun;
    for (std::size_t p = 0; p < t.passes.size(); ++p) {
        std::set<std::size_t> slots;
        std::set<int> ids;
        for (const Share& share : t.passes[p]) {
            Seen& s = seen.at(index(share.id));
            const Job& job = jobs.at(index(share.id));
            if (share.tokens < 1) return "a share without tokens";
            if (!slots.insert(share.slot).second) return "a slot twice in a pass";
            if (!ids.insert(share.id).second) return "a request twice in a pass";
            if (share.slot >= index(t.slots)) return "a slot that is none";
            if (job.arrives > static_cast<int>(p)) return "a request before it arrives";
            if (s.begins < 0)
                s.begins = static_cast<int>(p), s.slot = share.slot, begun.push_back(share.id);
            if (s.slot != share.slot) return "a request moves to another slot";
            if (s.read < job.prompt) {
                s.read += share.tokens;
                if (s.read > job.prompt) return "more than the prompt is read";
                if (share.writes != (s.read == job.prompt))
                    return "a token before the prompt's end";
            } else if (share.tokens != 1 || !share.writes) {
                return "a text that writes takes another number than one";
            }
            s.written += share.writes;
        }
        if (budget > 0 && t.read_in(p) > budget) return "a pass above its budget";
        for (std::size_t j = 0; j < jobs.size(); ++j) {
            const Seen& s = seen[j];
            if (s.written > 0 && s.written < jobs[j].tokens && !ids.contains(static_cast<int>(j)))
                return "a text that writes waits";
            if (!in_batches && budget == 0 && s.begins < 0 &&
                jobs[j].arrives <= static_cast<int>(p) && ids.size() < index(t.slots))
                return "a request waits beside a free slot";
        }
        if (p > 0 && t.passes[p].empty() &&
            std::all_of(jobs.begin(), jobs.end(),
                        [&](const Job& j) { return j.arrives < static_cast<int>(p); }))
            return "a pass without work";
    }
    for (std::size_t j = 0; j < jobs.size(); ++j)
        if (seen[j].read != jobs[j].prompt || seen[j].written != jobs[j].tokens)
            return "a request that is not finished";
    const auto earlier = [&](int a, int b) {
        return jobs[index(a)].arrives < jobs[index(b)].arrives;
    };
    if (!std::is_sorted(begun.begin(), begun.end(), earlier)) return "a later request begins first";
    return "";
}

}  // namespace

TEST_CASE("every list of up to four small requests is served by the rules") {
    long lists = 0;
    for (std::size_t jobs = 1; jobs <= 4; ++jobs) {
        std::vector<Job> list;
        all_lists(jobs, list, [&](const std::vector<Job>& all) {
            for (const int slots : {1, 2, 3})
                for (const int budget : {0, slots, slots + 2})
                    for (const bool in_batches : {false, true}) {
                        const std::string why = broken(
                            all, simulate(all, PlainScheduler(slots, budget, in_batches), slots),
                            budget, in_batches);
                        if (!why.empty()) FAIL(why);
                        ++lists;
                    }
        });
    }
    REQUIRE(lists == 18 * (8 + 64 + 512 + 4096));
}

TEST_CASE("eight requests in two slots take 26 passes in whole batches, 19 continuously") {
    const std::vector<Job> eight = {{1, 3}, {1, 9}, {1, 2}, {1, 5}, {1, 8}, {1, 2}, {1, 4}, {1, 3}};
    const Timeline batches = simulate(eight, PlainScheduler(2, 0, true), 2);
    REQUIRE(batches.passes.size() == 9 + 5 + 8 + 4);
    REQUIRE(batches.busy() == 36.0 / 52);
    const Timeline continuous = simulate(eight, PlainScheduler(2), 2);
    REQUIRE(continuous.rows() ==
            std::vector<std::string>{"AaaCcDddddFfGgggHhh", "BbbbbbbbbEeeeeeee.."});
    REQUIRE(continuous.busy() == 36.0 / 38);
    REQUIRE(Timeline().busy() == 0);
}

TEST_CASE("a long prompt is read in chunks, and those who write take a token in each pass") {
    const std::vector<Job> jobs = {{2, 6}, {9, 2, 1}};
    const Timeline whole = simulate(jobs, PlainScheduler(2), 2);
    REQUIRE(whole.longest() == 10);
    const Timeline chunks = simulate(jobs, PlainScheduler(2, 4), 2);
    REQUIRE(chunks.rows() == std::vector<std::string>{"Aaaaaa", ".BBBb."});
    REQUIRE(chunks.longest() == 4);
    REQUIRE(chunks.first_token(1) == 3);
    REQUIRE(chunks.read_until(1) == 2 + 4 + 4 + 4);
}

TEST_CASE("a request that is cancelled leaves the queue, or its slot") {
    PlainScheduler scheduler(1);
    for (int id = 0; id < 3; ++id) scheduler.add(id, 4);
    REQUIRE(scheduler.next()[0].id == 0);
    scheduler.finish(1);  // it waits
    scheduler.finish(0);  // it runs
    REQUIRE(scheduler.waiting() == 1);
    REQUIRE(scheduler.running() == 0);
    REQUIRE(scheduler.next()[0].id == 2);
    scheduler.finish(7);  // nobody
    scheduler.finish(2);
    REQUIRE(scheduler.next().empty());
}

TEST_CASE("the youngest is preempted, waits before all others and is read again") {
    PlainScheduler scheduler(2);
    scheduler.add(0, 3), scheduler.add(1, 4), scheduler.add(2, 2);
    REQUIRE(scheduler.next().size() == 2);
    REQUIRE(scheduler.youngest().id == 1);
    REQUIRE(scheduler.youngest().slot == *scheduler.slot(1));
    scheduler.preempt(1, 6);
    REQUIRE_FALSE(scheduler.slot(1));
    REQUIRE(scheduler.waiting() == 2);
    // There is no room for it, and nobody overtakes it.
    REQUIRE(scheduler.next([](int, std::size_t) { return -1; }).size() == 1);
    // Then 4 of its 6 tokens are known, and 2 are read.
    std::vector<int> asked;
    const std::vector<Share> pass = scheduler.next([&](int id, std::size_t) {
        asked.push_back(id);
        return 4;
    });
    REQUIRE(asked == std::vector<int>{1});
    REQUIRE(pass.size() == 2);
    REQUIRE(pass[1].id == 1);
    REQUIRE(pass[1].tokens == 2);
    REQUIRE(pass[1].writes);
}

TEST_CASE("clients take turns, however many requests one of them has") {
    PlainScheduler scheduler(2);
    for (int id = 0; id < 4; ++id) scheduler.add(id, 1, 7);
    REQUIRE(scheduler.next().size() == 2);
    REQUIRE_FALSE(scheduler.out_of_turn());  // nobody else wants a slot
    scheduler.add(4, 1, 8), scheduler.add(5, 1, 8);
    REQUIRE(scheduler.out_of_turn()->id == 1);
    scheduler.preempt(1, 2);
    REQUIRE_FALSE(scheduler.out_of_turn());
    std::vector<int> begun;
    const auto begin = [&](int id, std::size_t) {
        begun.push_back(id);
        return 0;
    };
    scheduler.next(begin);
    for (const int ended : {0, 4, 1, 5}) scheduler.finish(ended), scheduler.next(begin);
    // In turns: a second request comes first only when the other client has one as well.
    REQUIRE(begun == std::vector<int>{4, 1, 5, 2, 3});
}

TEST_CASE("a scheduler needs a slot, and a token in each pass for every slot") {
    REQUIRE_THROWS_WITH(PlainScheduler(0), "scheduler: slots: got 0, expected 1 or more");
    REQUIRE_THROWS_WITH(PlainScheduler(4, 3),
                        "scheduler: tokens for each pass: got 3, expected 4 or more");
    const std::vector<Job> nothing = {{0, 1}};
    REQUIRE_THROWS_AS(simulate(nothing, PlainScheduler(1), 1), UsageError);
}
