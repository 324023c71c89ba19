#include "chapters/26_serving/server/service.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

#include "chapters/26_serving/server/body_options.hpp"
#include "chapters/26_serving/server/chat_question.hpp"
#include "chapters/26_serving/server/local_apis.hpp"
#include "lib/chat/model_chat.hpp"
#include "lib/core/files.hpp"
#include "lib/core/unicode.hpp"
#include "lib/grammar/cancellation.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/kv_cache.hpp"
#include "lib/show/base64.hpp"

namespace tbt {

struct Service::Endpoint {
    const char *method, *path;
    std::function<Reply(Service&, const Call&)> reply;
    bool open = false;  // without a key, and before the model is there
};

static Reply json_reply(const Json& json) { return {200, "application/json", json_text(json)}; }

const std::vector<Service::Endpoint>& Service::endpoints() {
    // Never destroyed: a server that is static, too, may answer its last client after that.
    static const auto* const all = new std::vector<Endpoint>{
        {"POST", "/v1/chat/completions", &Service::chat_completions},
        {"POST", "/v1/completions", &Service::completions},
        {"GET", "/v1/models", &Service::models},
        {"POST", "/v1/responses",
         [](Service& s, const Call& call) {
             return s.translated(call, translated_responses(read_body(call.body), s.kept_));
         }},
        {"POST", "/v1/embeddings", &Service::embeddings},
        {"POST", "/v1/messages",
         [](Service& s, const Call& call) {
             return s.translated(call, translated_messages(read_body(call.body)));
         }},
        {"POST", "/v1/messages/count_tokens", &Service::count_tokens},
        {"POST", "/api/chat", &Service::ollama_chat},
        {"POST", "/api/generate", &Service::ollama_generate},
        {"POST", "/api/embed", &Service::ollama_embed},
        {"POST", "/api/embeddings", &Service::ollama_embed},
        {"GET", "/api/tags", &Service::ollama_list},
        {"GET", "/api/ps", &Service::ollama_list},
        {"POST", "/api/show",
         [](Service& s, const Call&) { return json_reply(ollama_show(s.model_)); }},
        {"GET", "/api/version",
         [](Service&, const Call&) {
             return json_reply({{"version", release}});
         }},
        {"POST", "/completion", &Service::llama_completion},
        {"POST", "/completions", &Service::llama_completion},
        {"POST", "/apply-template", &Service::apply_template},
        {"GET", "/props",
         [](Service& s, const Call&) { return json_reply(llama_props(s.model_)); }},
        {"GET", "/slots", &Service::llama_slots},
        {"POST", "/tokenize", &Service::tokenize},
        {"POST", "/detokenize", &Service::detokenize},
        {"GET", "/metrics",
         [](Service& s, const Call&) {
             return Reply{200, "text/plain; version=0.0.4", s.metrics_.prometheus(s.model_.name)};
         }},
        {"GET", "/health", &Service::health, true},
        {"GET", "/", &Service::page, true},
    };
    return *all;
}

// The page of /; "" if it was not found.
static std::string find_page() {
    const std::string file = shipped_file("page/serve.html");
    if (!file_exists(file)) return "";
    std::string page = read_file(file);
    const std::string looks = "/* page.css */";
    if (const std::size_t at = page.find(looks); at != std::string::npos)
        page.replace(at, looks.size(), read_file(shipped_file("page/page.css")));
    return page;
}

Service::Service(const ServerSettings& settings) : settings_(settings), page_(find_page()) {}

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
    model_.generator = generator_.get();
    model_.name = settings_.model_name();
    model_.settings = settings_;
    const std::optional<std::string> form = own_chat_template(settings_.model.model);
    if (form && form->find("Assistant:") == std::string::npos)
        model_.chat = std::make_shared<const ChatTemplate>(
            chat_template_for(settings_.model.model, generator_->model().tokenizer));
    static_cast<GenerateOptions&>(model_.base) = settings_.model;
    model_.base.no_escape = true;
    model_.base.guide.served = true;
    kept_ = std::make_shared<KeptResponses>(index(settings_.keep_responses));
    if (const std::string pooling = settings_.model.model + "/1_Pooling/config.json";
        file_exists(pooling))
        pools_last_ = member(read_body(read_file(pooling)), "pooling_mode_lasttoken") == true;
    engine_ = std::make_unique<EngineThread>(*generator_, settings_, pages, metrics_);
    ready_ = true;
}

