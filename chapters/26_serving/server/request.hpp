// The body of a request for texts, read: what the engine is to write, and how it is answered.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "chapters/26_serving/server/body.hpp"
#include "chapters/26_serving/server/job.hpp"
#include "chapters/26_serving/server/settings.hpp"
#include "lib/chat/chat_template.hpp"

namespace tbt {

// What is served.
struct ServedModel {
    TextGenerator* generator = nullptr;
    std::string name;                                    // by which requests ask for it
    TextOptions base;                                    // how it was opened
    std::shared_ptr<const ChatTemplate> chat = nullptr;  // null: lines of User: and Assistant:
    ServerSettings settings;
};

struct ApiRequest {
    bool chat = false;
    std::shared_ptr<ServerJob> job;
    int choices = 1;  // of each prompt; the likeliest of job->samples texts
    bool stream = false, include_usage = false;
    bool echo = false;                 // the prompt comes first
    int logprobs = -1;                 // so many first choices of each token; −1: none
    std::set<std::string> tools;       // that the text may call; empty: it calls none
    bool one_call = false;             // at most
    bool old_functions = false;        // in the form that calls had before tools
    bool drawn_seed = false;           // the client gave none
    std::vector<std::string> prompts;  // as texts, for the echo
    std::vector<std::string> ignored;  // parameters that had no effect

    std::uint64_t seed() const { return job->options.seed.value_or(0); }
};

// Throw ApiError: 400 where the body is at fault, 404 for another model, 422 for a form that
// cannot be written. A form is compiled here, so that the engine's thread does not wait for it.
ApiRequest read_chat_request(const Json& body, const ServedModel& model);
ApiRequest read_completion_request(const Json& body, const ServedModel& model);

// A conversation as the model expects it, with the answer that goes on: as a text, and as ids,
// however many. Throw ApiError.
struct ChatQuestion;
std::string chat_prompt_text(const ChatQuestion& question, const ServedModel& model);
std::vector<int> chat_prompt_ids(const ChatQuestion& question, const ServedModel& model);
// Takes `model`. Throws ApiError 404 for another one, if the settings refuse that.
void check_model(BodyReader& body, const ServedModel& model);
// A text, ids, a list of texts or a list of lists of ids; `texts` gets them as texts. Throws
// ApiError on what is none of these, and on what the context has no room for.
std::vector<std::vector<int>> read_prompts(const Json& prompts, const std::string& name,
                                           const ServedModel& model,
                                           std::vector<std::string>& texts, bool slides = false);

}  // namespace tbt
