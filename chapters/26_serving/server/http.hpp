// HTTP around the endpoints, by cpp-httplib; and the server from its start to its end.
#pragma once

#include <chrono>
#include <memory>

#include "chapters/26_serving/server/service.hpp"

namespace tbt {

class HttpServer {
public:
    // Binds to the service's host and port; from then on clients may connect.
    // Throws Error where that is not possible.
    explicit HttpServer(Service& service);
    // Stops, if it still runs.
    ~HttpServer();
    HttpServer(const HttpServer&) = delete;

    int port() const;
    // Answers requests in threads of its own, from now on.
    void start();
    // Those that are there end when what they asked for is answered.
    void refuse_connections();
    // The same, and after so long, or when all is answered, the rest are closed.
    void stop(std::chrono::milliseconds patience);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// Listens, opens the model, serves until SIGTERM or Ctrl-C, and lets what is under way end.
// Throws Error where it cannot listen or open the model.
void serve(const ServerSettings& settings);

}  // namespace tbt
