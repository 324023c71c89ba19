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
// The answer where nothing is asked: such requests load the model, or unload it with keep_alive 0.
Json ollama_loaded(const Json& body, bool messages, const ServedModel& model);
TranslatedRequest translated_llama_completion(const Json& body);

// Embeddings: a body as one of /v1, and its answer as Ollama's, of several texts or of one.
std::string translated_ollama_embed(const Json& body);
Json ollama_embedded(const Json& answer, bool several);

// What Ollama says of the model that is served: in its lists, and by itself.
Json ollama_tags(const ServedModel& model);
Json ollama_show(const ServedModel& model);

// llama.cpp's properties of the server.
Json llama_props(const ServedModel& model);

}  // namespace tbt
