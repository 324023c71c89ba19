#include "chapters/26_serving/timeline.hpp"

#include <algorithm>
#include <map>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"

namespace tbt {

int Timeline::read_in(std::size_t pass) const {
    int tokens = 0;
    for (const Share& share : passes.at(pass)) tokens += share.tokens;
    return tokens;
}

int Timeline::longest() const {
    int most = 0;
    for (std::size_t p = 0; p < passes.size(); ++p) most = std::max(most, read_in(p));
    return most;
}

double Timeline::busy() const {
    std::size_t held = 0;
    for (const std::string& row : rows())
        held += index(std::count_if(row.begin(), row.end(), [](char c) { return c != '.'; }));
    return passes.empty()
               ? 0
               : static_cast<double>(held) / static_cast<double>(passes.size() * index(slots));
}

int Timeline::first_token(int job) const {
    for (std::size_t p = 0; p < passes.size(); ++p)
        for (const Share& share : passes[p])
            if (share.id == job && share.writes) return to_int(p);
    return -1;
}

int Timeline::read_until(int job) const {
    int tokens = 0;
    for (int p = 0; p <= first_token(job); ++p) tokens += read_in(index(p));
    return tokens;
}

std::vector<std::string> Timeline::rows() const {
    std::vector<std::string> rows(index(slots), std::string(passes.size(), '.'));
    // A job holds its slot from its first pass to its last, also while others fill a pass.
    struct Stay {
        std::size_t slot, first, last;
    };
    std::map<int, Stay> stays;
    for (std::size_t p = 0; p < passes.size(); ++p)
        for (const Share& share : passes[p])
            stays.try_emplace(share.id, Stay{share.slot, p, p}).first->second.last = p;
    for (const auto& [job, stay] : stays) {
        const int first = first_token(job);
        for (std::size_t p = stay.first; p <= stay.last; ++p)
            rows.at(stay.slot)[p] =
                static_cast<char>((first < 0 || to_int(p) <= first ? 'A' : 'a') + job % 26);
    }
    return rows;
}

Timeline simulate(std::span<const Job> jobs, PlainScheduler scheduler, int slots) {
    std::vector<int> left;
    int last_arrival = 0;
    for (const Job& job : jobs) {
        check_at_least("simulate: a job's prompt", job.prompt, 1);
        check_at_least("simulate: a job's tokens", job.tokens, 1);
        left.push_back(job.tokens);
        last_arrival = std::max(last_arrival, job.arrives);
    }
    Timeline timeline{slots, {}};
    for (int pass = 0;; ++pass) {
        for (std::size_t j = 0; j < jobs.size(); ++j)
            if (jobs[j].arrives == pass) scheduler.add(to_int(j), jobs[j].prompt);
        const std::vector<Share> shares = scheduler.next();
        if (shares.empty() && pass >= last_arrival) return timeline;
        timeline.passes.push_back(shares);
        for (const Share& share : shares)
            if (share.writes && --left[index(share.id)] == 0) scheduler.finish(share.id);
    }
}

}  // namespace tbt
