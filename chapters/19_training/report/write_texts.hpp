// Many prompts continued at once: one pass over the weights serves a group of texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/10_generate/text_writer.hpp"
#include "lib/model/model.hpp"

namespace tbt {

struct WriteOptions {
    double temperature = 0;  // 0: greedy
    double top_p = 1;
    int max_new_tokens = 400;
    std::string stop = {};  // a text ends before this string; empty: only where the model ends it
    std::uint64_t seed = 1;
};

struct WrittenText {
    std::string text;    // what was added to the prompt
    bool ended = false;  // by the model's end of text or by the stop string, not by a limit
};

// One text for each prompt, in their order; a prompt's text does not depend on the others, but on
// its place among them (it has random numbers of its own). A prompt that fills the model's context
// gets no text.
std::vector<WrittenText> write_texts(Model& model, const std::vector<std::string>& prompts,
                                     const WriteOptions& options);

// The same for prompts in tokens, by any request: text i draws from stream i of its seed.
std::vector<GeneratedText> write_texts(Model& model, const std::vector<std::vector<int>>& prompts,
                                       const GenerateRequest& request);

}  // namespace tbt
