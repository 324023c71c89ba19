// Texts as the objects of an interface: whole, or as the events of a stream. Here that of OpenAI.
#pragma once

#include <ctime>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "chapters/10_generate/chat.hpp"
#include "chapters/26_serving/server/request.hpp"

namespace tbt {

// A call of a tool. arguments: an object of JSON.
struct ToolCall {
    std::string name, arguments;
};
using ToolCalls = std::vector<ToolCall>;

// What a text is for a client: its calls of tools, and the content besides.
struct AnswerText {
    std::string content;
    ToolCalls calls;

    bool calls_only() const { return content.empty() && !calls.empty(); }
};

// Follows the texts of a request and writes what a client gets.
class ApiAnswer {
public:
    // id: of the request. The others must outlive it.
    ApiAnswer(const ApiRequest& request, const ServedModel& model, std::string id)
        : request_(&request),
          model_(&model),
          id_(std::move(id)),
          created_(std::time(nullptr)),
          choices_(request.job->texts()) {
        for (Choice& choice : choices_) choice.trimmed = TrimmedStream(goes_on());
    }
    virtual ~ApiAnswer() = default;

    // Takes news of a text. In a stream: what the client gets now; "" if nothing.
    std::string take(const Piece& piece);
    // What begins a stream, and what ends it.
    virtual std::string begin() { return ""; }
    virtual std::string end() = 0;
    // Everything as one object, once all texts have ended.
    virtual std::string whole() const = 0;
    virtual const char* stream_type() const { return "text/event-stream"; }

    // The tokens of each choice that a client has: events with no more are left out.
    void skip(const std::vector<std::size_t>& tokens);
    // Throws ApiError where a text failed.
    void check() const;

protected:
    struct Choice {
        std::size_t place = 0;
        TrimmedStream trimmed;
        std::string text;
        std::size_t tokens = 0, skipped = 0;
        std::vector<TokenLogprob> logprobs;
        std::size_t told = 0;    // of these the client has
        std::size_t offset = 0;  // characters of these
        std::optional<ServedText> ended;
        int status = 422;
    };

    // Something is new of a text: `shown` to be shown now; calls, at its end.
    virtual std::string event(Choice& choice, const std::string& shown, const ToolCalls& calls) = 0;
    virtual std::string error_event(const ApiError& error) const;

    const Choice& only() const { return choices_[0]; }
    // Does it go on from a text that the client has?
    bool goes_on() const { return !request_->job->begun.empty(); }
    // The text, as a client wants it.
    std::string shown_text(const std::string& text) const;
    std::string text_of(const Choice& choice) const { return shown_text(choice.ended->text.text); }
    AnswerText read_answer(const std::string& text) const;
    AnswerText answer_of(const Choice& choice) const {
        return read_answer(choice.ended->text.text);
    }
    std::string call_id(std::size_t place, std::size_t number = 0) const;
    // An object for each token from `first` on, with its bytes and the first choices.
    Json token_entries(const std::vector<TokenLogprob>& tokens, std::size_t first) const;
    bool cut_off(const Choice& choice) const;  // at a limit
    std::size_t prompt_tokens() const;
    std::size_t completion_tokens() const;
    std::size_t cached_tokens() const;
    std::size_t prompt_of(std::size_t choice) const { return choice / index(request_->choices); }

    const ApiRequest* request_;
    const ServedModel* model_;
    std::string id_;
    long created_;
    std::vector<Choice> choices_;  // job->samples for each prompt
};

// The tokens of each choice that a client has, from the id of the last event that it got, and the
// seed, where the server had drawn it. Throws ApiError on what is no such id.
std::vector<std::size_t> read_event_id(const std::string& id, ApiRequest& request);

// How a request is answered. id: of the request.
using AnswerForm = std::function<std::unique_ptr<ApiAnswer>(
    const ApiRequest& request, const ServedModel& model, const std::string& id)>;

// By such an Answer, which is made with `more`, too.
template <class Answer, class... More>
AnswerForm answer_form(More... more) {
    return [=](const ApiRequest& request, const ServedModel& model, const std::string& id) {
        return std::make_unique<Answer>(request, model, id, more...);
    };
}

// Chat completions and completions.
std::unique_ptr<ApiAnswer> openai_answer(const ApiRequest& request, const ServedModel& model,
                                         const std::string& id);

}  // namespace tbt
