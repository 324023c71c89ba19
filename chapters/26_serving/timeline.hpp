// What a scheduler decides for a list of requests, without a model: who holds which slot when.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "chapters/26_serving/plain_scheduler.hpp"

namespace tbt {

// A request as a scheduler sees it.
struct Job {
    int prompt = 1;   // tokens to read
    int tokens = 1;   // tokens to write, 1 or more
    int arrives = 0;  // before this pass, counted from 0
};

// The passes of a run. A job's number is its place in the list; it is drawn as A, B, C …
struct Timeline {
    int slots = 1;
    std::vector<std::vector<Share>> passes;

    int read_in(std::size_t pass) const;  // tokens of one pass
    int longest() const;                  // tokens of the largest pass
    double busy() const;                  // share of slots that are held, over all passes
    int first_token(int job) const;       // the pass that gives it; −1: none
    int read_until(int job) const;        // tokens of all passes up to that one
    // A line for each slot: the job's letter, large where its prompt is read, "." where it is free.
    std::vector<std::string> rows() const;
};

// Runs the scheduler over the jobs. Each token costs a pass; the pass that reads the end of a
// prompt gives the first one. Throws UsageError on a job that reads or writes nothing.
Timeline simulate(std::span<const Job> jobs, PlainScheduler scheduler, int slots);

}  // namespace tbt
