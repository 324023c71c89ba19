#include "lib/model/model_config_write.hpp"

#include <charconv>
#include <cstdlib>
#include <vector>

#include "lib/machine/files.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

namespace {

// The shortest decimal that is this float: 1e-05, not 9.999999747378752e-06.
double shortest(float value) {
    char text[32] = {};
    std::to_chars(text, text + sizeof text - 1, value);
    return std::strtod(text, nullptr);
}

// One id, a list of several, null for none.
OrderedJson ids_to_json(const std::vector<int>& ids) {
    if (ids.empty()) return nullptr;
    return ids.size() == 1 ? OrderedJson(ids[0]) : OrderedJson(ids);
}

}  // namespace

void write_model_config(const std::string& directory, const GptConfig& config) {
    check_config(config, join_path(directory, "config.json"));
    const OrderedJson bos =
        config.bos_token_id ? OrderedJson(*config.bos_token_id) : OrderedJson(nullptr);
    const OrderedJson eos = ids_to_json(config.eos_token_ids);
    const OrderedJson json = {{"activation_function", "gelu_new"},
                              {"architectures", OrderedJson::array({"GPT2LMHeadModel"})},
                              {"attn_pdrop", 0.0},
                              {"bos_token_id", bos},
                              {"embd_pdrop", 0.0},
                              {"eos_token_id", eos},
                              {"initializer_range", 0.02},
                              {"layer_norm_epsilon", shortest(config.layer_norm_epsilon)},
                              {"model_type", "gpt2"},
                              {"n_ctx", config.n_positions},
                              {"n_embd", config.n_embd},
                              {"n_head", config.n_head},
                              {"n_inner", config.n_inner},
                              {"n_layer", config.n_layer},
                              {"n_positions", config.n_positions},
                              {"resid_pdrop", 0.0},
                              {"scale_attn_by_inverse_layer_idx", false},
                              {"scale_attn_weights", true},
                              {"tie_word_embeddings", config.tie_word_embeddings},
                              {"torch_dtype", config.torch_dtype},
                              {"use_cache", true},
                              {"vocab_size", config.vocab_size}};
    const OrderedJson generation = {
        {"_from_model_config", true}, {"bos_token_id", bos}, {"eos_token_id", eos}};
    make_directory(directory);
    write_file(join_path(directory, "config.json"), json_text(json, 2) + "\n");
    write_file(join_path(directory, "generation_config.json"), json_text(generation, 2) + "\n");
}

}  // namespace tbt
