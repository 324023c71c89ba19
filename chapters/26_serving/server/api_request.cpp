#include "chapters/26_serving/server/api_request.hpp"

#include <algorithm>
#include <set>

#include "chapters/10_generate/chat.hpp"
#include "chapters/26_serving/server/body_options.hpp"
#include "chapters/26_serving/server/body_reader.hpp"
#include "chapters/26_serving/server/chat_messages.hpp"

namespace tbt {

namespace {

const std::vector<std::string> members_of_both = {"model", "stream",     "stream_options",
                                                  "n",     "max_tokens", "logit_bias",
                                                  "seed",  "stop",       "logprobs"};
// Members that clients send and that change nothing here.
const std::vector<std::string> unused_members = {
    "user", "metadata", "store", "service_tier", "safety_identifier", "prompt_cache_key"};

std::vector<std::string> and_both(std::vector<std::string> names) {
    names.insert(names.end(), members_of_both.begin(), members_of_both.end());
    names.insert(names.end(), unused_members.begin(), unused_members.end());
    return names;
}

// {"1234": -100}, and -100 and 100 mean never and always, as OpenAI has it.
void read_logit_bias(BodyReader& body, TextOptions& options) {
    const OrderedJson* bias = body.take("logit_bias");
    if (!bias) return;
    if (!bias->is_object()) {  // the course's own form: "ID=VALUE", or a list of them
        body.give_back("logit_bias");
        return;
    }
    for (const auto& [id, value] : bias->items()) {
        if (!value.is_number())
            throw ApiError(400, "logit_bias: expected a number for token " + id, "logit_bias");
        options.logit_bias.push_back(
            id + "=" + (value.get<double>() <= -100 ? std::string("-inf") : json_text(value)));
    }
}

void read_common(BodyReader& body, const ServedModel& model, ApiRequest& r, TextOptions& base) {
    if (const auto name = body.text("model"); name && *name != model.name)
        throw ApiError(
            404,
            "model: there is no " + name->substr(0, 64) + " here; this server has " + model.name,
            "model", "model_not_found");
    r.stream = body.flag("stream");
    if (const OrderedJson* options = body.take("stream_options")) {
        BodyReader inner(*options, "stream_options");
        r.include_usage = inner.flag("include_usage");
        inner.flag("include_obfuscation");
        inner.refuse_rest();
    }
    r.choices = body.integer("n", 1, 1, max_texts);
    for (const std::string& unused : unused_members) body.take(unused);
    read_logit_bias(body, base);
}

// Reads what is left as options of the course, and hands all to a job.
void finish(BodyReader& body, const ServedModel& model, ApiRequest& r, const TextOptions& base,
            const std::vector<std::string>& known) {
    TextOptions options = options_of(body.rest(), base, known);
    if (r.logprobs >= 0) options.traced_tokens = r.logprobs;
    if (options.samples > 1 && r.choices == 1 && base.samples == 1) r.choices = options.samples;
    options.samples = std::max(options.samples, r.choices);
    if (options.samples > r.choices) options.traced_tokens = std::max(options.traced_tokens, 0);
    r.job->pieces = r.stream;
    r.job->options = options;
    try {
        r.job->language = model.generator->language(options.guide);
    } catch (const Error& error) {
        throw about_option(422, error.what());
    }
}

// member: of the body, that the prompt is.
std::vector<int> ids_of(const std::string& prompt, const std::string& member,
                        const ServedModel& model, const TextOptions& options) {
    try {
        return model.generator->prompt_ids(prompt, options);
    } catch (const Error& error) {
        throw ApiError(400, in_body_words(error.what()), member, "context_length_exceeded");
    }
}

// A prompt that came as ids must leave the room that one of text is asked for.
void check_room(std::size_t tokens, const ServedModel& model, const TextOptions& o) {
    const int least = o.min_new_tokens.value_or(1);
    const int room = std::max(1, o.unlimited() ? least : o.max_new_tokens.value_or(least));
    const int context = model.generator->model().config().n_positions;
    if (o.context == "slide" || tokens + index(room) <= index(context)) return;
    throw ApiError(400,
                   "prompt: its " + std::to_string(tokens) + " tokens and " + std::to_string(room) +
                       " new ones do not fit into the context of " + std::to_string(context),
                   "prompt", "context_length_exceeded");
}

// A conversation by the model's template; what that refuses is the client's fault.
std::vector<int> ids_of(const ChatQuestion& question, const ServedModel& model,
                        const TextOptions& options) {
    if (!model.chat) return ids_of(question.in_lines(), "messages", model, options);
    ChatOptions for_template;
    if (model.chat->takes_tools()) for_template.tools = question.told_tools;
    std::vector<int> ids;
    try {
        ids = chat_ids(model.generator->model().tokenizer, *model.chat, question.messages,
                       for_template);
    } catch (const Error& error) {
        throw ApiError(400, error.what(), "messages");
    }
    check_room(ids.size(), model, options);
    return ids;
}

// A text, ids, a list of texts or a list of lists of ids.
void read_prompts(const OrderedJson& prompt, const ServedModel& model, ApiRequest& r) {
    const TextOptions& options = r.job->options;
    const Tokenizer& tokenizer = model.generator->model().tokenizer;
    const auto text = [&](const std::string& one) {
        r.job->prompts.push_back(ids_of(one, "prompt", model, options));
        r.prompts.push_back(one);
    };
    const auto ids = [&](const OrderedJson& list) {
        r.job->prompts.push_back(
            read_ids(list, "prompt", model.generator->model().config().vocab_size));
        if (r.job->prompts.back().empty())
            throw ApiError(400, "prompt: expected at least one token, got an empty list", "prompt");
        check_room(r.job->prompts.back().size(), model, options);
        r.prompts.push_back(tokenizer.decode_text(r.job->prompts.back()));
    };
    const bool list = prompt.is_array() && !prompt.empty();
    if (prompt.is_string()) text(prompt.get<std::string>());
    else if (list && prompt[0].is_number()) ids(prompt);
    else if (list)
        for (const OrderedJson& one : prompt) {
            if (one.is_string()) text(one.get<std::string>());
            else ids(one);
        }
    else
        throw ApiError(400, "prompt: expected a string, a list of strings, or lists of token ids",
                       "prompt");
}

void check_texts(const ApiRequest& r) {
    if (r.job->texts() <= index(max_texts)) return;
    throw ApiError(400,
                   "prompt, n, best_of: " + std::to_string(r.job->texts()) +
                       " texts in one request, expected at most " + std::to_string(max_texts),
                   "prompt");
}

}  // namespace

// An object of the library that keeps its order looks through all of it for each new member.
static bool has_large_object(const Json& json) {
    constexpr std::size_t max_members = 4096;
    if (json.is_object() && json.size() > max_members) return true;
    return json.is_structured() && std::any_of(json.begin(), json.end(), has_large_object);
}

OrderedJson read_body(const std::string& body) {
    try {
        if (has_large_object(parse_json(body, "body")))
            throw Error("body: an object has more than 4096 members");
    } catch (const Error& error) {
        throw ApiError(400, error.what(), "", "invalid_json");
    }
    OrderedJson json = ordered_json_value(body);
    if (!json.is_object()) throw ApiError(400, "body: expected a JSON object", "", "invalid_json");
    return json;
}

std::vector<int> read_ids(const OrderedJson& list, const std::string& name, int vocab_size) {
    if (!list.is_array()) throw ApiError(400, name + ": expected a list of token ids", name);
    std::vector<int> ids;
    for (const OrderedJson& id : list) {
        if (!id.is_number_integer() || !is_integer(Json(id), 0, vocab_size - 1))
            throw ApiError(400,
                           name + ": " + json_text(id).substr(0, 32) +
                               " is not a token, expected an id from 0 to " +
                               std::to_string(vocab_size - 1),
                           name);
        ids.push_back(id.get<int>());
    }
    return ids;
}

ApiRequest read_completion_request(const std::string& text, const ServedModel& model) {
    const OrderedJson json = read_body(text);
    BodyReader body(json);
    ApiRequest r;
    r.job = std::make_shared<ServerJob>();
    TextOptions base = model.base;
    read_common(body, model, r, base);
    const OrderedJson* prompt = body.take("prompt");
    if (!prompt) throw ApiError(400, "prompt: expected one", "prompt");
    r.echo = body.flag("echo");
    r.logprobs = body.integer("logprobs", -1, 0, 20);
    if (body.take("suffix"))
        throw ApiError(400, "suffix: this model does not fill gaps; it writes from left to right",
                       "suffix");
    base.samples = body.integer("best_of", 1, 1, max_texts);
    if (base.samples > 1 && base.samples < r.choices)
        throw ApiError(400, "best_of: expected n or more", "best_of");
    if (base.samples > r.choices && r.stream)
        throw ApiError(400, "best_of and stream: the best text is known only when all are complete",
                       "best_of");
    finish(body, model, r, base, and_both({"prompt", "echo", "suffix", "best_of"}));
    read_prompts(*prompt, model, r);
    check_texts(r);
    if (r.echo && r.logprobs >= 0) r.job->prompt_logprobs = r.logprobs;
    return r;
}

ApiRequest read_chat_request(const std::string& text, const ServedModel& model) {
    const OrderedJson json = read_body(text);
    BodyReader body(json);
    ApiRequest r;
    r.chat = true;
    r.job = std::make_shared<ServerJob>();
    TextOptions base = for_answers(model.base);
    read_common(body, model, r, base);
    const OrderedJson* messages = body.take("messages");
    if (!messages) throw ApiError(400, "messages: expected a list of messages", "messages");
    if (const OrderedJson* most = body.take("max_completion_tokens"))
        base.max_new_tokens = body.integer_of(*most, "max_completion_tokens", 0, 1 << 30);
    const bool logprobs = body.flag("logprobs");
    const int top = body.integer("top_logprobs", 0, 0, 20);
    if (logprobs) r.logprobs = top;
    else if (top > 0)
        throw ApiError(400, "top_logprobs: expected logprobs: true as well", "top_logprobs");
    const ChatQuestion question = read_chat_question(*messages, body);
    question.hold(base.guide);
    r.calls = question.may_call;
    finish(body, model, r, base,
           and_both({"messages", "max_completion_tokens", "top_logprobs", "response_format",
                     "tools", "tool_choice", "parallel_tool_calls"}));
    TextOptions& options = r.job->options;
    if (!model.chat && options.guide.name().empty())
        for (const std::string& stop : chat_stop_strings) options.stop_strings.push_back(stop);
    options = with_answers_temperature(options);
    r.job->prompts = {ids_of(question, model, options)};
    check_texts(r);
    return r;
}

}  // namespace tbt
