#include "chapters/26_serving/server/http.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <httplib.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace tbt {

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::seconds;

constexpr std::size_t max_body_bytes = std::size_t{1} << 20;  // more than any context has room for
constexpr std::size_t max_head_bytes = std::size_t{1} << 16;
constexpr seconds to_read(5), to_write(30), for_a_head(10);

// A connection as the library's stream of bytes. The library's own has no limit for a whole head,
// forgets what a client sends ahead, and takes a client that has closed only its sending side for
// one that is gone.
class Connection : public httplib::Stream {
public:
    explicit Connection(int socket) : socket_(socket) {}

    // Waits for a request, until its head has come. False: none did in time.
    bool read_head() {
        ended_ = asked_ = false;
        received_.erase(0, std::exchange(at_, 0));
        until_ = Clock::now() + to_read;
        if (received_.empty() && !receive()) return false;
        until_ = Clock::now() + for_a_head;
        while (received_.find("\r\n\r\n") == std::string::npos)
            if (received_.size() > max_head_bytes) return true;  // the library says so
            else if (!receive()) return false;
        return true;
    }
    // What two programs could read differently, a server and a proxy before it say: whose end of a
    // body is not certain. Empty: nothing.
    std::string fault_of_head() const {
        const std::string_view head =
            std::string_view(received_).substr(0, received_.find("\r\n\r\n"));
        std::set<std::string, std::less<>> lengths;
        bool in_chunks = false;
        for (std::size_t at = head.find("\r\n"); at < head.size(); at = head.find("\r\n", at)) {
            at += 2;
            const std::string_view line = head.substr(at, head.find("\r\n", at) - at);
            const std::size_t colon = std::min(line.find(':'), line.size());
            const std::string name = lower_case(line.substr(0, colon));
            in_chunks = in_chunks || name == "transfer-encoding";
            if (name != "content-length") continue;
            std::string_view value = line.substr(std::min(colon + 1, line.size()));
            while (value.starts_with(' ')) value.remove_prefix(1);
            while (value.ends_with(' ')) value.remove_suffix(1);
            lengths.emplace(value);
            if (value.empty() || value.find_first_not_of("0123456789") != std::string_view::npos)
                return "Content-Length: expected a number";
        }
        if (lengths.size() > 1) return "Content-Length: two different ones were sent";
        return in_chunks && !lengths.empty() ? "Content-Length and Transfer-Encoding: expected one"
                                             : "";
    }
    void body_within(seconds limit) { until_ = Clock::now() + limit; }

    // Whether the client still waits for the answer that is being written. One that has closed its
    // sending side may do so: an interim answer shows it, since a system that knows the connection
    // no more resets it. Before the answer begins only.
    bool waits() {
        char byte = 0;
        const ssize_t got = ended_ ? 0 : recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
        if (got > 0) return true;  // its next request
        if (got < 0) return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
        ended_ = true;
        if (!std::exchange(asked_, true)) {
            constexpr std::string_view interim = "HTTP/1.1 102 Processing\r\n\r\n";
            return send(socket_, interim.data(), interim.size(), MSG_NOSIGNAL) > 0;
        }
        return !reset();
    }
    // Whether the client has closed its sending side, or the connection.
    bool has_ended() const {
        char byte = 0;
        return ended_ || recv(socket_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
    }
    bool reset() const {
        pollfd p{socket_, 0, 0};
        return poll(&p, 1, 0) > 0 && (p.revents & (POLLERR | POLLHUP)) != 0;
    }

    bool is_readable() const { return true; }
    bool is_writable() const { return !reset(); }
    bool wait_readable() const { return true; }  // these three are of newer versions
    bool wait_writable() const { return true; }
    time_t duration() const { return 0; }
    ssize_t read(char* to, std::size_t size) {
        if (at_ == received_.size() && !receive()) return -1;
        size = received_.copy(to, size, at_);
        at_ += size;
        return static_cast<ssize_t>(size);
    }
    using Stream::write;
    ssize_t write(const char* from, std::size_t size) {
        pollfd p{socket_, POLLOUT, 0};
        if (poll(&p, 1, static_cast<int>(to_write.count()) * 1000) <= 0) return -1;
        return send(socket_, from, size, MSG_NOSIGNAL);
    }
    void get_remote_ip_and_port(std::string&, int&) const {}
    void get_local_ip_and_port(std::string&, int&) const {}
    socket_t socket() const { return socket_; }

    // What it is asked for, while it is answered.
    std::optional<Call> call;
    Clock::time_point begin = Clock::now();  // of that, or of waiting for it
    bool sent_away = false;                  // for another one
    bool closing = false;  // what is left of a request would be taken for the next

private:
    bool receive() {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
            std::min<Clock::duration>(until_ - Clock::now(), to_read));
        pollfd p{socket_, POLLIN, 0};
        if (left.count() <= 0 || poll(&p, 1, static_cast<int>(left.count())) <= 0) return false;
        received_.erase(0, std::exchange(at_, 0));
        char bytes[16384];
        const ssize_t got = recv(socket_, bytes, sizeof bytes, 0);
        if (got > 0) received_.append(bytes, static_cast<std::size_t>(got));
        return got > 0;
    }

