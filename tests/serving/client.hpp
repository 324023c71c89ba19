// A client of HTTP over loopback that waits for nothing longer than it should, and a server in this
// process for it.
#pragma once

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "chapters/26_serving/server/http.hpp"
#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::test {

struct HttpAnswer {
    int status = 0;  // 0: the connection was closed without an answer
    std::string headers, body;

    Json json() const { return json_value(body); }
    // The value of a header, by its name in any case.
    std::string header(std::string name) const;
};

// One connection. Each read has a limit of its own; whoever waits longer has failed.
class Client {
public:
    explicit Client(int port, int seconds = 30) {
        socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        timeval limit{seconds, 0};
        setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
        setsockopt(socket_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        if (connect(socket_, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) close();
    }
    ~Client() { close(); }
    Client(const Client&) = delete;
    Client(Client&& other) noexcept
        : socket_(std::exchange(other.socket_, -1)), kept_(std::move(other.kept_)) {}

    bool connected() const { return socket_ >= 0; }
    void close() {
        if (socket_ >= 0) ::close(std::exchange(socket_, -1));
    }
    // Whether nothing has come, and more may.
    bool waits() const {
        char byte;
        return recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
    }
    void close_sending() const { shutdown(socket_, SHUT_WR); }
    // False once the other side takes no more.
    bool send(const std::string& bytes) const {
        for (std::size_t at = 0; at < bytes.size();) {
            const ssize_t sent =
                ::send(socket_, bytes.data() + at, bytes.size() - at, MSG_NOSIGNAL);
            if (sent <= 0) return false;
            at += static_cast<std::size_t>(sent);
        }
        return true;
    }
    void ask(const std::string& method, const std::string& path, const std::string& body = "",
             const std::string& headers = "") const {
        send(method + " " + path + " HTTP/1.1\r\nHost: localhost\r\n" +
             (body.empty() && method == "GET"
                  ? ""
                  : "Content-Type: application/json\r\nContent-Length: " +
                        std::to_string(body.size()) + "\r\n") +
             headers + "\r\n" + body);
    }
    // What comes until the answer is complete; what comes after it is kept for the next one.
    HttpAnswer answer() {
        HttpAnswer a;
        std::string got = std::exchange(kept_, "");
        const std::string end_of_headers = "\r\n\r\n";
        while (got.find(end_of_headers) == std::string::npos)
            if (!read_more(got)) return a;
        const std::size_t end = got.find(end_of_headers);
        a.headers = got.substr(0, end + 2);
        a.status = std::atoi(a.headers.c_str() + sizeof "HTTP/1.1");
        got.erase(0, end + end_of_headers.size());
        if (a.header("Transfer-Encoding") == "chunked") {
            a.body = chunks(got);
            kept_ = std::move(got);
            return a;
        }
        const auto size = static_cast<std::size_t>(std::atol(a.header("Content-Length").c_str()));
        while (got.size() < size && read_more(got)) {
        }
        a.body = got.substr(0, size);
        kept_ = got.substr(std::min(size, got.size()));
        return a;
    }
    // Bytes that have come meanwhile, at least one; false: there is no more.
    bool read_more(std::string& got) const {
        char bytes[16384];
        const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
        if (count <= 0) return false;
        got.append(bytes, static_cast<std::size_t>(count));
        return true;
    }

    // All that comes until the connection is closed.
    std::string rest() const {
        std::string got;
        while (read_more(got)) {
        }
        return got;
    }

private:
    std::string chunks(std::string& got) const {
        std::string body;
        for (;;) {
            std::size_t line = 0;
            while ((line = got.find("\r\n")) == std::string::npos)
                if (!read_more(got)) return body;
            const auto size = static_cast<std::size_t>(std::strtol(got.c_str(), nullptr, 16));
            while (got.size() < line + 2 + size + 2)
                if (!read_more(got)) return body + got.substr(line + 2);
            if (size == 0) {
                got.erase(0, line + 4);
                return body;
            }
            body += got.substr(line + 2, size);
            got.erase(0, line + 2 + size + 2);
        }
    }

    int socket_ = -1;
    std::string kept_;
};

inline std::string HttpAnswer::header(std::string name) const {
    std::string lower = headers;
    for (std::string* text : {&lower, &name})
        for (char& c : *text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    const std::size_t at = lower.find("\r\n" + name + ": ");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 4;
    return headers.substr(begin, headers.find("\r\n", begin) - begin);
}

// An event of a stream: its id, and its data.
struct Event {
    std::string id, data;
};
inline std::vector<Event> events_of(const std::string& body) {
    std::vector<Event> events;
    for (std::size_t at = 0; at < body.size();) {
        const std::size_t end = std::min(body.find("\n\n", at), body.size());
        Event event;
        for (std::size_t line = at; line < end;) {
            const std::size_t stop = std::min(body.find('\n', line), end);
            const std::string text = body.substr(line, stop - line);
            if (text.starts_with("id: ")) event.id = text.substr(4);
            if (text.starts_with("data: ")) event.data = text.substr(6);
            line = stop + 1;
        }
        events.push_back(std::move(event));
        at = end + 2;
    }
    return events;
}

// The parts of an answer: the one object that it is, or those of a stream's events or lines.
inline std::vector<Json> parts_of(const HttpAnswer& answer) {
    std::vector<Json> parts;
    const std::string type = answer.header("Content-Type");
    if (type == "application/json") return {answer.json()};
    if (type == "text/event-stream")
        for (const Event& event : events_of(answer.body)) parts.push_back(json_value(event.data));
    else
        for (std::size_t at = 0; at < answer.body.size();) {
            const std::size_t end = std::min(answer.body.find('\n', at), answer.body.size());
            parts.push_back(json_value(answer.body.substr(at, end - at)));
            at = end + 1;
        }
    return parts;
}

// The value of a line of /metrics of a server on this port; −1: there is none.
inline double metric(int port, const std::string& name) {
    Client client(port);
    client.ask("GET", "/metrics");
    const std::string text = "\n" + client.answer().body;  // a name may have its labels, too
    const std::size_t at =
        text.find("\n" + name + (name.find('{') == std::string::npos ? "{" : ""));
    return at == std::string::npos ? -1 : std::atof(text.c_str() + text.find(' ', at + 1));
}

// Requests that give no seed get this one, unless a test wants it otherwise.
inline ServerSettings with_seed(std::uint64_t seed) {
    ServerSettings settings;
    settings.seed = seed;
    return settings;
}

// The settings that this sets, and the others as they are.
template <class Set>
ServerSettings settings_with(Set set) {
    ServerSettings settings;
    set(settings);
    return settings;
}

// A server on a free port, with the storyteller.
class Served {
public:
    explicit Served(ServerSettings settings = with_seed(0), bool log = false) {
        settings.port = 0;
        settings.quiet = !log;
        settings.model.threads = settings.model.threads ? settings.model.threads : 1;
        complete(settings);
        service_ = std::make_unique<Service>(settings);
        http_ = std::make_unique<HttpServer>(*service_);
        http_->start();
        service_->open();
    }
    int port() const { return http_->port(); }
    HttpAnswer ask(const std::string& method, const std::string& path, const std::string& body = "",
                   const std::string& headers = "") const {
        Client client(port());
        client.ask(method, path, body, headers);
        return client.answer();
    }
    HttpAnswer post(const std::string& path, const std::string& body) const {
        return ask("POST", path, body);
    }
    double metric(const std::string& name) const { return test::metric(port(), name); }
    // Waits until a line of /metrics has this value, ten seconds at most.
    bool reaches(const std::string& name, double value) const {
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (metric(name) != value) {
            if (std::chrono::steady_clock::now() > end) return false;
            usleep(1000);
        }
        return true;
    }
    Service& service() { return *service_; }
    HttpServer& http() { return *http_; }

private:
    std::unique_ptr<Service> service_;
    std::unique_ptr<HttpServer> http_;
};

// One server for all tests that leave it as it was.
inline const Served& shared_server() {
    static const Served server;
    return server;
}

}  // namespace tbt::test
