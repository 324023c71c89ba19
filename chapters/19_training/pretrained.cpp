#include "chapters/19_training/pretrained.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {
TransformerConfig trainable_shape(const std::string& directory) {
    TransformerConfig config = read_model_config(directory);
    const auto refuse = [&](const std::string& what) {
        throw Error(directory + ": " + what + "; such a model cannot be trained here");
    };
    try {
        train::check_trainable(config);
    } catch (const Error& e) {
        refuse(e.what());
    }
    if (config.architecture.is_gpt2() && config.layer_norm_epsilon != 1e-5f)
        refuse("layer_norm_epsilon is " + std::to_string(config.layer_norm_epsilon) +
               ", expected 1e-05");
    return config;
}

void check_same_tokenizer(const std::string& directory, const Tokenizer& tokenizer) {
    const Tokenizer theirs = Tokenizer::load(directory);
    if (hash_of(theirs) == hash_of(tokenizer)) return;
    throw Error(directory + ": has another tokenizer (" + std::to_string(theirs.vocab_size()) +
                " tokens, the given one has " + std::to_string(tokenizer.vocab_size()) +
                "); train with --tokenizer " + directory);
}

void read_parameters(const std::string& directory, train::Trainer& model) {
    const Safetensors file = Safetensors::open_directory(directory);
    for (const train::ParameterInfo& t : model.layout().tensors) {
        const Tensor tensor = file.read_weight(t.name, t.shape);
        std::copy_n(tensor.data(), t.size, model.of(t).data());
    }
    model.parameters_changed();
}

std::string hash_of(const Tokenizer& tokenizer) {
    Hash hash;
    for (int id = 0; id < tokenizer.vocab_size(); ++id)
        hash.add(tokenizer.token_bytes(id)).add(0xff);
    return hash.text();
}

std::string hash_of(std::span<const float> values) {
    return Hash().add(std::as_bytes(values)).text();
}

}  // namespace tbt
