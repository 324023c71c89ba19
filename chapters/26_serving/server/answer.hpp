// Texts as OpenAI's objects: whole, or as the events of a stream.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/chat.hpp"
#include "chapters/26_serving/server/api_request.hpp"

namespace tbt {

// Follows the texts of a request and writes what a client gets.
class ApiAnswer {
public:
    // id: of the request. The others must outlive it.
    ApiAnswer(const ApiRequest& request, const ServedModel& model, const std::string& id);

    // Takes news of a text. In a stream: the event that the client gets now; "" if none.
    std::string event(const Piece& piece);
    // What begins a stream, and what ends it.
    std::string first_events();
    std::string last_events() const;
    // The tokens of each choice that a client has (the id of the last event that it got): events
    // with no more are left out. Throws ApiError on what is no such id.
    void skip(const std::string& last_event_id);

    // Everything as one object, once all texts have ended. Throws ApiError where one failed.
    std::string whole() const;

    std::size_t prompt_tokens() const;
    std::size_t completion_tokens() const;
    std::size_t cached_tokens() const;

private:
    struct Choice {
        TrimmedStream trimmed;
        std::string text;
        std::size_t tokens = 0, skipped = 0;
        std::vector<TokenLogprob> logprobs;
        std::optional<ServedText> ended;
    };

    OrderedJson object(const char* kind) const;
    OrderedJson usage() const;
    OrderedJson chat_choice(std::size_t place, const Choice& choice) const;
    OrderedJson text_choice(std::size_t place, const Choice& choice) const;
    OrderedJson delta_choice(std::size_t place, const OrderedJson& delta) const;
    OrderedJson chat_logprobs(const std::vector<TokenLogprob>& tokens) const;
    OrderedJson text_logprobs(const std::vector<TokenLogprob>& tokens, std::size_t offset) const;
    std::vector<TokenLogprob> logprobs_of_prompt(std::size_t prompt) const;
    std::size_t prompt_of(std::size_t choice) const { return choice / index(request_->choices); }
    // The call that a text is: {"name", "arguments"}; null where it is none.
    OrderedJson call_in(const std::string& text, std::size_t place) const;
    std::string finish_reason(const Choice& choice, bool is_call) const;
    // An event of the stream; its id says how many tokens of each choice the client has with it.
    std::string event_line(const OrderedJson& data, bool with_id = true) const;
    std::string chunk(const OrderedJson& choice) const;
    std::vector<const Choice*> best() const;

    const ApiRequest* request_;
    const ServedModel* model_;
    std::string id_;
    long created_;
    std::vector<Choice> choices_;  // options.samples for each prompt
};

}  // namespace tbt
