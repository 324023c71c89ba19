// The endpoints, without HTTP: a request as a struct in, a reply out.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/26_serving/server/answer.hpp"
#include "chapters/26_serving/server/engine_thread.hpp"
#include "chapters/26_serving/server/responses.hpp"
#include "chapters/26_serving/server/settings.hpp"

namespace tbt {

struct Call {
    std::string method, path, body;
    std::string content_type, authorization, last_event_id;
    std::string request_id;            // of the client, or one of ours
    std::function<bool()> waits = {};  // does its client still wait? empty: yes
    bool of_a_page = false;            // it has the header Origin, as each of a browser's has
    std::string id = {};               // of what it makes: no two have the same
};

struct Reply {
    int status = 200;
    std::string type = "application/json", body;
    std::vector<std::pair<std::string, std::string>> headers = {};
    // Writes the body in pieces while it comes about; write() is false once the client is gone. An
    // empty piece asks for that alone.
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
    Reply page(const Call& call);
    Reply tokenize(const Call& call);
    Reply detokenize(const Call& call);
    Reply completions(const Call& call);
    Reply chat_completions(const Call& call);
    Reply count_tokens(const Call& call);
    Reply embeddings(const Call& call);
    Reply ollama_chat(const Call& call);
    Reply ollama_generate(const Call& call);
    Reply ollama_embed(const Call& call);
    Reply ollama_list(const Call& call);
    Reply llama_completion(const Call& call);
    Reply llama_slots(const Call& call);
    Reply apply_template(const Call& call);
    Reply texts(const Call& call, const std::function<ApiRequest()>& read, const AnswerForm& form);
    Reply translated(const Call& call, const TranslatedRequest& request);
    void check_key(const Call& call) const;
    const Endpoint& endpoint(const Call& call) const;
    void tell_ignored(const std::vector<std::string>& names);

    ServerSettings settings_;
    Metrics metrics_;
    std::string page_;
    std::atomic<bool> ready_ = false, draining_ = false;
    std::unique_ptr<TextGenerator> generator_;
    ServedModel model_;
    bool pools_last_ = false;  // embeddings: the last state of a text, or the mean of all
    std::shared_ptr<KeptResponses> kept_;
    std::mutex mutex_;                      // of what follows
    std::set<std::string> told_;            // parameters without effect that the log has
    std::unique_ptr<EngineThread> engine_;  // uses all the others
};

// The body of an answer that is an error, in the form of the interface that was asked.
std::string error_text(const std::string& path, const ApiError& error);

// Whether the two are the same, in a time that depends on `given` alone.
bool same_key(std::string_view given, std::string_view key);

}  // namespace tbt
