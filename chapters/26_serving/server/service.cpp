#include "chapters/26_serving/server/service.hpp"

#include <algorithm>
#include <cstdio>

#include "chapters/26_serving/server/answer.hpp"
#include "chapters/26_serving/server/body_reader.hpp"
#include "lib/chat/model_chat.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

struct Service::Endpoint {
    const char *method, *path;
    Reply (Service::*reply)(const Call&);
    bool open = false;  // without a key, and before the model is there
};

const std::vector<Service::Endpoint>& Service::endpoints() {
    static const std::vector<Endpoint> all = {
        {"POST", "/v1/chat/completions", &Service::chat_completions},
        {"POST", "/v1/completions", &Service::completions},
        {"GET", "/v1/models", &Service::models},
        {"POST", "/tokenize", &Service::tokenize},
        {"POST", "/detokenize", &Service::detokenize},
        {"GET", "/metrics", &Service::metrics},
        {"GET", "/health", &Service::health, true},
        {"GET", "/", &Service::page, true},
    };
    return all;
}

Service::Service(const ServerSettings& settings) : settings_(settings) {
    const auto data = shipped_model("storyteller").parent_path().parent_path();
    const std::string beside = (data / "page" / "serve.html").string();
    page_ = read_file(file_exists(beside) ? beside : "data/page/serve.html");
}

Service::~Service() = default;

void Service::open() {
    generator_ = std::make_unique<TextGenerator>(settings_.model);
    const TransformerConfig& config = generator_->model().config();
    const int of_a_text = KvCache::block_count(config.n_positions) + 1;
    // As much again as runs, for what is remembered of texts that have ended.
    const int pages =
        settings_.cache_memory == 0
            ? 2 * of_a_text * settings_.max_running
            : PrefixCache::pages_in(std::int64_t{settings_.cache_memory} << 20, config);
    if (pages < of_a_text)
        throw Error("--cache-memory " + std::to_string(settings_.cache_memory) + ": " +
                    std::to_string(pages) +
                    " pages of 64 tokens, and one text of this model needs " +
                    std::to_string(of_a_text) + "; allow more");
    model_ = {generator_.get(), settings_.model_name(), {}};
    const std::optional<std::string> form = own_chat_template(settings_.model.model);
    if (form && form->find("Assistant:") == std::string::npos)
        model_.chat = std::make_shared<const ChatTemplate>(
            chat_template_for(settings_.model.model, generator_->model().tokenizer));
    static_cast<GenerateOptions&>(model_.base) = settings_.model;
    model_.base.no_escape = true;
    model_.base.guide.served = true;
    engine_ =
        std::make_unique<EngineThread>(*generator_,
                                       ServingLimits{settings_.max_running, settings_.max_waiting,
                                                     settings_.max_batch_tokens, pages},
                                       metrics_);
    ready_ = true;
}

bool Service::drain() {
    if (!engine_ || engine_->drain(std::chrono::seconds(settings_.timeout))) return true;
    engine_->stop();
    return false;
}

bool same_key(std::string_view given, std::string_view key) {
    // Every character of what was given is looked at, whether or not one differed.
    unsigned differs = given.size() == key.size() ? 0 : 1;
    for (std::size_t i = 0; i < given.size(); ++i)
        differs |= static_cast<unsigned char>(given[i]) ^
                   static_cast<unsigned char>(key.empty() ? '\0' : key[i % key.size()]);
    return differs == 0;
}

void Service::check_key(const Call& call) const {
    if (settings_.api_key.empty() || same_key(call.authorization, "Bearer " + settings_.api_key))
        return;
    throw ApiError(401, "no valid key was sent; expected the header Authorization: Bearer KEY", "",
                   "invalid_api_key");
}

const Service::Endpoint& Service::endpoint(const Call& call) const {
    std::string allowed;
    const std::string method = call.method == "HEAD" ? "GET" : call.method;
    for (const Endpoint& e : endpoints()) {
        const bool one_model =
            std::string(e.path) == "/v1/models" && call.path.starts_with("/v1/models/");
        if (call.path != e.path && !one_model) continue;
        if (method == e.method) return e;
        allowed = e.method;
    }
    if (!allowed.empty())
        throw ApiError(405, call.path + ": expected " + allowed + ", got " + call.method);
    throw ApiError(404, "there is no " + call.path.substr(0, 128) + " here");
}

static bool is_json(std::string type) {
    for (char& c : type)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return type.starts_with("application/json");
}

