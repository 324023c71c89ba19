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

// ---- the texts of many decoders, side by side ---------------------------------------------------
//
// Decoders that draw with the same random numbers begin a text alike and part late, if at all.
// The model reads what several texts have in common once: the rows of logits go to all of them.
struct WrittenTogether {
    std::vector<std::vector<std::vector<int>>> ids;  // the new tokens, by request and prompt
    long rows = 0;                                   // that the model computed
};

// Every request continues every prompt; the text of prompt i draws from stream i of the request's
// seed. The texts are those of write_texts, request by request.
WrittenTogether write_together(const BatchLogits& model, const TokenBytes& bytes,
                               const std::vector<std::vector<int>>& prompts,
                               const std::vector<GenerateRequest>& requests);

}  // namespace tbt