    int socket_;
    std::string received_;
    std::size_t at_ = 0;  // what comes before was read
    Clock::time_point until_{};
    bool ended_ = false, asked_ = false;
};

// A connection has a thread as long as it lives; one that ends is used for the next.
class Threads : public httplib::TaskQueue {
public:
    // full: called when a connection must wait for a thread.
    Threads(std::size_t most, std::function<void()> full) : most_(most), full_(std::move(full)) {}
    void enqueue(std::function<void()> work) override {
        const std::lock_guard lock(mutex_);
        work_.push_back(std::move(work));
        if (idle_ >= work_.size()) wake_.notify_one();
        else if (threads_.size() < most_) threads_.emplace_back([this] { run(); });
        else full_();
    }
    void shutdown() override {
        {
            const std::lock_guard lock(mutex_);
            stop_ = true;
        }
        wake_.notify_all();
        for (std::thread& thread : threads_) thread.join();
    }

private:
    void run() {
        for (std::unique_lock lock(mutex_);;) {
            ++idle_;
            wake_.wait(lock, [&] { return stop_ || !work_.empty(); });
            --idle_;
            if (work_.empty()) return;
            const std::function<void()> work = std::move(work_.front());
            work_.pop_front();
            lock.unlock();
            work();
            lock.lock();
        }
    }

    std::size_t most_;
    std::function<void()> full_;
    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> work_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool stop_ = false;
};

// Each connection takes a file. So many connections are served at a time.
std::size_t possible_connections() {
    rlimit files{};
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = std::max<rlim_t>(files.rlim_cur, std::min<rlim_t>(files.rlim_max, 4096));
    setrlimit(RLIMIT_NOFILE, &files);
    return std::clamp<std::size_t>(files.rlim_cur, 128, 1088) - 64;
}

std::string new_id() {
    static std::atomic<unsigned> count = 0;
    static const unsigned start = std::random_device()();
    char id[32];
    std::snprintf(id, sizeof id, "%08x%08x", start, count++);
    return id;
}

// The client's own, if it may stand in a header and in a log; otherwise ours.
std::string request_id(const httplib::Request& request, const std::string& ours) {
    const std::string given = request.get_header_value("X-Request-Id");
    const bool plain = given.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "-_.") == std::string::npos;
    return !given.empty() && given.size() <= 64 && plain ? given : ours;
}

// Anthropic's clients send the key alone.
std::string authorization_of(const httplib::Request& request) {
    const std::string key = request.get_header_value("x-api-key");
    return key.empty() || request.has_header("Authorization")
               ? request.get_header_value("Authorization")
               : "Bearer " + key;
}

// A request may have the whole address, as a proxy's has [RFC 9112, 3.2.2].
std::string path_of(const httplib::Request& request) {
    const std::string scheme = "http://";
    if (lower_case(request.path.substr(0, scheme.size())) != scheme) return request.path;
    const std::size_t path = request.path.find('/', scheme.size());
    return path == std::string::npos ? "/" : request.path.substr(path);
}

// Does it have a body that the library does not read, and would take for the next request?
bool has_unread_body(const httplib::Request& request) {
    static const std::set<std::string> read = {"POST", "PUT", "PATCH", "DELETE"};
    const std::string length = request.get_header_value("Content-Length");
    return !read.contains(request.method) &&
           (request.has_header("Transfer-Encoding") || (!length.empty() && length != "0"));
}

