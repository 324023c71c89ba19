#include "lib/model/model.hpp"

#include "lib/core/error.hpp"
#include "lib/core/gpt.hpp"
#include "lib/model/gguf_model.hpp"
#include "lib/model/gguf_tokenizer.hpp"
#include "lib/model/model_files.hpp"

namespace tbt {

std::filesystem::path shipped_model(std::string_view name) {
    return model_directory(name);
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
    check_prompt_text(text);
    std::vector<int> ids = model.tokenizer.encode_prompt(text);
    if (ids.empty()) ids.push_back(model.tokenizer.eos_id());
    check_prompt_length(ids.size(), room, model.config().n_positions);
    return ids;
}

}  // namespace tbt
