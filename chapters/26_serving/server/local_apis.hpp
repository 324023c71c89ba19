// The interfaces of Ollama and of llama.cpp's server. Bodies become those of completions and chat
// completions.
#pragma once

#include <string>

#include "chapters/26_serving/server/answer.hpp"
#include "chapters/26_serving/server/responses.hpp"

namespace tbt {

// chat: does the model have a chat template? Then Ollama's generate asks through it.
TranslatedRequest translated_ollama_chat(const Json& body);
TranslatedRequest translated_ollama_generate(const Json& body, bool chat);
TranslatedRequest translated_llama_completion(const Json& body);

// What Ollama says of the model that is served: in its list, and by itself.
std::string ollama_tags(const ServedModel& model);
std::string ollama_show(const ServedModel& model);

// llama.cpp's properties of the server.
std::string llama_props(const ServedModel& model);

}  // namespace tbt
