#include "chapters/26_serving/server/answer.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>

#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

std::vector<std::size_t> read_event_id(const std::string& id, ApiRequest& request) {
    const ApiError wrong(400, "Last-Event-ID: expected the id of an event of this request");
    const char* at = id.data();
    const char* const end = at + id.size();
    const auto number = [&](auto& value, char after) {
        const auto [rest, error] = std::from_chars(at, end, value);
        if (error != std::errc() || (after ? rest == end || *rest != after : rest != end))
            throw wrong;
        at = rest + (after != '\0');
    };
    std::vector<std::size_t> tokens(request.job->texts());
    for (std::size_t i = 0; i < tokens.size(); ++i)
        number(tokens[i], i + 1 < tokens.size() ? '-' : request.drawn_seed ? '~' : '\0');
    std::uint64_t seed = 0;
    if (request.drawn_seed) number(seed, '\0'), request.job->options.seed = seed;
    return tokens;
}

void ApiAnswer::skip(const std::vector<std::size_t>& tokens) {
    for (std::size_t i = 0; i < choices_.size(); ++i) choices_[i].skipped = tokens[i];
}

void ApiAnswer::check() const {
    for (const Choice& choice : choices_)
        if (choice.ended && !choice.ended->error.empty())
            throw ApiError(choice.status, choice.ended->error);
}

std::string ApiAnswer::error_event(const ApiError& error) const {
    return "data: " + error.json() + "\n\n";
}

std::string ApiAnswer::shown_text(const std::string& text) const {
    if (!request_->chat) return text;
    if (goes_on()) return std::string(trimmed("." + text).substr(1));  // white space may follow it
    return std::string(trimmed(text));
}

std::string ApiAnswer::call_id(std::size_t place, std::size_t number) const {
    return "call_" + id_ + "_" + std::to_string(place) +
           (number == 0 ? "" : "_" + std::to_string(number));
}

bool ApiAnswer::cut_off(const Choice& choice) const {
    const FinishReason reason = choice.ended->text.reason;
    return reason != FinishReason::eos && reason != FinishReason::stop_string;
}

std::size_t ApiAnswer::prompt_tokens() const {
    std::size_t tokens = request_->job->begun.size();
    for (const std::vector<int>& prompt : request_->job->prompts) tokens += prompt.size();
    return tokens;
}

std::size_t ApiAnswer::completion_tokens() const {
    std::size_t tokens = 0;
    for (const Choice& choice : choices_) tokens += choice.tokens;
    return tokens;
}

// Of each prompt, what its first text did not have to read.
std::size_t ApiAnswer::cached_tokens() const {
    std::size_t tokens = 0;
    for (std::size_t i = 0; i < choices_.size(); i += index(request_->job->samples))
        if (choices_[i].ended) tokens += index(choices_[i].ended->cached);
    return tokens;
}

// The call that a text is, {"name": …, "arguments": {…}}; none if it is something else. Llama 3
// says "parameters".
static std::optional<ToolCall> read_call(std::string_view text) {
    const Json call = json_value(trimmed(text));
    const Json& name = member(call, "name");
    const Json& arguments = member(call, call.contains("parameters") ? "parameters" : "arguments");
    if (call.size() != 2 || !name.is_string() || !arguments.is_object()) return {};
    return ToolCall{name.text(), json_text(arguments)};
}

// Qwen's family and others mark their calls, after thoughts or other content.
static AnswerText marked_calls(const std::string& text, bool only_one) {
    constexpr std::string_view begin = "<tool_call>", end = "</tool_call>", thought = "</think>";
    AnswerText answer;
    std::size_t rest = 0, at = 0;
    // Thoughts may name the marks.
    if (const std::size_t t = text.find(thought);
        text.starts_with("<think>") || t < text.find(begin))
        at = std::min(t, text.size());
    while ((at = text.find(begin, at)) != std::string::npos) {
        const std::size_t inside = at + begin.size();
        std::optional<ToolCall> call;
        std::size_t stop = inside;
        for (;; ++stop) {  // a string of the arguments may have the mark, too
            stop = std::min(text.find(end, stop), text.size());
            call = read_call(std::string_view(text).substr(inside, stop - inside));
            if (call || stop == text.size()) break;
        }
        if (!call) {
            at = inside;
            continue;
        }
        answer.content += text.substr(rest, at - rest);
        at = rest = std::min(stop + end.size(), text.size());
        if (!only_one || answer.calls.empty()) answer.calls.push_back(*call);
    }
    answer.content += text.substr(rest);
    return answer;
}

