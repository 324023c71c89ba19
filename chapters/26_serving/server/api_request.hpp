// The body of a request for texts, read: what the engine is to write, and how it is answered.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "chapters/26_serving/server/job.hpp"
#include "lib/chat/chat_template.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

// What is served.
struct ServedModel {
    TextGenerator* generator = nullptr;
    std::string name;                                    // by which requests ask for it
    TextOptions base;                                    // how it was opened
    std::shared_ptr<const ChatTemplate> chat = nullptr;  // null: lines of User: and Assistant:
};

struct ApiRequest {
    bool chat = false;
    std::shared_ptr<ServerJob> job;
    int choices = 1;  // of each prompt; the likeliest of options.samples texts
    bool stream = false, include_usage = false;
    bool echo = false;                 // the prompt comes first
    int logprobs = -1;                 // so many first choices of each token; −1: none
    bool calls = false;                // the text is, or may be, a call of a tool
    std::vector<std::string> prompts;  // as texts, for the echo

    std::size_t texts() const { return job->prompts.size() * index(choices); }
};

// At most so many texts of one request, all prompts together.
inline constexpr int max_texts = 128;

// Throw ApiError: 400 where the body is at fault, 404 for another model, 422 for a form that
// cannot be written. A form is compiled here, so that the engine's thread does not wait for it.
ApiRequest read_chat_request(const std::string& body, const ServedModel& model);
ApiRequest read_completion_request(const std::string& body, const ServedModel& model);

// An object, well-formed and at most 64 levels deep. Throws ApiError.
OrderedJson read_body(const std::string& body);
// Ids of tokens. Throws ApiError on what is none.
std::vector<int> read_ids(const OrderedJson& list, const std::string& name, int vocab_size);

}  // namespace tbt
