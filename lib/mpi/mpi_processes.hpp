// Processes that MPI has started (mpirun, or a cluster's scheduler), on one machine or on many
// [Message Passing Interface Forum 2021, MPI 4.0].
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <vector>

#include "lib/model/processes.hpp"

namespace tbt {

class MpiProcesses final : public Processes {
public:
    // One object for a program, made first in main(). Processes other than the first write nothing
    // from now on: their texts are the same.
    MpiProcesses(int& argc, char**& argv);
    ~MpiProcesses() override;
    MpiProcesses(const MpiProcesses&) = delete;
    MpiProcesses& operator=(const MpiProcesses&) = delete;

    int rank() const override { return rank_; }
    int size() const override { return size_; }
    void gather(float* matrix, std::int64_t rows, std::int64_t stride,
                std::span<const std::int64_t> firsts) override;
    void scatter(float* block, std::span<const std::int64_t> firsts, int owner) override;
    bool first_says(bool answer) override;
    bool has_leader() const override { return has_leader_; }
    void send(std::span<const int> pass) override;
    void agree(std::uint64_t number, const char* about) override;

    // From now on the first process leads. The others call follow() and return when the first one
    // ends: they run each pass that receive() gives them.
    void lead() { has_leader_ = true; }
    void follow(const std::function<void(std::span<const int> pass)>& run);

    // Calls work() in each process. If it throws Error in some, every process throws that of the
    // first, with the number of the process if not all have the same.
    void together(const std::function<void()>& work);
    // Throws Error unless all processes see the same model: names, sizes and samples of its files.
    void check_same_model(const std::string& path);

    // What main() returns, given the status of its work. If only some processes have failed, which
    // the others would wait for, this ends all of them, with the message of one that has failed.
    int end(int status);

    // "4 processes: 31 % of 1.20 s in MPI, in 2345 gathers", with a line break.
    std::string summary() const;

private:
    template <class Call>
    void timed(Call&& call);
    void split(std::span<const std::int64_t> firsts);

    std::vector<int> counts_, places_;  // of the processes, in the latest exchange

    int rank_ = 0, size_ = 1;
    bool has_leader_ = false;
    std::FILE* kept_ = nullptr;  // what a process other than the first would have written to stderr
    int errors_ = 2;             // the real stderr
    double seconds_ = 0, started_ = 0;
    std::int64_t gathers_ = 0;
};

}  // namespace tbt
