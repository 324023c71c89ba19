#include "chapters/26_serving/server/http.hpp"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <httplib.h>
#include <sys/socket.h>

namespace tbt {

namespace {

constexpr std::size_t max_body_bytes = std::size_t{1} << 20;  // more than any context has room for
constexpr int max_connections = 1024;                         // that are served at a time
constexpr int seconds_idle = 5, seconds_to_read = 5, seconds_to_write = 30;

// A connection has a thread as long as it lives; one that ends is used for the next.
class Threads : public httplib::TaskQueue {
public:
    void enqueue(std::function<void()> work) override {
        const std::lock_guard lock(mutex_);
        work_.push_back(std::move(work));
        if (idle_ < work_.size() && threads_.size() < max_connections)
            threads_.emplace_back([this] { run(); });
        else wake_.notify_one();
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

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<std::function<void()>> work_;
    std::vector<std::thread> threads_;
    std::size_t idle_ = 0;
    bool stop_ = false;
};

// The client's own, if it may stand in a header and in a log; otherwise a random one.
std::string request_id(const httplib::Request& request) {
    const std::string given = request.get_header_value("X-Request-Id");
    const bool plain = given.find_first_not_of(
                           "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                           "-_.") == std::string::npos;
    if (!given.empty() && given.size() <= 64 && plain) return given;
    static std::atomic<unsigned> count = 0;
    static const unsigned start = std::random_device()();
    char id[32];
    std::snprintf(id, sizeof id, "%08x%08x", start, count++);
    return id;
}

}  // namespace

struct HttpServer::State {
    explicit State(Service& s) : service(&s) {}

    void answer(const httplib::Request& request, httplib::Response& response, std::string body);
    void read_and_answer(const httplib::Request& request, httplib::Response& response,
                         const httplib::ContentReader& read);
    void set_routes();
    // After the last byte of a response was written.
    void written(const httplib::Request& request, const httplib::Response& response);

    Service* service;
    httplib::Server server;
    std::thread listening;
    int port = 0, socket = -1;

