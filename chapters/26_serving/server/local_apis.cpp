#include "chapters/26_serving/server/local_apis.hpp"

#include <chrono>
#include <ctime>
#include <set>

#include "chapters/26_serving/server/body_options.hpp"
#include "lib/json/json.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

namespace {

using Clock = std::chrono::steady_clock;

// 2026-11-27T20:00:00Z
std::string iso_time(std::time_t time) {
    char text[32];
    std::tm parts{};
    std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&time, &parts));
    return text;
}

Json details(const ServedModel& model) {
    return {{"parent_model", ""},
            {"format", "safetensors"},
            {"family", model.name},
            {"families", Json::array({model.name})},
            {"parameter_size",
             std::to_string(parameter_count(model.generator->model().config()) / 1000000) + "M"},
            {"quantization_level", "F16"}};
}

// ---- Ollama -------------------------------------------------------------------------------------

// What is common to its two ways of asking. Options of the machine have no effect.
Json common_of_ollama(const Json& body, TranslatedRequest& asked) {
    static const std::set<std::string> of_machine = {
        "num_ctx",  "num_keep",        "num_gpu", "main_gpu", "num_thread", "num_batch",
        "use_mmap", "use_mlock",       "numa",    "low_vram", "f16_kv",     "vocab_only",
        "tfs_z",    "penalize_newline"};
    static const std::set<std::string> taken = {"model", "stream", "tools", "logprobs",
                                                "top_logprobs"};
    static const std::set<std::string> read = {"options", "images",  "format", "messages",
                                               "prompt",  "system",  "suffix", "raw",
                                               "think",   "template"};
    Json common = {{"stream", true}};
    for (const auto& [name, value] : body.items())
        if (taken.contains(name) && !value.is_null()) common[name] = value;
        else if (!taken.contains(name) && !read.contains(name) && !is_off(value))
            asked.ignored.push_back(name);
    if (const Json& options = member(body, "options"); options.is_object())
        common.update(members_besides(options, {}, of_machine, asked));
    if (!is_off(member(body, "template")))
        throw ApiError(400, "template: this server uses the model's own; leave it out", "template");
    if (const Json& think = member(body, "think"); think.is_boolean())
        common["chat_template_kwargs"] = {{"enable_thinking", think}};
    else if (!think.is_null()) common["reasoning_effort"] = think;
    asked.names = {{"response_format.json_schema", "format"},
                   {"response_format", "format"},
                   {"json_schema", "format"},
                   {"chat_template_kwargs", "think"},
                   {"reasoning_effort", "think"}};
    if (const Json& images = member(body, "images"); images.is_array() && !images.empty())
        throw ApiError(400, "images: this model reads no pictures", "images");
    const Json& format = member(body, "format");
    if (format == "json") common["response_format"] = {{"type", "json_object"}};
    else if (format.is_object())
        common["response_format"] = {{"type", "json_schema"},
                                     {"json_schema", {{"schema", format}}}};
    else if (!format.is_null() && format != "")
        throw ApiError(400, "format: expected json, or a JSON Schema", "format");
    return common;
}

// What each of its answers begins with.
Json ollama_object(const std::string& text, bool messages, const ServedModel& model) {
    Json all = {{"model", model.name}, {"created_at", iso_time(std::time(nullptr))}};
    if (messages) all["message"] = {{"role", "assistant"}, {"content", text}};
    else all["response"] = text;
    return all;
}

// Lines of JSON, the last one with what there is to say of the whole.
class OllamaAnswer : public ApiAnswer {
public:
    OllamaAnswer(const ApiRequest& request, const ServedModel& model, const std::string& id,
                 bool messages)
        : ApiAnswer(request, model, id), messages_(messages) {}