Reply Service::answer(const Call& call) {
    try {
        // Who has no key does not learn which paths there are.
        const bool free = call.path == "/" || call.path == "/health";
        if (!free) check_key(call);
        const Endpoint& e = endpoint(call);
        if (!e.open && !ready_) throw ApiError(503, "the model is still being opened");
        if (call.method == "POST" && !is_json(call.content_type))
            throw ApiError(
                415, "expected the header Content-Type: application/json, got " +
                         (call.content_type.empty() ? "none" : call.content_type.substr(0, 64)));
        return (this->*e.reply)(call);
    } catch (const ApiError& error) {
        Reply reply{error.status, "application/json", error.json()};
        if (error.status == 429 || error.status == 503)
            reply.headers.emplace_back("Retry-After", "1");
        if (error.status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
        return reply;
    } catch (const std::exception& error) {
        return {500, "application/json", ApiError(500, error.what()).json()};
    }
}

void Service::ended(const Call& call, int status, double seconds) {
    const bool known = std::any_of(endpoints().begin(), endpoints().end(),
                                   [&](const Endpoint& e) { return call.path == e.path; });
    metrics_.answered(known ? call.path : "other", status, seconds);
    const bool watched =
        call.path == "/metrics" || call.path == "/health";  // every second, by programs
    if (!settings_.quiet && !watched)
        std::fprintf(stderr, "%s %s %d %.0f ms %s\n", call.method.c_str(),
                     known ? call.path.c_str() : "(other)", status, 1e3 * seconds,
                     call.request_id.c_str());
}

Reply Service::health(const Call&) {
    if (!ready_) throw ApiError(503, "the model is still being opened");
    return {200, "application/json", R"({"status":"ok"})"};
}

Reply Service::models(const Call& call) {
    const OrderedJson one = {{"id", model_.name},
                             {"object", "model"},
                             {"created", 0},
                             {"owned_by", "token-by-token"},
                             {"max_model_len", generator_->model().config().n_positions}};
    const std::string all = "/v1/models";
    if (call.path == all)
        return {200, "application/json",
                json_text(OrderedJson{{"object", "list"}, {"data", OrderedJson::array({one})}})};
    if (call.path.substr(all.size() + 1) == model_.name)
        return {200, "application/json", json_text(one)};
    throw ApiError(404, "there is no such model; this server has " + model_.name, "model",
                   "model_not_found");
}

Reply Service::metrics(const Call&) {
    return {200, "text/plain; version=0.0.4", metrics_.prometheus(model_.name)};
}

Reply Service::page(const Call&) {
    Reply reply{200, "text/html; charset=utf-8", page_};
    // A model's text is shown as text; if that failed once, it could still load and send nothing.
    reply.headers.emplace_back("Content-Security-Policy",
                               "default-src 'none'; style-src 'unsafe-inline'; script-src "
                               "'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
                               "form-action 'none'; frame-ancestors 'none'");
    return reply;
}

Reply Service::tokenize(const Call& call) {
    const OrderedJson json = read_body(call.body);
    BodyReader body(json);
    body.take("model");
    const auto content = body.text("content"), prompt = body.text("prompt");
    const bool around = body.flag("add_special_tokens", body.flag("add_special", false));
    body.refuse_rest();
    if (!content && !prompt) throw ApiError(400, "prompt: expected a text", "prompt");
    const Tokenizer& tokenizer = generator_->model().tokenizer;
    const std::string& text = content ? *content : *prompt;
    const std::vector<int> ids = around ? tokenizer.encode_prompt(text) : tokenizer.encode(text);
    return {200, "application/json",
            json_text(OrderedJson{{"tokens", ids},
                                  {"count", ids.size()},
                                  {"max_model_len", generator_->model().config().n_positions}})};
}

Reply Service::detokenize(const Call& call) {
    const OrderedJson json = read_body(call.body);
    BodyReader body(json);
    body.take("model");
    const OrderedJson* tokens = body.take("tokens");
    body.refuse_rest();
    if (!tokens) throw ApiError(400, "tokens: expected a list of token ids", "tokens");
    const Tokenizer& tokenizer = generator_->model().tokenizer;
    const std::string text =
        tokenizer.decode_text(read_ids(*tokens, "tokens", tokenizer.vocab_size()));
    // The one word is llama.cpp's, the other vLLM's.
    return {200, "application/json", json_text(OrderedJson{{"content", text}, {"prompt", text}})};
}

Reply Service::completions(const Call& call) {
    return texts(call, read_completion_request(call.body, model_));
}

Reply Service::chat_completions(const Call& call) {
    return texts(call, read_chat_request(call.body, model_));
}

namespace {

// A job that is of use as long as its client is there: while this lives.
class Attended {
public:
    Attended(EngineThread& engine, ConnectionWatch& watch, int socket,
             std::shared_ptr<ServerJob> job)
        : engine_(&engine), watch_(&watch), socket_(socket), job_(std::move(job)) {
        watch.watch(socket, [&engine, asked = job_] { engine.cancel(asked); });
    }
    ~Attended() {
        watch_->forget(socket_);
        engine_->cancel(job_);
    }
    Attended(const Attended&) = delete;

private:
    EngineThread* engine_;
    ConnectionWatch* watch_;
    int socket_;
    std::shared_ptr<ServerJob> job_;
};

}  // namespace

Reply Service::texts(const Call& call, ApiRequest read) {
    const auto request = std::make_shared<ApiRequest>(std::move(read));
    const auto answer = std::make_shared<ApiAnswer>(*request, model_, call.request_id);
    if (!call.last_event_id.empty() && request->stream) answer->skip(call.last_event_id);
    engine_->submit(request->job);
    const auto attended =
        std::make_shared<Attended>(*engine_, watch_, call.connection, request->job);
    Outbox& outbox = request->job->outbox;
    outbox.wait_for_start();
    if (!request->stream) {
        for (std::deque<Piece> news; !(news = outbox.news()).empty();)
            for (const Piece& piece : news) answer->event(piece);
        return {200, "application/json", answer->whole()};
    }
    Reply reply{200, "text/event-stream", ""};
    reply.headers.emplace_back("Cache-Control", "no-cache");
    reply.stream = [request, answer, attended](const Reply::Write& write) {
        bool there = write(answer->first_events());
        for (std::deque<Piece> news; there && !(news = request->job->outbox.news()).empty();) {
            std::string events;
            for (const Piece& piece : news) events += answer->event(piece);
            there = events.empty() || write(events);
        }
        if (there) write(answer->last_events());
    };
    return reply;
}

}  // namespace tbt
