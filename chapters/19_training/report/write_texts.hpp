// Continues many prompts in batches: one pass over the weights serves a group of texts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/generate.hpp"
#include "lib/files/model.hpp"

namespace tbt {

struct WriteOptions {
    double temperature = 0;  // 0: greedy
    double top_p = 1;
    int max_new_tokens = 400;
    std::string stop = {};  // a text ends before this string; empty: no such string
    std::uint64_t seed = 1;
};

struct WrittenText {
    std::string text;    // the continuation, without the prompt
    bool ended = false;  // true: by the end-of-text token or the stop string; false: by a limit
};

// One text for each prompt, in their order. A text does not depend on the other prompts, but on the
// prompt's index, which selects its random numbers. A prompt that fills the model's context gets no
// text.
std::vector<WrittenText> write_texts(Model& model, const std::vector<std::string>& prompts,
                                     const WriteOptions& options);

// The same for prompts as token ids, with any request: text i uses stream i of the request's seed.
std::vector<GeneratedText> write_texts(Model& model, const std::vector<std::vector<int>>& prompts,
                                       const GenerateRequest& request);
// The same by any logits.
std::vector<GeneratedText> write_texts(const BatchLogits& batch, const TokenBytes& bytes,
                                       const std::vector<std::vector<int>>& prompts,
                                       const GenerateRequest& request);

}  // namespace tbt
