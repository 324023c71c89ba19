#include "lib/model/model.hpp"

#include <cstdlib>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/model/gguf_model.hpp"
#include "lib/model/gguf_tokenizer.hpp"
#include "lib/model/model_files.hpp"

namespace tbt {

std::filesystem::path shipped_model(std::string_view name) {
    const char* folder = std::getenv("TBT_MODELS");
    return std::filesystem::path(folder ? folder : "data/models") / name;
}

Model load_model(const std::filesystem::path& directory, const TransformerOptions& options) {
    check_model_path(directory.string());
    const bool is_file = is_model_file(directory.string());
    Model model{Transformer::load(directory, options),
                is_file ? gguf_tokenizer(GgufFile(directory.string()))
                        : Tokenizer::load(directory.string())};
    // Gemma's files have an added token more than the model has rows.
    if (model.tokenizer.vocab_size() > model.config().vocab_size &&
        !model.tokenizer.drop_added_from(model.config().vocab_size)) {
        throw Error(directory.string() + ": the tokenizer has " +
                    std::to_string(model.tokenizer.vocab_size()) + " tokens, the model only " +
                    std::to_string(model.config().vocab_size) + "; they don't belong together");
    }
    if (model.tokenizer.vocab_size() < model.config().vocab_size)
        model.transformer.mask_ids_from(model.tokenizer.vocab_size());
    return model;
}

std::vector<int> encode_prompt(const Model& model, std::string_view text, int room) {
    if (const std::size_t bad = find_invalid_utf8(text); bad != std::string_view::npos) {
        throw Error("prompt: byte " + std::to_string(bad + 1) +
                    " is not valid UTF-8; save the text as UTF-8");
    }
    std::vector<int> ids = model.tokenizer.encode_prompt(text);
    if (ids.empty()) ids.push_back(model.tokenizer.eos_id());
    const int context = model.config().n_positions;
    if (room < 0)
        throw Error("prompt: room for " + std::to_string(room) + " tokens, expected 0 or more");
    if (ids.size() + index(room) > index(context)) {
        const auto length = static_cast<long long>(ids.size());
        const std::string shorter =
            "shorten the prompt to " + std::to_string(context - room) + " tokens";
        const std::string fewer =
            "ask for at most " + std::to_string(context - length) + " new ones";
        throw Error("prompt: " + std::to_string(length) + " tokens and " + std::to_string(room) +
                    " new ones exceed the model's context of " + std::to_string(context) + "; " +
                    (room >= context && length >= context ? "make both fewer"
                     : room >= context                    ? fewer
                     : length >= context                  ? shorter
                                                          : shorter + " or " + fewer));
    }
    return ids;
}

}  // namespace tbt
