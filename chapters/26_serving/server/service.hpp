// The endpoints, without HTTP: a request as a struct in, a reply out.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "chapters/26_serving/server/api_request.hpp"
#include "chapters/26_serving/server/connection_watch.hpp"
#include "chapters/26_serving/server/engine_thread.hpp"
#include "chapters/26_serving/server/metrics.hpp"
#include "chapters/26_serving/server/settings.hpp"

namespace tbt {

struct Call {
    std::string method, path, body;
    std::string content_type, authorization, last_event_id;
    std::string request_id;  // of the client, or one of ours
    int connection = -1;     // its socket; −1: not known
};

struct Reply {
    int status = 200;
    std::string type = "application/json", body;
    std::vector<std::pair<std::string, std::string>> headers = {};
    // Writes the body in pieces while it comes about; write() is false once the client is gone.
    using Write = std::function<bool(const std::string& piece)>;
    std::function<void(const Write&)> stream = {};
};

class Service {
public:
    explicit Service(const ServerSettings& settings);
    ~Service();

    // Opens the model: until then /health says 503. Throws Error as TextGenerator does, and where
    // the texts that may run have no room in --cache-memory.
    void open();
    // Never throws: what goes wrong is a reply.
    Reply answer(const Call& call);
    // After a reply, or a stream, is over: counted, and told on stderr, without prompts.
    void ended(const Call& call, int status, double seconds);

    // Takes no more requests, and waits for those under way. Whether all have ended.
    bool drain();

    const ServerSettings& settings() const { return settings_; }

private:
    struct Endpoint;
    static const std::vector<Endpoint>& endpoints();

    Reply health(const Call& call);
    Reply models(const Call& call);
    Reply metrics(const Call& call);
    Reply page(const Call& call);
    Reply tokenize(const Call& call);
    Reply detokenize(const Call& call);
    Reply completions(const Call& call);
    Reply chat_completions(const Call& call);
    Reply texts(const Call& call, ApiRequest request);
    void check_key(const Call& call) const;
    const Endpoint& endpoint(const Call& call) const;

    ServerSettings settings_;
    Metrics metrics_;
    std::string page_;
    std::atomic<bool> ready_ = false;
    std::unique_ptr<TextGenerator> generator_;
    ServedModel model_;
    ConnectionWatch watch_;
    std::unique_ptr<EngineThread> engine_;  // uses all the others
};

// Whether the two are the same, in a time that depends on `given` alone.
bool same_key(std::string_view given, std::string_view key);

}  // namespace tbt