    const char* stream_type() const override { return "application/x-ndjson"; }
    std::string end() override { return ""; }
    std::string whole() const override {
        const AnswerText said = answer_of(only());
        return json_text(last(only(), said.content, said.calls));
    }

private:
    Json object(const Choice& choice, const std::string& text, const ToolCalls& calls) const {
        Json all = ollama_object(text, messages_, *model_);
        if (request_->logprobs >= 0) all["logprobs"] = token_entries(choice.logprobs, choice.told);
        if (messages_)
            for (const ToolCall& call : calls)
                all["message"]["tool_calls"].push_back(
                    {{"function",
                      {{"name", call.name}, {"arguments", json_value(call.arguments)}}}});
        return all;
    }
    Json last(const Choice& choice, const std::string& text, const ToolCalls& calls) const {
        Json all = object(choice, text, calls);
        const auto took = std::chrono::nanoseconds(Clock::now() - begin_).count();
        all["done"] = true;
        all["done_reason"] = cut_off(only()) ? "length" : "stop";
        all["total_duration"] = took, all["load_duration"] = 0;
        all["prompt_eval_count"] = prompt_tokens(), all["prompt_eval_duration"] = 0;
        all["eval_count"] = completion_tokens(), all["eval_duration"] = took;
        return all;
    }
    std::string event(Choice& choice, const std::string& shown, const ToolCalls& calls) override {
        Json line = choice.ended ? last(choice, shown, calls) : object(choice, shown, calls);
        choice.told = choice.logprobs.size();
        if (!choice.ended) line["done"] = false;
        return json_text(line) + "\n";
    }
    std::string error_event(const ApiError& error) const override {
        return json_text(Json{{"error", error.what()}}) + "\n";
    }

    bool messages_;
    Clock::time_point begin_ = Clock::now();
};

// ---- llama.cpp ----------------------------------------------------------------------------------

class LlamaAnswer : public ApiAnswer {
public:
    using ApiAnswer::ApiAnswer;
    std::string end() override { return ""; }
    std::string whole() const override { return json_text(last(text_of(only()))); }

private:
    Json object(const std::string& text, bool stop) const {
        return {{"index", 0},
                {"content", text},
                {"tokens", Json::array()},
                {"id_slot", 0},
                {"stop", stop},
                {"model", model_->name},
                {"tokens_predicted", completion_tokens()},
                {"tokens_evaluated", prompt_tokens()}};
    }
    Json last(const std::string& text) const {
        const GeneratedText& written = only().ended->text;
        const bool word = written.reason == FinishReason::stop_string;
        Json all = object(text, true);
        all["generation_settings"] = {{"seed", request_->seed()},
                                      {"n_ctx", model_->generator->model().config().n_positions}};
        all["prompt"] = request_->prompts.empty() ? "" : request_->prompts[0];
        all["truncated"] = false;
        all["stop_type"] = word ? "word" : cut_off(only()) ? "limit" : "eos";
        all["stopping_word"] =
            word ? request_->job->options.stop_strings[index(written.stop_string)] : "";
        all["tokens_cached"] = cached_tokens();
        return all;
    }
    std::string event(Choice& choice, const std::string& shown, const ToolCalls&) override {
        return "data: " + json_text(choice.ended ? last(shown) : object(shown, false)) + "\n\n";
    }
};

}  // namespace

TranslatedRequest translated_ollama_chat(const Json& body) {
    TranslatedRequest asked;
    Json chat = common_of_ollama(body, asked);
    chat["messages"] = Json::array();
    if (!member(body, "messages").is_array())
        throw ApiError(400, "messages: expected a list of messages", "messages");
    for (Json message : body["messages"]) {
        if (const Json& images = member(message, "images"); !images.is_null())
            if (!images.is_array() || !images.empty())
                throw ApiError(400, "messages: this model reads no pictures", "messages");
        chat["messages"].push_back(std::move(message));
    }
    go_on_from_last(chat["messages"]);
    asked.body = json_text(chat), asked.form = answer_form<OllamaAnswer>(true);
    return asked;
}

