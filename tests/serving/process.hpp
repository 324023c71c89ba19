// A program beside the tests, the server or a proxy.
#pragma once

#include <csignal>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/serving/client.hpp"

namespace tbt::test {

// A program that ends with this, whatever happens.
class Process {
public:
    explicit Process(const std::vector<std::string>& words) {
        std::vector<char*> arguments;
        for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        pid_ = fork();
        if (pid_ != 0) return;
        const int nowhere = open("/dev/null", O_WRONLY);
        dup2(nowhere, 1), dup2(nowhere, 2);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    ~Process() {
        if (pid_ > 0) stop(SIGKILL);
    }
    Process(const Process&) = delete;
    void tell(int signal) const { kill(pid_, signal); }
    int stop(int signal) {
        tell(signal);
        return wait();
    }
    // Its exit status; −1: a signal ended it.
    int wait() {
        int status = 0;
        waitpid(std::exchange(pid_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t pid_ = -1;
};

// A port that nobody uses now, so that tests which run at the same time do not meet.
inline int free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    bind(socket, reinterpret_cast<sockaddr*>(&address), size);
    getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size);
    close(socket);
    return ntohs(address.sin_port);
}

// Waits until a server on this port says that it can be asked, thirty seconds at most.
inline bool healthy(int port) {
    for (int i = 0; i < 600; ++i) {
        Client client(port, 2);
        if (client.connected()) {
            client.ask("GET", "/health");
            if (client.answer().status == 200) return true;
        }
        usleep(50000);
    }
    return false;
}

}  // namespace tbt::test