AnswerText ApiAnswer::read_answer(const std::string& text) const {
    AnswerText answer;
    if (!request_->tools.empty()) {
        // Other JSON may look like a call.
        const auto call = read_call(text);
        if (call && request_->tools.contains(call->name)) return {"", {*call}};
        answer = marked_calls(text, request_->one_call);
    }
    answer.content = shown_text(answer.calls.empty() ? text : answer.content);
    return answer;
}

std::string ApiAnswer::take(const Piece& piece) {
    Choice& choice = choices_.at(piece.text);
    choice.place = piece.text;
    choice.text += piece.piece;
    choice.tokens = std::max(choice.tokens, piece.tokens);
    choice.logprobs.insert(choice.logprobs.end(), piece.logprobs.begin(), piece.logprobs.end());
    if (piece.ended) choice.ended = piece.ended, choice.status = piece.status;
    if (!request_->stream) return "";
    if (piece.ended && !piece.ended->error.empty())
        return error_event(ApiError(piece.status, piece.ended->error));
    const bool held = request_->chat && !request_->tools.empty();  // what it is shows at its end
    std::string shown = piece.piece;
    if (request_->chat) shown = held ? "" : choice.trimmed.push(piece.piece);
    const AnswerText whole_text = piece.ended && held ? read_answer(choice.text) : AnswerText();
    const bool has_it = choice.skipped > 0 && choice.tokens <= choice.skipped;
    if (!has_it && held) shown = whole_text.content;
    // Tokens whose text is held back wait with it.
    if (!piece.ended && (has_it || shown.empty())) return "";
    choice.told = std::max(choice.told, std::min(choice.skipped, choice.logprobs.size()));
    return event(choice, shown, whole_text.calls);
}