bool Service::drain() {
    draining_ = true;
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
    std::string given = call.authorization;  // the scheme is one in any case
    given.replace(0, 6, lower_case(given.substr(0, 6)));
    if (settings_.api_key.empty() || same_key(given, "bearer " + settings_.api_key)) return;
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

std::string error_text(const std::string& path, const ApiError& error) {
    if (path.starts_with("/v1/messages")) return messages_error(error);
    if (path.starts_with("/api/")) return json_text(Json{{"error", error.what()}});
    return error.json();
}

Reply Service::answer(const Call& call) {
    try {
        // Who has no key does not learn which paths there are.
        const bool free = call.path == "/" || call.path == "/health";
        if (!free) check_key(call);
        const Endpoint& e = endpoint(call);
        if (!e.open && !ready_) throw ApiError(503, "the model is still being opened");
        // Another site's page may post a form, but not JSON. curl -d calls JSON a form.
        const bool json = lower_case(call.content_type).starts_with("application/json");
        if (call.method == "POST" && call.of_a_page && !json)
            throw ApiError(
                415, "expected the header Content-Type: application/json, got " +
                         (call.content_type.empty() ? "none" : call.content_type.substr(0, 64)));
        return e.reply(*this, call);
    } catch (const ApiError& error) {
        Reply reply{error.status, "application/json", error_text(call.path, error)};
        if (error.status == 429 || error.status == 503)
            reply.headers.emplace_back("Retry-After", "1");
        if (error.status == 401) reply.headers.emplace_back("WWW-Authenticate", "Bearer");
        return reply;
    } catch (const std::exception& error) {
        return {500, "application/json", error_text(call.path, ApiError(500, error.what()))};
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
    return json_reply({{"status", "ok"}});
}

Reply Service::models(const Call& call) {
    const Json one = {{"id", model_.name},
                      {"object", "model"},
                      {"created", 0},
                      {"owned_by", "token-by-token"},
                      {"max_model_len", generator_->model().config().n_positions}};
    const std::string all = "/v1/models";
    if (call.path == all) return json_reply({{"object", "list"}, {"data", Json::array({one})}});
    if (call.path.substr(all.size() + 1) == model_.name) return json_reply(one);
    throw ApiError(404, "there is no such model; this server has " + model_.name, "model",
                   "model_not_found");
}

Reply Service::page(const Call&) {
    if (page_.empty()) throw ApiError(404, "data/page/serve.html was not found by the program");
    Reply reply{200, "text/html; charset=utf-8", page_};
    // A model's text is shown as text; if that failed once, it could still load and send nothing.
    reply.headers.emplace_back("Content-Security-Policy",
                               "default-src 'none'; style-src 'unsafe-inline'; script-src "
                               "'unsafe-inline'; connect-src 'self'; base-uri 'none'; "
                               "form-action 'none'; frame-ancestors 'none'");
    return reply;
}

Reply Service::tokenize(const Call& call) {
    const Json json = read_body(call.body);
    BodyReader body(json);
    body.take("model");
    auto text = body.text("content");
    if (const auto prompt = body.text("prompt"); !text) text = prompt;
    const Json* messages = body.take("messages");  // vLLM's
    const bool around = body.flag("add_special_tokens", body.flag("add_special", false));
    const bool with_pieces = body.flag("with_pieces");       // llama.cpp's
    const bool as_strings = body.flag("return_token_strs");  // vLLM's
    if (!text && !messages) throw ApiError(400, "prompt: expected a text", "prompt");
    const Tokenizer& tokenizer = generator_->model().tokenizer;
    const std::vector<int> ids = !text
                                     ? chat_prompt_ids(read_chat_question(*messages, body), model_)
                                 : around ? tokenizer.encode_prompt(*text)
                                          : tokenizer.encode(*text);
    if (settings_.strict) body.refuse_rest();
    Json all = {{"tokens", ids},
                {"count", ids.size()},
                {"max_model_len", generator_->model().config().n_positions}};
    if (with_pieces) all["tokens"] = Json::array();
    if (as_strings) all["token_strs"] = Json::array();
    for (const int id : ids) {
        const std::string piece = tokenizer.decode({&id, 1});
        const bool whole = find_invalid_utf8(piece) == std::string::npos;
        if (with_pieces)
            all["tokens"].push_back(
                {{"id", id},
                 {"piece", whole ? Json(piece)
                                 : Json(std::vector<unsigned char>(piece.begin(), piece.end()))}});
        if (as_strings) all["token_strs"].push_back(piece);
    }
    return json_reply(all);
}

Reply Service::detokenize(const Call& call) {
    const Json json = read_body(call.body);
    BodyReader body(json);
    body.take("model");
    const Json* tokens = body.take("tokens");
    if (settings_.strict) body.refuse_rest();
    if (!tokens) throw ApiError(400, "tokens: expected a list of token ids", "tokens");
    const Tokenizer& tokenizer = generator_->model().tokenizer;
    const std::string text =
        tokenizer.decode_text(read_ids(*tokens, "tokens", tokenizer.vocab_size()));
    // The one word is llama.cpp's, the other vLLM's.
    return json_reply({{"content", text}, {"prompt", text}});
}

Reply Service::completions(const Call& call) {
    return texts(
        call, [&] { return read_completion_request(read_body(call.body), model_); }, openai_answer);
}

Reply Service::chat_completions(const Call& call) {
    return texts(
        call, [&] { return read_chat_request(read_body(call.body), model_); }, openai_answer);
}

// A body that was translated: of a chat where it has messages.
Reply Service::translated(const Call& call, const TranslatedRequest& request) {
    const auto read = [&]() -> ApiRequest {
        try {
            const Json body = read_body(request.body);
            ApiRequest one = body.contains("messages") ? read_chat_request(body, model_)
                                                       : read_completion_request(body, model_);
            if (one.job->texts() != 1)
                throw ApiError(400, "prompt, n: one text for each request here", "n");
            for (std::string& name : one.ignored) name = request.name_of(name);
            ignore(request.ignored, settings_.strict, one.ignored);
            return one;
        } catch (const ApiError& error) {
            throw request.about(error);
        }
    };
    return texts(call, read, request.form);
}

Reply Service::count_tokens(const Call& call) {
    const TranslatedRequest request = translated_messages(read_body(call.body));
    const Json json = read_body(request.body);
    BodyReader body(json);
    try {
        check_model(body, model_);
        const ChatQuestion question = read_chat_question(member(json, "messages"), body);
        return json_reply({{"input_tokens", chat_prompt_ids(question, model_).size()}});
    } catch (const ApiError& error) {
        throw request.about(error);
    }
}

Reply Service::ollama_chat(const Call& call) {
    const Json body = read_body(call.body);
    if (member(body, "messages").empty()) return json_reply(ollama_loaded(body, true, model_));
    return translated(call, translated_ollama_chat(body));
}

Reply Service::ollama_generate(const Call& call) {
    const Json body = read_body(call.body);
    if (const Json& prompt = member(body, "prompt"); prompt.empty() || prompt == "")
        return json_reply(ollama_loaded(body, false, model_));
    return translated(call, translated_ollama_generate(body, model_.chat != nullptr));
}

Reply Service::ollama_embed(const Call& call) {
    Call asked = call;
    asked.body = translated_ollama_embed(read_body(call.body));
    Reply reply = embeddings(asked);
    const bool several = call.path == "/api/embed";
    reply.body = json_text(ollama_embedded(json_value(reply.body), several));
    return reply;
}

Reply Service::ollama_list(const Call&) { return json_reply(ollama_tags(model_)); }

Reply Service::llama_completion(const Call& call) {
    return translated(call, translated_llama_completion(read_body(call.body)));
}

Reply Service::llama_slots(const Call&) {
    if (!settings_.slots) throw ApiError(404, "start the server with --slots for this");
    Json slots = Json::array();
    for (int s = 0; s < settings_.max_running; ++s)
        slots.push_back({{"id", s},
                         {"n_ctx", generator_->model().config().n_positions},
                         {"is_processing", index(s) < metrics_.running.load()}});
    return json_reply(slots);
}

Reply Service::apply_template(const Call& call) {
    const Json json = read_body(call.body);
    BodyReader body(json);
    const ChatQuestion question = read_chat_question(member(json, "messages"), body);
    return json_reply({{"prompt", chat_prompt_text(question, model_)}});
}

void Service::tell_ignored(const std::vector<std::string>& names) {
    const std::lock_guard lock(mutex_);
    for (const std::string& name : names)
        if (told_.size() < 1000 && told_.insert(name).second && !settings_.quiet &&
            has_no_effect(name))
            std::fprintf(stderr, "%s has no effect here\n", name.c_str());
}

static void add_ignored(Reply& reply, const std::vector<std::string>& names) {
    std::string all;  // within what any client takes as a header
    std::set<std::string> said;
    for (const std::string& name : names) {
        if (!said.insert(name).second) continue;
        all += (all.empty() ? "" : ", ") + (all.size() > 1024 ? "..." : name);
        if (all.size() > 1024) break;
    }
    if (!names.empty()) reply.headers.emplace_back("X-Ignored", all);
}

Reply Service::texts(const Call& call, const std::function<ApiRequest()>& read,
                     const AnswerForm& form) {
    std::shared_ptr<void> place = engine_->place();
    const auto request = [&] {  // it may have a form that takes long to compile
        const std::chrono::seconds limit(std::max(1, settings_.timeout));
        const auto end = std::chrono::steady_clock::now() + limit;
        const Cancellation cancellation([&] {
            if (draining_) throw ApiError(503, "the server is shutting down; use another one");
            if (call.waits && !call.waits()) throw ApiError(499, "the client has disconnected");
            if (std::chrono::steady_clock::now() > end)
                throw ApiError(422, "the grammar, schema or pattern takes more than " +
                                        std::to_string(limit.count()) +
                                        " s to compile; make it simpler");
        });
        return std::make_shared<ApiRequest>(read());
    }();
    std::vector<std::size_t> had;
    if (!call.last_event_id.empty() && request->stream)
        had = read_event_id(call.last_event_id, *request);
    const std::shared_ptr<ApiAnswer> answer = form(*request, model_, call.id);
    if (!had.empty()) answer->skip(had);
    tell_ignored(request->ignored);
    const std::shared_ptr<void> attended = engine_->submit(request->job);
    place.reset();
    Outbox& outbox = request->job->outbox;
    Reply reply{200, request->stream ? answer->stream_type() : "application/json", ""};
    reply.headers.emplace_back("X-Seed", std::to_string(request->seed()));
    add_ignored(reply, request->ignored);
    std::deque<Piece> first = outbox.news(call.waits);
    if (!request->stream) {
        for (std::deque<Piece> news = std::move(first); !news.empty();
             news = outbox.news(call.waits))
            for (const Piece& piece : news) answer->take(piece);
        if (!outbox.complete()) throw ApiError(499, "the client has disconnected");
        answer->check();
        reply.body = answer->whole();
        return reply;
    }
    reply.headers.emplace_back("Cache-Control", "no-cache");
    // Only pieces that a client waits for are there: the first came before the head of the reply.
    reply.stream = [request, answer, attended,
                    first = std::move(first)](const Reply::Write& write) mutable {
        bool there = write(answer->begin());
        const auto reads = [&] { return there = there && write(""); };
        for (std::deque<Piece> news = std::move(first); there && !news.empty();
             news = request->job->outbox.news(reads)) {
            std::string events;
            for (const Piece& piece : news) events += answer->take(piece);
            there = events.empty() || write(events);
        }
        if (there) write(answer->end());
    };
    return reply;
}

namespace {

// The first `dimensions` numbers, in the same direction and of length 1.
std::vector<float> unit_vector(const std::vector<double>& sum, std::size_t dimensions) {
    double square = 0;
    for (std::size_t c = 0; c < dimensions; ++c) square += sum[c] * sum[c];
    std::vector<float> vector;
    for (std::size_t c = 0; c < dimensions; ++c)
        vector.push_back(static_cast<float>(sum[c] / std::sqrt(std::max(square, 1e-300))));
    return vector;
}

}  // namespace

Reply Service::embeddings(const Call& call) {
    const Json json = read_body(call.body);
    BodyReader body(json);
    const Json* input = body.take("input");
    if (!input) throw ApiError(400, "input: expected a text, or a list of them", "input");
    check_model(body, model_);
    const int channels = generator_->model().config().n_embd;
    const int dimensions = body.integer("dimensions", channels, 1, channels);
    const std::string format = body.text("encoding_format").value_or("float");
    if (format != "float" && format != "base64")
        body.fail("encoding_format", "expected float or base64");
    std::vector<std::string> ignored;
    ignore_rest(body, {"input", "model", "dimensions", "encoding_format"}, settings_.strict,
                ignored);
    const auto job = std::make_shared<ServerJob>();
    std::vector<std::string> texts;
    job->prompts = read_prompts(*input, "input", model_, texts);
    if (constexpr std::size_t most = 2048; job->prompts.size() > most)  // OpenAI's limit
        body.fail("input", "got " + std::to_string(job->prompts.size()) +
                               " inputs, expected at most " + std::to_string(most));
    job->embeds = true, job->last_state = pools_last_;
    tell_ignored(ignored);
    std::shared_ptr<void> place = engine_->place();
    const std::shared_ptr<void> attended = engine_->submit(job);
    place.reset();
    job->outbox.news(call.waits);
    if (!job->outbox.complete()) throw ApiError(499, "the client has disconnected");
    Json data = Json::array();
    std::size_t tokens = 0;
    for (std::size_t p = 0; p < job->prompts.size(); ++p) {
        const std::vector<float> vector = unit_vector(job->states[p], index(dimensions));
        // The bytes of the numbers, as clients that want it fast ask for them.
        const std::string_view bytes(reinterpret_cast<const char*>(vector.data()),
                                     vector.size() * sizeof(float));
        data.push_back({{"object", "embedding"},
                        {"index", p},
                        {"embedding", format == "base64" ? Json(base64(bytes)) : Json(vector)}});
        tokens += job->prompts[p].size();
    }
    Reply reply = json_reply({{"object", "list"},
                              {"data", std::move(data)},
                              {"model", model_.name},
                              {"usage", {{"prompt_tokens", tokens}, {"total_tokens", tokens}}}});
    add_ignored(reply, ignored);
    return reply;
}

}  // namespace tbt