    // Requests that came to a route and whose responses are not written yet.
    std::mutex mutex;
    std::condition_variable all_written;
    int under_way = 0;
};

// The request that this thread answers.
struct UnderWay {
    Call call;
    std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
};
static thread_local std::optional<UnderWay> current;
// Its socket, where what is left of a body would be taken for the next request; -1: nothing is.
static thread_local int to_close = -1;

void HttpServer::State::answer(const httplib::Request& request, httplib::Response& response,
                               std::string body) {
    {
        const std::lock_guard lock(mutex);
        ++under_way;
    }
    current = UnderWay{
        {request.method, request.path, std::move(body), request.get_header_value("Content-Type"),
         request.get_header_value("Authorization"), request.get_header_value("Last-Event-ID"),
         request_id(request), socket_of_peer(request.remote_addr, request.remote_port)}};
    Reply reply = service->answer(current->call);
    response.status = reply.status;
    response.set_header("X-Request-Id", current->call.request_id);
    for (const auto& [name, value] : reply.headers) response.set_header(name, value);
    if (!reply.stream) return response.set_content(reply.body, reply.type);
    const auto provider = [stream = std::move(reply.stream)](std::size_t, httplib::DataSink& sink) {
        bool there = true;
        stream([&](const std::string& piece) {
            if (there && !piece.empty())
                there = sink.is_writable() && sink.write(piece.data(), piece.size());
            return there;
        });
        if (there) sink.done();
        return there;
    };
    if (request.version != "HTTP/1.0")
        return response.set_chunked_content_provider(reply.type, provider);
    // It knows no chunks: where the connection ends, the stream does.
    response.set_content_provider(reply.type, provider);
    to_close = current->call.connection;
}

void HttpServer::State::written(const httplib::Request& request,
                                const httplib::Response& response) {
    const bool routed = current.has_value();
    if (!routed) current = UnderWay{{request.method, request.path, "", "", "", "", "-", -1}};
    service->ended(
        current->call, response.status,
        std::chrono::duration<double>(std::chrono::steady_clock::now() - current->begin).count());
    current.reset();
    if (to_close >= 0) shutdown(std::exchange(to_close, -1), SHUT_RDWR);
    if (!routed) return;
    const std::lock_guard lock(mutex);
    if (--under_way == 0) all_written.notify_all();
}

// Reads to the end of a body that is too long, since what is left would be taken for the next
// request; but not for ever.
void HttpServer::State::read_and_answer(const httplib::Request& request,
                                        httplib::Response& response,
                                        const httplib::ContentReader& read) {
    constexpr std::size_t longest_patience = 256 * max_body_bytes;
    std::string body;
    std::size_t size = 0;
    const bool complete = read([&](const char* data, std::size_t length) {
        size += length;
        if (size <= max_body_bytes) body.append(data, length);
        return size <= longest_patience;
    });
    if (complete && size <= max_body_bytes) return answer(request, response, std::move(body));
    if (!complete) to_close = socket_of_peer(request.remote_addr, request.remote_port);
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
    server.Get(".*", plain);
    server.Post(".*", with_body).Put(".*", with_body).Patch(".*", with_body);
    server.Delete(".*", with_body);
    const std::string origin = service->settings().cors_origin;
    if (!origin.empty()) server.set_default_headers({{"Access-Control-Allow-Origin", origin}});
    server.Options(".*", [origin, plain](const httplib::Request& request,
                                         httplib::Response& response) {
        if (origin.empty()) return plain(request, response);
        response.status = 204;
        response.set_header("Access-Control-Allow-Methods", "GET, POST");
        // Clients have headers of their own, x-stainless-os and so on: none does any harm.
        if (const auto* asked = "Access-Control-Request-Headers"; request.has_header(asked))
            response.set_header("Access-Control-Allow-Headers", request.get_header_value(asked));
    });
    server.set_logger([this](const httplib::Request& request, const httplib::Response& response) {
        written(request, response);
    });
    // What is no HTTP, or too long, never comes to a route.
    using Handled = httplib::Server::HandlerResponse;
    const auto explain = [](const httplib::Request&, httplib::Response& response) {
        if (!response.body.empty()) return Handled::Unhandled;
        const int status = response.status;
        const ApiError error(status, status == 413   ? "the body is longer than 1 MB"
                                     : status == 414 ? "the path is too long"
                                                     : "this is not a complete HTTP request");
        response.set_content(error.json(), "application/json");
        return Handled::Handled;
    };
    server.set_error_handler(httplib::Server::HandlerWithResponse(explain));
}

HttpServer::HttpServer(Service& service) : state_(std::make_unique<State>(service)) {
    httplib::Server& server = state_->server;
    server.new_task_queue = [] { return new Threads; };
    server.set_keep_alive_max_count(100000);
    server.set_keep_alive_timeout(seconds_idle);
    server.set_read_timeout(seconds_to_read).set_write_timeout(seconds_to_write);
    server.set_payload_max_length(max_body_bytes);
    server.set_tcp_nodelay(true);
    server.set_socket_options([this](socket_t socket) {
        const int yes = 1;
        setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
        state_->socket = socket;
    });
    state_->set_routes();
    const ServerSettings& s = service.settings();
    state_->port = s.port;
    if (s.port == 0) state_->port = server.bind_to_any_port(s.host);
    if (state_->port < 0 || (s.port != 0 && !server.bind_to_port(s.host, s.port)))
        throw Error("--host " + s.host + " --port " + std::to_string(s.port) +
                    ": cannot listen there; is another program, or another server, using it?");
    listen(state_->socket, SOMAXCONN);  // the library's own queue has five places
}

HttpServer::~HttpServer() { stop(std::chrono::milliseconds(0)); }

int HttpServer::port() const { return state_->port; }

void HttpServer::start() {
    state_->listening = std::thread([this] { state_->server.listen_after_bind(); });
    while (!state_->server.is_running())  // until then it could not be stopped
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

// Not by the library's stop(), which would cut off streams too.
void HttpServer::refuse_connections() { shutdown(state_->socket, SHUT_RDWR); }

void HttpServer::stop(std::chrono::milliseconds patience) {
    if (!state_->listening.joinable()) return;
    state_->server.stop();
    {
        std::unique_lock lock(state_->mutex);
        state_->all_written.wait_for(lock, patience, [&] { return state_->under_way == 0; });
    }
    close_connections(state_->port);
    state_->listening.join();
}

}  // namespace tbt