TranslatedRequest translated_ollama_generate(const Json& body, bool chat) {
    TranslatedRequest request;
    Json asked = common_of_ollama(body, request);
    const Json& prompt = member(body, "prompt");
    const std::string system = text_or(body, "system", ""), text = text_or(body, "prompt", "");
    if (!prompt.is_null() && !prompt.is_string())
        throw ApiError(400, "prompt: expected a string", "prompt");
    if (const Json& suffix = member(body, "suffix"); !suffix.is_null()) asked["suffix"] = suffix;
    if (!chat || member(body, "raw") == true) {
        // A completion has one number for both.
        if (asked.contains("logprobs") && asked["logprobs"] == true)
            asked["logprobs"] = asked.value("top_logprobs", Json(0));
        asked.erase("top_logprobs");
        asked["prompt"] = (system.empty() ? "" : system + "\n\n") + text;
    } else {
        asked["messages"] = Json::array();
        if (!system.empty()) asked["messages"].push_back({{"role", "system"}, {"content", system}});
        asked["messages"].push_back({{"role", "user"}, {"content", text}});
    }
    request.body = json_text(asked), request.form = answer_form<OllamaAnswer>(false);
    return request;
}

Json ollama_loaded(const Json& body, bool messages, const ServedModel& model) {
    // 0, "0s" or "0h0m"
    const Json& keep = member(body, "keep_alive");
    const bool unload =
        !keep.is_null() && json_text(keep).find_first_of("123456789") == std::string::npos;
    Json all = ollama_object("", messages, model);
    all["done"] = true;
    all["done_reason"] = unload ? "unload" : "load";
    return all;
}

std::string translated_ollama_embed(const Json& body) {
    Json asked = Json::object();
    for (const auto& [name, value] : body.items())
        asked[name == "prompt" ? "input" : name] = value;  // of /api/embeddings
    return json_text(asked);
}

Json ollama_embedded(const Json& answer, bool several) {
    Json vectors = Json::array();
    for (const Json& one : answer["data"]) vectors.push_back(one["embedding"]);
    if (!several) return {{"embedding", vectors[0]}};
    return {{"model", answer["model"]},
            {"embeddings", vectors},
            {"prompt_eval_count", answer["usage"]["prompt_tokens"]}};
}

TranslatedRequest translated_llama_completion(const Json& body) {
    Json asked = body;
    if (!asked.contains("n_predict") && !asked.contains("max_tokens")) asked["n_predict"] = -1;
    if (member(asked, "seed") == 4294967295) asked["seed"] = -1;  // its name for any
    return {json_text(asked), answer_form<LlamaAnswer>()};
}

Json ollama_tags(const ServedModel& model) {
    const int context = model.generator->model().config().n_positions;
    return {{"models", Json::array({{{"name", model.name},
                                     {"model", model.name},
                                     {"modified_at", iso_time(0)},
                                     {"size", 0},
                                     {"digest", std::string(64, '0')},
                                     {"details", details(model)},
                                     {"expires_at", "2100-01-01T00:00:00Z"},
                                     {"size_vram", 0},
                                     {"context_length", context}}})}};
}

Json ollama_show(const ServedModel& model) {
    const TransformerConfig& config = model.generator->model().config();
    return {{"modelfile", ""},
            {"parameters", ""},
            {"template", model.chat ? model.chat->source() : ""},
            {"details", details(model)},
            {"model_info",
             {{"general.architecture", model.name},
              {"general.parameter_count", parameter_count(config)},
              {model.name + ".context_length", config.n_positions},
              {model.name + ".embedding_length", config.n_embd}}},
            {"capabilities", Json::array({"completion", "tools", "embedding"})},
            {"modified_at", iso_time(0)}};
}

Json llama_props(const ServedModel& model) {
    const int context = model.generator->model().config().n_positions;
    return {{"default_generation_settings", {{"n_ctx", context}}},
            {"total_slots", model.settings.max_running},
            {"model_alias", model.name},
            {"model_path", model.name},
            {"chat_template", model.chat ? model.chat->source() : ""},
            {"modalities", {{"vision", false}, {"audio", false}}},
            {"build_info", "token-by-token"}};
}

}  // namespace tbt
