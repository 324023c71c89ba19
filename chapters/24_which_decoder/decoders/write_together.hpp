// The texts of many decoders, written side by side.
//
// Decoders that draw with the same random numbers begin a text alike and part late, if at all.
// The model reads what several texts have in common once: the rows of logits go to all of them.
#pragma once

#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/generate.hpp"

namespace tbt {

struct WrittenTogether {
    std::vector<std::vector<std::vector<int>>> ids;  // the new tokens, by request and prompt
    long rows = 0;                                   // that the model computed
};

// Every request continues every prompt; the text of prompt i draws from stream i of the request's
// seed. The texts are those of write_texts (chapter 19), request by request.
WrittenTogether write_together(const BatchLogits& model, const TokenBytes& bytes,
                               const std::vector<std::vector<int>>& prompts,
                               const std::vector<GenerateRequest>& requests);

}  // namespace tbt