// A page can give its own name the address of this machine, and would then be asked for as if it
// were ours. So who serves this machine only is called by its name, or by an address.
bool is_our_name(std::string host, const ServerSettings& settings) {
    if (host.empty() || host[0] == '[' || !settings.on_loopback()) return true;
    host = lower_case(host.substr(0, host.find(':')));
    in_addr address{};
    return host == "localhost" || inet_pton(AF_INET, host.c_str(), &address) == 1 ||
           std::count(settings.allowed_hosts.begin(), settings.allowed_hosts.end(), host) > 0;
}

// The one that this thread serves.
thread_local Connection* current = nullptr;

}  // namespace

struct HttpServer::State : httplib::Server {
    explicit State(Service& s) : service(&s) {}

    // Called by the library in a thread of its queue.
    bool process_and_close_socket(socket_t socket) override;
    template <class Stream>
    bool process(Stream& stream, bool& closed);
    // Closes the connection that has been waiting for a request the longest.
    void close_idle();
    void answer(const httplib::Request& request, httplib::Response& response, std::string body);
    void read_and_answer(const httplib::Request& request, httplib::Response& response,
                         const httplib::ContentReader& read);
    void set_routes();
    void set_handlers();
    // After the last byte of a response was written.
    void written(const httplib::Request& request, const httplib::Response& response);

    Service* service;
    std::thread listening;
    int port = 0, socket = -1;
    std::atomic<bool> stopping = false;

    std::mutex mutex;  // of what follows
    std::condition_variable all_written;
    int under_way = 0;  // requests that came to a route and whose responses are not written yet
    std::set<Connection*> connections;
};

template <class Stream>
bool HttpServer::State::process(Stream& stream, bool& closed) {
    if constexpr (requires { this->process_request(stream, false, closed, nullptr); })
        return process_request(stream, false, closed, nullptr);
    else return this->process_request(stream, "", 0, "", 0, false, closed, nullptr);
}

bool HttpServer::State::process_and_close_socket(socket_t accepted) {
    Connection connection(accepted);
    {
        const std::lock_guard lock(mutex);
        connections.insert(&connection);
    }
    current = &connection;
    for (bool closed = false; !closed && !stopping && connection.read_head();) {
        if (!process(connection, closed) || connection.closing) break;
        const std::lock_guard lock(mutex);
        connection.begin = Clock::now();
    }
    const std::lock_guard lock(mutex);
    connections.erase(&connection);
    ::shutdown(accepted, SHUT_RDWR);
    ::close(accepted);
    return true;
}

void HttpServer::State::close_idle() {
    const std::lock_guard lock(mutex);
    Connection* longest = nullptr;
    for (Connection* c : connections)
        if (!c->call && !c->sent_away && (!longest || c->begin < longest->begin)) longest = c;
    if (!longest) return;
    longest->sent_away = true;
    ::shutdown(longest->socket(), SHUT_RDWR);
}

void HttpServer::State::answer(const httplib::Request& request, httplib::Response& response,
                               std::string body) {
    Connection* const connection = current;
    const std::string id = new_id();
    {
        const std::lock_guard lock(mutex);
        ++under_way;
        connection->begin = Clock::now();
        connection->call = Call{request.method,
                                path_of(request),
                                std::move(body),
                                request.get_header_value("Content-Type"),
                                authorization_of(request),
                                request.get_header_value("Last-Event-ID"),
                                request_id(request, id),
                                [connection] { return connection->waits(); },
                                request.has_header("Origin"),
                                id};
    }
    Reply reply = service->answer(*connection->call);
    response.status = reply.status;
    response.set_header("X-Request-Id", connection->call->request_id);
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    if (!reply.stream) return response.set_content(reply.body, reply.type);
    const auto provider = [connection, events = reply.type == "text/event-stream",
                           stream = std::move(reply.stream)](std::size_t, httplib::DataSink& sink) {
        bool there = true;
        stream([&](const std::string& piece) {
            // A comment, which shows whether a client that sends no more still reads.
            const std::string probe = events && connection->has_ended() ? ":\n\n" : "";
            const std::string& bytes = piece.empty() ? probe : piece;
            there = there && !connection->reset() &&
                    (bytes.empty() || sink.write(bytes.data(), bytes.size()));
            return there;
        });
        if (there) sink.done();
        return there;
    };
    if (request.version != "HTTP/1.0")
        return response.set_chunked_content_provider(reply.type, provider);
    // It knows no chunks: where the connection ends, the stream does.
    response.set_content_provider(reply.type, provider);
    connection->closing = true;
}

