// What `make run` writes when it is asked for nothing special: the storyteller continues a prompt
// by plain_generate.hpp and the tiny library (lib/core). With options, `make run` is the complete
// generator of chapter 23, which writes the same text from the same prompt; this one is compiled in
// a tenth of the time.
//
// Run it: build/plain_generate "Once upon a time"
#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/10_generate/plain_generate.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/unicode.hpp"
#include "lib/machine/files.hpp"

using namespace tbt;

int main(int argc, char** argv) try {
    if (argc > 2) {
        std::fprintf(stderr, "usage: %s [PROMPT]; with options: make run PROMPT=\"…\" ARGS=\"…\"\n",
                     argv[0]);
        return 2;
    }
    const std::string prompt = argc == 2 ? argv[1] : "Once upon a time";
    GptModel model = load_gpt(model_directory("storyteller"));
    const std::vector<int> ids = encode_prompt(model, prompt);
    Rng rng(0);
    PlainRequest request;
    request.temperature = 0.8, request.top_p = 0.9;
    request.max_new_tokens = std::min(200, model.config().n_positions - count(ids));
    request.eos = model.tokenizer.eos_id();
    request.uniform = [&] { return rng.uniform(); };
    request.decode = [&](int id) { return std::string(model.tokenizer.token_bytes(id)); };
    CachedModel<Gpt> read(model.gpt);  // each pass computes only what is new (chapter 07)
    std::printf("%s%s\n", prompt.c_str(),
                valid_utf8(plain_generate(std::ref(read), ids, request).text).c_str());
    return 0;
} catch (const std::exception& error) {
    std::fprintf(stderr, "plain_generate: %s\n", error.what());
    return 1;
}
