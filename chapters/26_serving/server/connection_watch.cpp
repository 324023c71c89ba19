#include "chapters/26_serving/server/connection_watch.hpp"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/core/error.hpp"

namespace tbt {

namespace {

struct Address {
    std::string text;
    int port = -1;
};

Address address_of(const sockaddr_storage& from) {
    char text[INET6_ADDRSTRLEN] = "";
    if (from.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
        return {text, ntohs(v4.sin_port)};
    }
    if (from.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
        inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
        return {text, ntohs(v6.sin6_port)};
    }
    return {};
}

using NameOf = int (*)(int, sockaddr*, socklen_t*);
Address address_of(int socket, NameOf name_of) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    if (name_of(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0) return {};
    return address_of(address);
}

// Calls visit(socket, peer) for each connection of this process until it says true. Descriptors are
// given out from below, so a long gap is the end of them.
template <class Visit>
void for_connections(Visit&& visit) {
    constexpr int longest_gap = 512;
    for (int socket = 0, gap = 0; gap < longest_gap; ++socket) {
        const Address peer = address_of(socket, getpeername);
        gap = peer.port < 0 && fcntl(socket, F_GETFD) < 0 ? gap + 1 : 0;
        if (peer.port >= 0 && visit(socket, peer)) return;
    }
}

// A client that closed its side leaves nothing to read, and the end of input.
enum class Client { there, busy, gone };
Client client_of(int socket) {
    char byte = 0;
    const ssize_t got = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (got > 0) return Client::busy;  // it has sent its next request already
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) ? Client::there
                                                                                  : Client::gone;
}

}  // namespace

ConnectionWatch::ConnectionWatch() {
    if (pipe(wake_) != 0) throw Error("server: no pipe could be made; too many files are open");
    for (const int end : wake_) fcntl(end, F_SETFL, O_NONBLOCK);
    thread_ = std::thread([this] { run(); });
}

ConnectionWatch::~ConnectionWatch() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake();
    thread_.join();
    for (const int end : wake_) close(end);
}

void ConnectionWatch::wake() {
    const char byte = 0;
    // Where the pipe is full, it is awake anyway.
    static_cast<void>(!write(wake_[1], &byte, 1));
}

void ConnectionWatch::watch(int socket, std::function<void()> gone) {
    if (socket < 0) return;
    {
        const std::lock_guard lock(mutex_);
        watched_[socket] = std::move(gone);
    }
    wake();
}

void ConnectionWatch::forget(int socket) {
    const std::lock_guard lock(mutex_);
    watched_.erase(socket);
}

void ConnectionWatch::run() {
    std::vector<pollfd> polled;
    for (;;) {
        polled.assign(1, {wake_[0], POLLIN, 0});
        {
            const std::lock_guard lock(mutex_);
            if (stop_) return;
            for (const auto& [socket, gone] : watched_) polled.push_back({socket, POLLIN, 0});
        }
        poll(polled.data(), polled.size(), -1);
        char bytes[64];
        while (read(wake_[0], bytes, sizeof bytes) > 0) {
        }
        const std::lock_guard lock(mutex_);
        for (const pollfd& p : polled) {
            const auto at = watched_.find(p.fd);
            if (p.revents == 0 || at == watched_.end()) continue;
            const Client client = client_of(p.fd);
            if (client == Client::there) continue;
            if (client == Client::gone) at->second();
            watched_.erase(at);
        }
    }
}

int socket_of_peer(const std::string& address, int port) {
    int found = -1;
    for_connections([&](int socket, const Address& peer) {
        const bool same = peer.port == port && peer.text == address;
        if (same) found = socket;
        return same;
    });
    return found;
}

void close_connections(int port) {
    for_connections([&](int socket, const Address&) {
        if (address_of(socket, getsockname).port == port) shutdown(socket, SHUT_RDWR);
        return false;
    });
}

}  // namespace tbt