void HttpServer::State::written(const httplib::Request& request,
                                const httplib::Response& response) {
    Connection& connection = *current;
    const bool routed = connection.call.has_value();
    const Call other{request.method, request.path, "", "", "", "", "-", {}};
    service->ended(routed ? *connection.call : other, response.status,
                   std::chrono::duration<double>(Clock::now() - connection.begin).count());
    const std::lock_guard lock(mutex);
    connection.call.reset();
    if (routed && --under_way == 0) all_written.notify_all();
}

// Reads to the end of a body that is too long, since what is left would be taken for the next
// request; but not for ever.
void HttpServer::State::read_and_answer(const httplib::Request& request,
                                        httplib::Response& response,
                                        const httplib::ContentReader& read) {
    // Then it has no body [RFC 9112, 6.3].
    if (!request.has_header("Content-Length") && !request.has_header("Transfer-Encoding"))
        return answer(request, response, "");
    constexpr std::size_t longest_patience = 256 * max_body_bytes;
    current->body_within(seconds(std::max(10, service->settings().timeout)));
    std::string body;
    std::size_t size = 0;
    if (request.is_multipart_form_data()) {  // the library reads it in another way
        read([](const auto&) { return true; },
             [&](const char*, std::size_t length) { return (size += length) <= longest_patience; });
        current->closing = true;
        response.status = 415;
        const ApiError error(415, "expected a body of JSON, got multipart/form-data");
        return response.set_content(error_text(path_of(request), error), "application/json");
    }
    const bool complete = read([&](const char* data, std::size_t length) {
        size += length;
        if (size <= max_body_bytes) body.append(data, length);
        return size <= longest_patience;
    });
    if (complete && size <= max_body_bytes) return answer(request, response, std::move(body));
    if (!complete) current->closing = true;
    if (size > max_body_bytes) response.status = 413;
    else if (response.status < 400) response.status = 400;
}

void HttpServer::State::set_routes() {
    const auto plain = [this](const httplib::Request& request, httplib::Response& response) {
        answer(request, response, request.body);
    };
    const auto with_body = [this](const httplib::Request& request, httplib::Response& response,
                                  const httplib::ContentReader& read) {
        read_and_answer(request, response, read);
    };
    Get(".*", plain);
    Post(".*", with_body).Put(".*", with_body).Patch(".*", with_body).Delete(".*", with_body);
    const std::string origin = service->settings().cors_origin;
    if (!origin.empty()) set_default_headers({{"Access-Control-Allow-Origin", origin}});
    Options(".*", [origin, plain](const httplib::Request& request, httplib::Response& response) {
        if (origin.empty()) return plain(request, response);
        response.status = 204;
        response.set_header("Access-Control-Allow-Methods", "GET, POST");
        // Clients have headers of their own, x-stainless-os and so on: none does any harm.
        if (const auto* asked = "Access-Control-Request-Headers"; request.has_header(asked))
            response.set_header("Access-Control-Allow-Headers", request.get_header_value(asked));
    });
}

