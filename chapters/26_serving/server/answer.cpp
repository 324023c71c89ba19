#include "chapters/26_serving/server/answer.hpp"

#include <algorithm>
#include <charconv>
#include <ctime>

#include "chapters/26_serving/server/logprob_lists.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

ApiAnswer::ApiAnswer(const ApiRequest& request, const ServedModel& model, const std::string& id)
    : request_(&request),
      model_(&model),
      id_((request.chat ? "chatcmpl-" : "cmpl-") + id),
      created_(std::time(nullptr)),
      choices_(request.job->texts()) {}

void ApiAnswer::skip(const std::string& last_event_id) {
    const char* at = last_event_id.data();
    const char* const end = at + last_event_id.size();
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        const auto [rest, wrong] = std::from_chars(at, end, choices_[i].skipped);
        const bool last = i + 1 == choices_.size();
        if (wrong != std::errc() || (last ? rest != end : rest == end || *rest != '-'))
            throw ApiError(400, "Last-Event-ID: expected the id of an event of this request");
        at = last ? rest : rest + 1;
    }
}

OrderedJson ApiAnswer::object(const char* kind) const {
    return {{"id", id_},
            {"object", kind},
            {"created", created_},
            {"model", model_->name},
            {"system_fingerprint", model_->name + "-" + release}};
}

std::size_t ApiAnswer::prompt_tokens() const {
    std::size_t tokens = 0;
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
    for (std::size_t i = 0; i < choices_.size(); i += index(request_->job->options.samples))
        if (choices_[i].ended) tokens += index(choices_[i].ended->cached);
    return tokens;
}

OrderedJson ApiAnswer::usage() const {
    return {{"prompt_tokens", prompt_tokens()},
            {"completion_tokens", completion_tokens()},
            {"total_tokens", prompt_tokens() + completion_tokens()},
            {"prompt_tokens_details", {{"cached_tokens", cached_tokens()}}}};
}

OrderedJson ApiAnswer::chat_logprobs(const std::vector<TokenLogprob>& tokens) const {
    if (request_->logprobs < 0) return nullptr;
    return chat_logprob_lists(tokens, model_->generator->model().tokenizer);
}

OrderedJson ApiAnswer::text_logprobs(const std::vector<TokenLogprob>& tokens,
                                     std::size_t offset) const {
    if (request_->logprobs < 0) return nullptr;
    return text_logprob_lists(tokens, offset, model_->generator->model().tokenizer);
}

std::string ApiAnswer::finish_reason(const Choice& choice, bool is_call) const {
    if (is_call) return "tool_calls";
    const FinishReason reason = choice.ended->text.reason;
    return reason == FinishReason::eos || reason == FinishReason::stop_string ? "stop" : "length";
}

OrderedJson ApiAnswer::call_in(const std::string& text, std::size_t place) const {
    if (!request_->calls) return nullptr;
    std::string_view written = trimmed(text);
    // As Qwen's family and others mark it.
    constexpr std::string_view begin = "<tool_call>", end = "</tool_call>";
    if (written.starts_with(begin))
        written = written.substr(begin.size(), written.find(end) - begin.size());
    const OrderedJson call = ordered_json_value(written);
    if (!call.is_object() || call.size() != 2 || !call.contains("name") ||
        !call["name"].is_string() || !call.contains("arguments") || !call["arguments"].is_object())
        return nullptr;
    return {{"id", "call_" + id_.substr(id_.find('-') + 1) + "_" + std::to_string(place)},
            {"type", "function"},
            {"function", {{"name", call["name"]}, {"arguments", json_text(call["arguments"])}}}};
}

OrderedJson ApiAnswer::chat_choice(std::size_t place, const Choice& choice) const {
    const std::string& text = choice.ended->text.text;
    const OrderedJson call = call_in(text, place);
    OrderedJson message = {{"role", "assistant"},
                           {"content", call.is_null() ? OrderedJson(trimmed(text)) : OrderedJson()},
                           {"refusal", nullptr}};
    if (!call.is_null()) message["tool_calls"] = OrderedJson::array({call});
    return {{"index", place},
            {"message", std::move(message)},
            {"logprobs", chat_logprobs(choice.logprobs)},
            {"finish_reason", finish_reason(choice, !call.is_null())}};
}

OrderedJson ApiAnswer::text_choice(std::size_t place, const Choice& choice) const {
    const std::size_t prompt = prompt_of(place);
    const std::string before = request_->echo ? request_->prompts[prompt] : std::string();
    std::vector<TokenLogprob> tokens;
    if (request_->echo) tokens = logprobs_of_prompt(prompt);
    tokens.insert(tokens.end(), choice.logprobs.begin(), choice.logprobs.end());
    return {{"index", place},
            {"text", before + choice.ended->text.text},
            {"logprobs", text_logprobs(tokens, 0)},
            {"finish_reason", finish_reason(choice, false)}};
}

// Of each prompt's texts the likeliest by the token; all where no more than that are asked for.
std::vector<const ApiAnswer::Choice*> ApiAnswer::best() const {
    const std::size_t samples = index(request_->job->options.samples),
                      wanted = index(request_->choices);
    const auto mean = [](const Choice* choice) {
        double sum = 0;
        for (const TokenLogprob& token : choice->logprobs) sum += token.log_probability;
        return sum / static_cast<double>(std::max<std::size_t>(choice->logprobs.size(), 1));
    };
    std::vector<const Choice*> chosen;
    for (std::size_t first = 0; first < choices_.size(); first += samples) {
        std::vector<const Choice*> texts;
        for (std::size_t s = 0; s < samples; ++s) texts.push_back(&choices_[first + s]);
        if (samples > wanted)
            std::stable_sort(texts.begin(), texts.end(),
                             [&](const auto* a, const auto* b) { return mean(a) > mean(b); });
        chosen.insert(chosen.end(), texts.begin(), texts.begin() + to_int(wanted));
    }
    return chosen;
}

