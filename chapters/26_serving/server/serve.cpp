#include "chapters/26_serving/server/serve.hpp"

#include <csignal>
#include <cstdio>

#include "chapters/26_serving/server/http.hpp"

namespace tbt {

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
        "%s\n\n"
        "  curl %s/v1/completions -H 'Content-Type: application/json'%s \\\n"
        "    -d '{\"prompt\": \"Once upon a time\", \"max_tokens\": 40}'\n",
        address.c_str(), address.c_str(),
        settings.api_key.empty() ? "" : " -H \"Authorization: Bearer $KEY\"");
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