namespace {

// JSON has no infinity.
double finite(double log_probability) {
    return std::isfinite(log_probability) ? log_probability : -9999.0;
}

// How many characters begin in these bytes, which may end in the middle of one.
std::size_t characters_begun(std::string_view text) {
    return index(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

using Tokens = std::vector<TokenLogprob>;

// Of a completion: lists side by side. offset: of the first token in the text, in characters.
Json text_lists(const Tokens& tokens, std::size_t first, std::size_t offset,
                const Tokenizer& tokenizer) {
    Json lists = {{"tokens", Json::array()},
                  {"token_logprobs", Json::array()},
                  {"top_logprobs", Json::array()},
                  {"text_offset", Json::array()}};
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const TokenLogprob& token = tokens[i];
        const std::string text = tokenizer.decode({&token.id, 1});
        if (i >= first) {
            lists["tokens"].push_back(text);
            // The first token of a prompt has nothing before it.
            lists["token_logprobs"].push_back(
                std::isnan(token.log_probability) ? Json() : Json(finite(token.log_probability)));
            Json top = Json::object();
            for (const auto& [id, log_probability] : token.choices)
                top[tokenizer.decode({&id, 1})] = finite(log_probability);
            if (!top.empty()) top.emplace(text, finite(token.log_probability));
            lists["top_logprobs"].push_back(top.empty() ? Json() : top);
            lists["text_offset"].push_back(offset);
        }
        offset += characters_begun(text);
    }
    return lists;
}

class OpenAiAnswer : public ApiAnswer {
public:
    OpenAiAnswer(const ApiRequest& request, const ServedModel& model, const std::string& id)
        : ApiAnswer(request, model, id),
          tokenizer_(&model.generator->model().tokenizer),
          object_{{"id", (request.chat ? "chatcmpl-" : "cmpl-") + id_},
                  {"object", ""},
                  {"created", created_},
                  {"model", model.name},
                  {"system_fingerprint", model.name + "-" + release}} {}

    std::string begin() override {
        std::string events;
        for (std::size_t i = 0; i < choices_.size(); ++i) {
            choices_[i].place = i;
            for (const TokenLogprob& token : prompt_logprobs(prompt_of(i)))
                choices_[i].offset += characters_begun(tokenizer_->decode({&token.id, 1}));
            if (choices_[i].skipped > 0) continue;
            if (request_->chat)
                events += chunk({{"index", i},
                                 {"delta", {{"role", "assistant"}, {"content", ""}}},
                                 {"logprobs", nullptr},
                                 {"finish_reason", nullptr}});
            else if (request_->echo)
                events += chunk({{"index", i},
                                 {"text", request_->prompts[prompt_of(i)]},
                                 {"logprobs", lists(prompt_logprobs(prompt_of(i)), 0, 0)},
                                 {"finish_reason", nullptr}});
        }
        return events;
    }
    std::string end() override {
        std::string events;
        if (request_->include_usage) {
            Json data = object(request_->chat ? "chat.completion.chunk" : "text_completion");
            data["choices"] = Json::array();
            data["usage"] = usage();
            events = "data: " + json_text(data) + "\n\n";
        }
        return events + "data: [DONE]\n\n";
    }
    std::string whole() const override {
        Json answer = object(request_->chat ? "chat.completion" : "text_completion");
        answer["seed"] = request_->seed();
        answer["choices"] = Json::array();
        std::size_t place = 0;
        for (const Choice* choice : best()) {
            if (choice)
                answer["choices"].push_back(request_->chat ? chat_choice(place, *choice)
                                                           : text_choice(place, *choice));
            ++place;
        }
        answer["usage"] = usage();
        return json_text(answer);
    }

private:
    Json object(const char* kind) const {
        Json all = object_;
        all["object"] = kind;
        return all;
    }
    Json usage() const {
        return {{"prompt_tokens", prompt_tokens()},
                {"completion_tokens", completion_tokens()},
                {"total_tokens", prompt_tokens() + completion_tokens()},
                {"prompt_tokens_details", {{"cached_tokens", cached_tokens()}}}};
    }
    Json lists(const Tokens& tokens, std::size_t first, std::size_t offset) const {
        if (request_->logprobs < 0) return nullptr;
        if (request_->chat) return {{"content", token_entries(tokens, first)}};
        return text_lists(tokens, first, offset, *tokenizer_);
    }
    Tokens prompt_logprobs(std::size_t prompt) const {
        if (!request_->echo || request_->logprobs < 0) return {};
        return request_->job->prompt_tokens[prompt];
    }
    Json reason(const Choice& choice, bool calls) const {
        if (calls) return request_->old_functions ? "function_call" : "tool_calls";
        return cut_off(choice) ? "length" : "stop";
    }
    // Puts calls into a message, or into what is new of one.
    void add_calls(Json& message, const ToolCalls& calls, std::size_t place, bool in_stream) const {
        for (std::size_t i = 0; i < calls.size(); ++i) {
            Json function = {{"name", calls[i].name}, {"arguments", calls[i].arguments}};
            if (request_->old_functions) {  // that form has one
                message["function_call"] = std::move(function);
                return;
            }
            Json one = Json::object();
            if (in_stream) one["index"] = i;
            one["id"] = call_id(place, i), one["type"] = "function";
            one["function"] = std::move(function);
            message["tool_calls"].push_back(std::move(one));
        }
    }
    Json chat_choice(std::size_t place, const Choice& choice) const {
        const AnswerText said = answer_of(choice);
        Json message = {{"role", "assistant"},
                        {"content", said.calls_only() ? Json() : Json(said.content)},
                        {"refusal", nullptr}};
        add_calls(message, said.calls, place, false);
        return {{"index", place},
                {"message", std::move(message)},
                {"logprobs", lists(choice.logprobs, 0, 0)},
                {"finish_reason", reason(choice, !said.calls.empty())}};
    }
    Json text_choice(std::size_t place, const Choice& choice) const {
        const std::size_t prompt = prompt_of(place);
        Tokens tokens = prompt_logprobs(prompt);
        tokens.insert(tokens.end(), choice.logprobs.begin(), choice.logprobs.end());
        return {{"index", place},
                {"text", (request_->echo ? request_->prompts[prompt] : "") + text_of(choice)},
                {"logprobs", lists(tokens, 0, 0)},
                {"finish_reason", reason(choice, false)}};
    }
    // Of each prompt's texts the likeliest by the token; all where no more are asked for. Null: a
    // search has found fewer.
    std::vector<const Choice*> best() const {
        const std::size_t samples = index(request_->job->samples),
                          wanted = index(request_->choices);
        const auto mean = [](const Choice* choice) {
            double sum = 0;
            for (const TokenLogprob& token : choice->logprobs) sum += token.log_probability;
            return sum / static_cast<double>(std::max<std::size_t>(choice->logprobs.size(), 1));
        };
        std::vector<const Choice*> chosen;
        for (std::size_t first = 0; first < choices_.size(); first += samples) {
            std::vector<const Choice*> texts;
            for (std::size_t s = 0; s < samples; ++s)
                if (choices_[first + s].ended) texts.push_back(&choices_[first + s]);
            if (samples > wanted)
                std::stable_sort(texts.begin(), texts.end(),
                                 [&](const auto* a, const auto* b) { return mean(a) > mean(b); });
            texts.resize(wanted);
            chosen.insert(chosen.end(), texts.begin(), texts.end());
        }
        return chosen;
    }
    // An event of the stream; its id says how many tokens of each choice the client has with it.
    std::string chunk(const Json& choice) {
        if (head_.empty()) {
            head_ = json_text(object(request_->chat ? "chat.completion.chunk" : "text_completion"));
            head_.back() = ',';  // more members follow
        }
        std::string all = "id: ";
        for (const Choice& c : choices_)
            all += (&c == &choices_[0] ? "" : "-") + std::to_string(std::max(c.tokens, c.skipped));
        if (request_->drawn_seed) all += "~" + std::to_string(request_->seed());
        all += "\ndata: " + head_;
        if (!std::exchange(seed_told_, true))
            all += "\"seed\":" + std::to_string(request_->seed()) + ",";
        all += "\"choices\":[" + json_text(choice) + "]";
        if (request_->include_usage) all += ",\"usage\":null";
        return all + "}\n\n";
    }
    std::string event(Choice& choice, const std::string& shown, const ToolCalls& calls) override {
        Json json = {{"index", choice.place}};
        if (request_->chat) {
            Json& delta = json["delta"] = Json::object();
            if (!shown.empty()) delta["content"] = shown;
            const bool has_it = choice.skipped > 0 && choice.tokens <= choice.skipped;
            if (!has_it) add_calls(delta, calls, choice.place, true);
        } else {
            json["text"] = shown;
        }
        json["logprobs"] = lists(choice.logprobs, choice.told, choice.offset);
        choice.told = choice.logprobs.size();
        json["finish_reason"] = choice.ended ? reason(choice, !calls.empty()) : Json();
        return chunk(json);
    }

    const Tokenizer* tokenizer_;
    Json object_;
    std::string head_;  // of each event: the same members
    bool seed_told_ = false;
};

}  // namespace

Json ApiAnswer::token_entries(const Tokens& tokens, std::size_t first) const {
    const auto entry = [&](int id, double log_probability) -> Json {
        const std::string text = model_->generator->model().tokenizer.decode({&id, 1});
        const std::vector<unsigned char> bytes(text.begin(), text.end());
        return {{"token", text}, {"logprob", finite(log_probability)}, {"bytes", bytes}};
    };
    Json all = Json::array();
    for (std::size_t i = first; i < tokens.size(); ++i) {
        Json one = entry(tokens[i].id, tokens[i].log_probability);
        one["top_logprobs"] = Json::array();
        for (const auto& [id, log_probability] : tokens[i].choices)
            one["top_logprobs"].push_back(entry(id, log_probability));
        all.push_back(std::move(one));
    }
    return all;
}

std::unique_ptr<ApiAnswer> openai_answer(const ApiRequest& request, const ServedModel& model,
                                         const std::string& id) {
    return std::make_unique<OpenAiAnswer>(request, model, id);
}

}  // namespace tbt