void HttpServer::State::set_handlers() {
    set_logger([this](const httplib::Request& request, const httplib::Response& response) {
        written(request, response);
    });
    using Handled = httplib::Server::HandlerResponse;
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
        // An answer is whole: of a POST, too, the library would send the ranges that are asked for.
        const_cast<httplib::Request&>(request).ranges.clear();
        current->closing = has_unread_body(request);
        std::string fault = current->fault_of_head();
        response.status = 400;
        if (fault.empty() && !is_our_name(request.get_header_value("Host"), service->settings())) {
            fault = "Host: this server is asked for by its address, or a name of --allowed-hosts";
            response.status = 403;
        }
        if (fault.empty()) {
            response.status = -1;  // none yet
            return Handled::Unhandled;
        }
        current->closing = true;
        response.set_content(error_text(path_of(request), ApiError(response.status, fault)),
                             "application/json");
        return Handled::Handled;
    });
    // What is no HTTP, or too long, never comes to a route.
    const auto explain = [](const httplib::Request& request, httplib::Response& response) {
        if (!response.body.empty()) return Handled::Unhandled;
        const int status = response.status;
        if (status != 413) current->closing = true;  // its body may not have been read
        const ApiError error(status, status == 413   ? "the body is longer than 1 MB"
                                     : status == 414 ? "the path is too long"
                                                     : "this is not a complete HTTP request");
        response.set_content(error_text(path_of(request), error), "application/json");
        return Handled::Handled;
    };
    set_error_handler(httplib::Server::HandlerWithResponse(explain));
}

HttpServer::HttpServer(Service& service) : state_(std::make_unique<State>(service)) {
    State& server = *state_;
    server.new_task_queue = [&server] {
        return new Threads(possible_connections(), [&server] { server.close_idle(); });
    };
    server.set_keep_alive_max_count(100000);  // what a response says of it
    server.set_keep_alive_timeout(to_read.count());
    server.set_payload_max_length(max_body_bytes);
    server.set_tcp_nodelay(true);
    server.set_socket_options([&server](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        server.socket = socket;
    });
    server.set_routes();
    server.set_handlers();
    const ServerSettings& s = service.settings();
    server.port = s.port;
    if (s.port == 0) server.port = server.bind_to_any_port(s.host);
    if (server.port < 0 || (s.port != 0 && !server.bind_to_port(s.host, s.port)))
        throw Error("--host " + s.host + " --port " + std::to_string(s.port) +
                    ": cannot listen there; is another program, or another server, using it?");
    listen(server.socket, SOMAXCONN);  // the library's own queue has five places
}

HttpServer::~HttpServer() { stop(std::chrono::milliseconds(0)); }

int HttpServer::port() const { return state_->port; }

void HttpServer::start() {
    state_->listening = std::thread([this] { state_->listen_after_bind(); });
    while (!state_->is_running())  // until then it could not be stopped
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Not by the library's stop(), which would cut off streams too.
void HttpServer::refuse_connections() { shutdown(state_->socket, SHUT_RDWR); }

void HttpServer::stop(std::chrono::milliseconds patience) {
    if (!state_->listening.joinable()) return;
    state_->stopping = true;
    state_->Server::stop();
    {
        std::unique_lock lock(state_->mutex);
        state_->all_written.wait_for(lock, patience, [&] { return state_->under_way == 0; });
        for (const Connection* c : state_->connections) ::shutdown(c->socket(), SHUT_RDWR);
    }
    state_->listening.join();
}

namespace {

// The signals that end the server are waited for, by one thread: blocked here, they are in all
// threads that begin later.
sigset_t block_signals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return signals;
}

}  // namespace

void serve(const ServerSettings& settings) {
    const sigset_t signals = block_signals();
    Service service(settings);
    HttpServer http(service);
    http.start();
    service.open();
    const bool v6 = settings.host.find(':') != std::string::npos;
    const std::string address = "http://" + (v6 ? "[" + settings.host + "]" : settings.host) + ":" +
                                std::to_string(http.port());
    std::printf(
        "try it:   curl %s/v1/completions -H 'Content-Type: application/json'%s -d '{\"prompt\": "
        "\"Once upon a time\", \"max_tokens\": 40}'\n"
        "clients:  OPENAI_BASE_URL=%s/v1\n"
        "a page:   %s/\n",
        address.c_str(), settings.api_key.empty() ? "" : " -H \"Authorization: Bearer $KEY\"",
        address.c_str(), address.c_str());
    std::fflush(stdout);
    int signal = 0;
    sigwait(&signals, &signal);
    sigset_t interrupt;  // who presses Ctrl-C again does not want to wait
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    pthread_sigmask(SIG_UNBLOCK, &interrupt, nullptr);
    http.refuse_connections();
    if (!service.drain())
        std::fprintf(stderr, "serve: texts that had not ended after %d s are cut off\n",
                     settings.timeout);
    http.stop(std::chrono::seconds(5));
}

}  // namespace tbt
