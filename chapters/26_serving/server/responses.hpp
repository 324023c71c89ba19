// OpenAI's Responses and Anthropic's Messages: an answer is a list of items or blocks, and each is
// streamed with a beginning and an end. Bodies become those of chat completions.
#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "chapters/26_serving/server/translated.hpp"

namespace tbt {

// The conversations of the last answers, so that the next request need not send them again.
class KeptResponses {
public:
    explicit KeptResponses(std::size_t most) : most_(most) {}
    void keep(const std::string& id, std::string messages);
    // The messages, a list in JSON. Throws such an ApiError, which says what is asked for, if the
    // id is not known.
    std::string messages_of(const std::string& id, const ApiError& otherwise);

private:
    static constexpr std::size_t most_bytes = std::size_t{16} << 20;
    std::size_t most_, bytes_ = 0;
    std::mutex mutex_;
    std::deque<std::pair<std::string, std::string>> kept_;
};

// kept must outlive the answer.
TranslatedRequest translated_responses(const Json& body,
                                       const std::shared_ptr<KeptResponses>& kept);
TranslatedRequest translated_messages(const Json& body);

// Where the assistant's is the last message, Anthropic's and Ollama's clients want it to go on.
void go_on_from_last(Json& messages);

// Anthropic's form of an error.
std::string messages_error(const ApiError& error);

}  // namespace tbt
