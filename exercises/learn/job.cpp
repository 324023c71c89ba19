#include "exercises/learn/job.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cstdlib>

#include "lib/core/error.hpp"

namespace tbt::learn {

void Job::start(const std::string& number) {
    stop();
    int ends[2];
    if (pipe(ends) != 0) throw Error("learn: no pipe for the check");
    // How make was called, by the Makefile: with the same MODE, CXX and so on.
    const char* make = std::getenv("LEARN_MAKE");
    const std::string line = std::string(make && *make ? make : "make") + " -s check EX=" + number;
    pid_ = fork();
    if (pid_ < 0) {
        close(ends[0]), close(ends[1]);
        throw Error("learn: the check cannot be started");
    }
    if (pid_ == 0) {
        setpgid(0, 0);  // so that stop() reaches the compiler too
        const int nothing = open("/dev/null", O_RDONLY);
        dup2(nothing, STDIN_FILENO), dup2(ends[1], STDOUT_FILENO), dup2(ends[1], STDERR_FILENO);
        close(ends[0]), close(ends[1]), close(nothing);
        execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    setpgid(pid_, pid_);
    close(ends[1]);
    pipe_ = ends[0];
    fcntl(pipe_, F_SETFL, O_NONBLOCK);
    fcntl(pipe_, F_SETFD, FD_CLOEXEC);
    output_.clear();
    started_ = std::chrono::steady_clock::now();
}

void Job::stop() {
    if (pid_ <= 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    close(pipe_);
    pid_ = -1, pipe_ = -1;
}

double Job::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

bool Job::ended() {
    if (pid_ <= 0) return false;
    char part[4096];
    for (;;) {
        const ssize_t n = read(pipe_, part, sizeof part);
        if (n > 0) output_.append(part, static_cast<std::size_t>(n));
        else if (n == 0) break;  // all of it has closed its end
        else return false;       // nothing yet
    }
    waitpid(pid_, nullptr, 0);
    close(pipe_);
    pid_ = -1, pipe_ = -1;
    return true;
}

}  // namespace tbt::learn
