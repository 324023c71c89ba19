#include "chapters/26_serving/server/request.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "chapters/10_generate/chat.hpp"
#include "chapters/23_text_generator/writing.hpp"
#include "chapters/26_serving/server/body_options.hpp"
#include "chapters/26_serving/server/chat_question.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

namespace {

const std::vector<std::string> names_of_most = words_in(
    "max_tokens max_completion_tokens max_new_tokens max_output_tokens n_predict num_predict");

// Names that are read here, for "did you mean".
const std::vector<std::string> read_here = words_in(
    "model stream stream_options n logit_bias seed stop logprobs max_tokens best_of messages "
    "max_completion_tokens prompt echo suffix top_logprobs tools tool_choice response_format "
    "continue_final_message structured_outputs");

// {"1234": -100}, and -100 and 100 mean never and always, as OpenAI has it; or [[1234, false]], as
// llama.cpp has it, where false means never.
void read_logit_bias(BodyReader& body, TextOptions& options) {
    const Json* bias = body.take("logit_bias");
    if (!bias) return;
    const bool pairs = bias->is_array() && !bias->empty() && (*bias)[0].is_array();
    if (!bias->is_object() && !pairs) {  // the course's own form: "ID=VALUE", or a list of them
        body.give_back("logit_bias");
        return;
    }
    const auto add = [&](const std::string& id, const Json& value) {
        if (!value.is_number() && value != false)
            throw ApiError(400, "logit_bias: expected a number for token " + id, "logit_bias");
        const bool never = value == false || value.get<double>() <= -100;
        options.logit_bias.push_back(id + "=" + (never ? std::string("-inf") : json_text(value)));
    };
    if (!pairs)
        for (const auto& [id, value] : bias->items()) add(id, value);
    else
        for (const Json& pair : *bias) {
            if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer())
                throw ApiError(400, "logit_bias: expected pairs of a token's id and a number",
                               "logit_bias");
            add(json_text(pair[0]), pair[1]);
        }
}

// Without one, each request gets a seed of its own, which its answer names: asked again, a model
// says something else.
void read_seed(BodyReader& body, const ServedModel& model, ApiRequest& r, TextOptions& base) {
    const Json* seed = body.take("seed");
    base.seed = model.settings.seed;
    if (seed && *seed != -1) {
        const double number = seed->is_number() ? seed->get<double>() : -1;
        const bool whole =
            seed->is_number_integer() || (number < 9e15 && std::floor(number) == number);
        if (number < 0 || !whole)
            body.fail("seed", "expected a number from 0 to 18446744073709551615, or -1 for any");
        base.seed = seed->get<std::uint64_t>();
    } else if (!base.seed || seed) {
        std::random_device random;  // as many bits as a number of JSON is sure to keep
        base.seed = ((std::uint64_t{random()} << 32) | random()) >> 11;
        r.drawn_seed = true;
    }
}

// The most tokens of a text, by any of its names, as an option. What is more than the context has
// room for is as much as that. Returns the name.
std::string read_most(BodyReader& body, const ServedModel& model, BodyMembers& members) {
    std::string by = "max_tokens";
    const double context = model.generator->model().config().n_positions;
    for (const std::string& name : names_of_most) {
        const Json* most = body.take(name);
        if (!most) continue;
        const double tokens = most->is_number() ? most->get<double>() : 0.5;
        if (tokens != std::floor(tokens)) body.fail(name, "expected a whole number");
        if (tokens < -2) body.fail(name, "got " + json_text(*most) + ", expected 0 or more");
        if (tokens >= 0 && (members.empty() || members[0].second == -1 ||
                            members[0].second.get<double>() > tokens))
            members = {{"max_tokens", std::min(tokens, 1e6 + context)}}, by = name;
        else if (members.empty()) members = {{"max_tokens", -1}}, by = name;
    }
    if (!members.empty()) body.take("max_length");  // by itself it would count the prompt, too
    return by;
}

void read_common(BodyReader& body, const ServedModel& model, ApiRequest& r, TextOptions& base) {
    const ServerSettings& s = model.settings;
    check_model(body, model);
    r.stream = body.flag("stream");
    if (const Json* options = body.take("stream_options"))
        r.include_usage = BodyReader(*options, "stream_options").flag("include_usage");
    r.choices = body.integer("n", 1, 1, s.max_n);
    read_seed(body, model, r, base);
    read_logit_bias(body, base);
}

// vLLM's structured_outputs, as the options that they are.
void read_structured_outputs(BodyReader& body, BodyMembers& members) {
    const Json* asked = body.take("structured_outputs");
    if (!asked) return;
    BodyReader inner(*asked, "structured_outputs");
    for (const char* name : {"json", "regex", "choice", "grammar"})
        if (const Json* form = inner.take(name)) {
            if (*form == "") inner.fail(name, "it is empty; leave it out for any text");
            members.emplace_back(std::string(name) == "json" ? "json_schema" : name, *form);
        }
    if (const Json* any = inner.take("json_object"); any && *any == true)
        members.emplace_back("json_schema", Json{{"type", "object"}}),
            members.emplace_back("open", true);
    for (auto& member : inner.rest())  // a slip, or without effect: as any other parameter
        if (member.second != false) members.push_back(std::move(member));
}