std::string ApiAnswer::whole() const {
    for (const Choice& choice : choices_)
        if (choice.ended && !choice.ended->error.empty()) throw ApiError(422, choice.ended->error);
    OrderedJson answer = object(request_->chat ? "chat.completion" : "text_completion");
    answer["choices"] = OrderedJson::array();
    std::size_t place = 0;
    for (const Choice* choice : best()) {
        answer["choices"].push_back(request_->chat ? chat_choice(place, *choice)
                                                   : text_choice(place, *choice));
        ++place;
    }
    answer["usage"] = usage();
    return json_text(answer);
}

std::string ApiAnswer::event_line(const OrderedJson& data, bool with_id) const {
    std::string id;
    for (const Choice& choice : choices_)
        id += (id.empty() ? "" : "-") + std::to_string(choice.tokens);
    return (with_id ? "id: " + id + "\n" : "") + "data: " + json_text(data) + "\n\n";
}

std::string ApiAnswer::chunk(const OrderedJson& choice) const {
    OrderedJson data = object(request_->chat ? "chat.completion.chunk" : "text_completion");
    data["choices"] = OrderedJson::array({choice});
    if (request_->include_usage) data["usage"] = nullptr;
    return event_line(data);
}

OrderedJson ApiAnswer::delta_choice(std::size_t place, const OrderedJson& delta) const {
    return {{"index", place}, {"delta", delta}, {"logprobs", nullptr}, {"finish_reason", nullptr}};
}

std::string ApiAnswer::first_events() {
    std::string events;
    for (std::size_t i = 0; i < choices_.size(); ++i) {
        if (choices_[i].skipped > 0) continue;
        if (request_->chat)
            events += chunk(delta_choice(i, {{"role", "assistant"}, {"content", ""}}));
        else if (request_->echo)
            events += chunk({{"index", i},
                             {"text", request_->prompts[prompt_of(i)]},
                             {"logprobs", text_logprobs(logprobs_of_prompt(prompt_of(i)), 0)},
                             {"finish_reason", nullptr}});
    }
    return events;
}

std::string ApiAnswer::event(const Piece& piece) {
    Choice& choice = choices_.at(piece.text);
    std::size_t offset = 0;
    if (request_->logprobs >= 0)
        offset = characters_begun(choice.text) +
                 (request_->echo ? characters_begun(request_->prompts[prompt_of(piece.text)]) : 0);
    choice.text += piece.piece;
    choice.tokens = std::max(choice.tokens, piece.tokens);
    choice.logprobs.insert(choice.logprobs.end(), piece.logprobs.begin(), piece.logprobs.end());
    if (piece.ended) choice.ended = piece.ended;
    if (!request_->stream) return "";
    if (piece.ended && !piece.ended->error.empty())
        return "data: " + ApiError(422, piece.ended->error).json() + "\n\n";
    const bool held = request_->chat && request_->calls;  // what it is shows at its end
    std::string shown = piece.piece;
    if (request_->chat) shown = held ? "" : choice.trimmed.push(piece.piece);
    const OrderedJson call = piece.ended && held ? call_in(choice.text, piece.text) : OrderedJson();
    const bool has_it = held && choice.skipped > 0 && choice.tokens <= choice.skipped;
    if (piece.ended && held && call.is_null() && !has_it) shown = trimmed(choice.text);
    if (!piece.ended && (choice.tokens <= choice.skipped || shown.empty())) return "";
    OrderedJson json;
    if (request_->chat) {
        OrderedJson delta = OrderedJson::object();
        if (!shown.empty()) delta["content"] = shown;
        if (!call.is_null() && !has_it) {
            OrderedJson first = {{"index", 0}};
            first.update(call);
            delta["tool_calls"] = OrderedJson::array({std::move(first)});
        }
        json = delta_choice(piece.text, delta);
        json["logprobs"] = chat_logprobs(piece.logprobs);
    } else {
        json = {{"index", piece.text},
                {"text", shown},
                {"logprobs", text_logprobs(piece.logprobs, offset)},
                {"finish_reason", nullptr}};
    }
    if (piece.ended) json["finish_reason"] = finish_reason(choice, !call.is_null());
    return chunk(json);
}

std::string ApiAnswer::last_events() const {
    std::string events;
    if (request_->include_usage) {
        OrderedJson data = object(request_->chat ? "chat.completion.chunk" : "text_completion");
        data["choices"] = OrderedJson::array();
        data["usage"] = usage();
        events = event_line(data, false);
    }
    return events + "data: [DONE]\n\n";
}

std::vector<TokenLogprob> ApiAnswer::logprobs_of_prompt(std::size_t prompt) const {
    std::vector<TokenLogprob> tokens;
    if (request_->logprobs < 0) return tokens;
    for (const PromptToken& token : request_->job->prompt_tokens[prompt]) {
        tokens.push_back({token.id, token.log_probability, {}});
        for (const PromptToken::Choice& top : token.choices)
            tokens.back().top.emplace_back(top.id, top.log_probability);
    }
    return tokens;
}

}  // namespace tbt
