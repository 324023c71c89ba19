// A check that runs beside the screen: `make check EX=…`, with all that it starts, in a process
// group of its own.
#pragma once

#include <sys/types.h>
#include <chrono>
#include <string>

namespace tbt::learn {

class Job {
public:
    Job() = default;
    ~Job() { stop(); }
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    // Starts the check of an exercise; one that runs is stopped first.
    void start(const std::string& number);
    void stop();
    bool running() const { return pid_ > 0; }
    double seconds() const;
    // Takes what it has printed; true when it has ended.
    bool ended();
    // What it printed, complete after ended().
    const std::string& output() const { return output_; }
    // To wait for with poll(); −1 when nothing runs.
    int handle() const { return pipe_; }

private:
    pid_t pid_ = -1;
    int pipe_ = -1;
    std::string output_;
    std::chrono::steady_clock::time_point started_;
};

}  // namespace tbt::learn