// Reads what is left as options of the course, and hands all to a job.
void finish(BodyReader& body, const ServedModel& model, ApiRequest& r, const TextOptions& base) {
    const ServerSettings& s = model.settings;
    BodyMembers members;
    const std::string most_name = read_most(body, model, members);
    read_structured_outputs(body, members);
    for (auto& member : body.rest()) members.push_back(std::move(member));
    TextOptions options = options_of(members, base, read_here, s.strict, r.ignored);
    if (options.num_beams > s.max_beams)
        body.fail("num_beams", "got " + std::to_string(options.num_beams) + ", expected at most " +
                                   std::to_string(s.max_beams));
    const int context = model.generator->model().config().n_positions;
    const int most = options.context != "slide" ? context
                     : s.max_tokens > 0         ? s.max_tokens
                                                : 4 * context;
    if (options.max_new_tokens && *options.max_new_tokens > most) options.max_new_tokens = most;
    if (options.unlimited() && options.context == "slide") options.max_new_tokens = most;
    if (r.logprobs >= 0) options.traced_tokens = r.logprobs;
    if (options.samples > 1 && r.choices == 1 && base.samples == 1) r.choices = options.samples;
    options.samples = std::max(options.samples, r.choices);
    if (options.samples > r.choices) options.traced_tokens = std::max(options.traced_tokens, 0);
    r.job->samples = options.samples;
    // The most probable text is the same each time.
    if (strategy_of(options) == Strategy::greedy && !needs_own_passes(options)) options.samples = 1;
    r.job->pieces = r.stream;
    r.job->strict = s.strict;
    r.job->most_name = most_name;
    r.job->options = options;
}

// The tokens that an answer goes on from. form: it is held to one, so no space follows the colon.
std::vector<int> begun_ids(const ChatQuestion& question, const ServedModel& model, bool form) {
    return model.generator->model().tokenizer.encode(question.begun_text(!model.chat && !form));
}

// The answer goes on from tokens that it begins with. Those that it may have are counted with them.
void add_begun(const ChatQuestion& question, const ServedModel& model, ServerJob& job) {
    if (question.begun.empty()) return;
    TextOptions& o = job.options;
    job.begun = begun_ids(question, model, !o.guide.name().empty());
    if (needs_own_passes(o))
        throw ApiError(400,
                       "messages: an answer goes on without beams, guidance or another model only",
                       "messages");
    if (o.max_new_tokens.value_or(-1) >= 0) *o.max_new_tokens += count(job.begun);
}

void compile_form(const ServedModel& model, ApiRequest& r) {
    try {
        r.job->language = model.generator->language(r.job->options.guide);
    } catch (const ApiError&) {  // it is not waited for any more
        throw;
    } catch (const Error& error) {
        throw about_option(422, error.what());
    }
}

void check_room(std::size_t tokens, const std::string& name, const ServedModel& model) {
    const int context = model.generator->model().config().n_positions;
    if (tokens < index(context)) return;
    throw ApiError(400,
                   name + ": its " + std::to_string(tokens) +
                       " tokens leave no room in the context of " + std::to_string(context),
                   name, "context_length_exceeded");
}

// Those of a text that a model continues: never none.
std::vector<int> ids_of(const std::string& text, const ServedModel& model) {
    const Tokenizer& tokenizer = model.generator->model().tokenizer;
    std::vector<int> ids = tokenizer.encode_prompt(text);
    if (ids.empty()) ids.push_back(tokenizer.eos_id());
    return ids;
}

void check_texts(const ApiRequest& r, const ServedModel& model) {
    if (r.job->texts() <= index(model.settings.max_n)) return;
    throw ApiError(400,
                   "prompt, n, best_of: " + std::to_string(r.job->texts()) +
                       " texts in one request, expected at most " +
                       std::to_string(model.settings.max_n),
                   "prompt");
}

MarkedText by_template(const ChatQuestion& question, const ServedModel& model) {
    ChatOptions options;
    if (model.chat->takes_tools()) options.tools = question.told_tools;
    options.variables = question.variables;
    try {
        return model.chat->render(question.messages, options);
    } catch (const Error& error) {  // what the template refuses is the client's fault
        throw ApiError(400, error.what(), "messages");
    }
}

std::vector<int> question_ids(const ChatQuestion& question, const ServedModel& model) {
    if (!model.chat) return ids_of(question.in_lines(), model);
    return model.generator->model().tokenizer.encode_marked(by_template(question, model));
}

}  // namespace

void check_model(BodyReader& body, const ServedModel& model) {
    const ServerSettings& s = model.settings;
    const auto name = body.text("model");
    if (!name || *name == model.name || !(s.strict || s.strict_model)) return;
    throw ApiError(
        404, "model: there is no " + name->substr(0, 64) + " here; this server has " + model.name,
        "model", "model_not_found");
}

