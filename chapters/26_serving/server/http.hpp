// HTTP around the endpoints, by cpp-httplib.
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

}  // namespace tbt
