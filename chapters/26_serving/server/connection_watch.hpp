// Notices clients that go away while their texts are written.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace tbt {

// One thread that waits for news of all watched sockets, without ever reading from them.
class ConnectionWatch {
public:
    ConnectionWatch();
    ~ConnectionWatch();
    ConnectionWatch(const ConnectionWatch&) = delete;

    // Calls gone(), from the watching thread, once the client of this socket has closed its side;
    // not after forget() has returned. −1: nothing is watched.
    void watch(int socket, std::function<void()> gone);
    void forget(int socket);

private:
    void run();
    void wake();

    std::mutex mutex_;
    std::map<int, std::function<void()>> watched_;
    bool stop_ = false;
    int wake_[2] = {-1, -1};  // a pipe: there is something new
    std::thread thread_;
};

// The socket of this process whose other end has this address and port; −1: there is none.
int socket_of_peer(const std::string& address, int port);

// Ends the connections to this port of ours that clients keep without asking anything.
void close_connections(int port);

}  // namespace tbt