std::string chat_prompt_text(const ChatQuestion& question, const ServedModel& model) {
    return (model.chat ? by_template(question, model).text() : question.in_lines()) +
           question.begun_text(!model.chat);
}

std::vector<int> chat_prompt_ids(const ChatQuestion& question, const ServedModel& model) {
    std::vector<int> ids = question_ids(question, model);
    const bool form = !question.schema.empty() || !question.tools.empty();
    for (const int id : begun_ids(question, model, form)) ids.push_back(id);
    return ids;
}

std::vector<std::vector<int>> read_prompts(const Json& prompts, const std::string& name,
                                           const ServedModel& model,
                                           std::vector<std::string>& texts, bool slides) {
    std::vector<std::vector<int>> all;
    const auto add = [&](const Json& one) {
        if (one.is_string()) {
            texts.push_back(one.get<std::string>());
            all.push_back(ids_of(texts.back(), model));
        } else {
            all.push_back(read_ids(one, name, model.generator->model().config().vocab_size));
            texts.push_back(model.generator->model().tokenizer.decode_text(all.back()));
        }
        if (all.back().empty())
            throw ApiError(400, name + ": expected at least one token, got an empty list", name);
        if (!slides) check_room(all.back().size(), name, model);
    };
    const bool list = prompts.is_array() && !prompts.empty();
    if (prompts.is_string() || (list && prompts[0].is_number())) add(prompts);
    else if (list) std::for_each(prompts.begin(), prompts.end(), add);
    else
        throw ApiError(400, name + ": expected a string, a list of strings, or lists of token ids",
                       name);
    return all;
}

ApiRequest read_completion_request(const Json& json, const ServedModel& model) {
    BodyReader body(json);
    ApiRequest r;
    r.job = std::make_shared<ServerJob>();
    TextOptions base = model.base;
    read_common(body, model, r, base);
    const Json* prompt = body.take("prompt");
    if (!prompt) throw ApiError(400, "prompt: expected one", "prompt");
    r.echo = body.flag("echo");
    const Json* logprobs = body.take("logprobs");
    if (logprobs && logprobs->is_boolean()) r.logprobs = *logprobs == true ? 0 : -1;
    else r.logprobs = body.integer("logprobs", -1, 0, 20);
    if (const Json* suffix = body.take("suffix"); suffix && *suffix != "")
        throw ApiError(400, "suffix: this model does not fill gaps; it writes from left to right",
                       "suffix");
    // Fewer than n, as clients send whose default is 1, are n.
    base.samples = std::max(r.choices, body.integer("best_of", 1, 1, model.settings.max_n));
    if (base.samples > r.choices && r.stream)
        throw ApiError(400, "best_of and stream: the best text is known only when all are complete",
                       "best_of");
    ChatQuestion form;
    read_response_format(body, form);
    base.guide.schema = form.schema, base.guide.strict = form.strict, base.guide.open = form.open;
    finish(body, model, r, base);
    r.job->prompts =
        read_prompts(*prompt, "prompt", model, r.prompts, r.job->options.context == "slide");
    check_texts(r, model);
    if (r.echo && r.logprobs >= 0) r.job->prompt_logprobs = r.logprobs;
    compile_form(model, r);
    return r;
}

ApiRequest read_chat_request(const Json& json, const ServedModel& model) {
    BodyReader body(json);
    ApiRequest r;
    r.chat = true;
    r.job = std::make_shared<ServerJob>();
    TextOptions base = model.base;
    base.max_new_tokens = -1;  // as many as the context has room for
    read_common(body, model, r, base);
    const Json* messages = body.take("messages");
    if (!messages) throw ApiError(400, "messages: expected a list of messages", "messages");
    const bool logprobs = body.flag("logprobs");
    const int top = body.integer("top_logprobs", 0, 0, 20);
    if (logprobs) r.logprobs = top;
    else if (top > 0)
        throw ApiError(400, "top_logprobs: expected logprobs: true as well", "top_logprobs");
    const ChatQuestion question = read_chat_question(*messages, body);
    if (!model.chat)  // what only a template reads has no effect
        for (const char* name : {"chat_template_kwargs", "reasoning_effort"}) body.give_back(name);
    base.guide.schema = question.schema, base.guide.tools = question.tools;
    base.guide.strict = question.strict, base.guide.open = question.open;
    r.tools = question.tool_names, r.one_call = question.one_call;
    r.old_functions = question.old_functions;
    finish(body, model, r, base);
    TextOptions& options = r.job->options;
    if (!model.chat && options.guide.name().empty())
        for (const std::string& stop : chat_stop_strings) options.stop_strings.push_back(stop);
    options = for_chat(options);
    r.job->prompts = {question_ids(question, model)};
    add_begun(question, model, *r.job);
    check_room(r.job->prompts[0].size() + r.job->begun.size(), "messages", model);
    check_texts(r, model);
    compile_form(model, r);
    return r;
}

}  // namespace tbt
