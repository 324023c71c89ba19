#include "lib/files/masked_gpt.hpp"

#include <utility>

#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/transformer_network.hpp"

namespace tbt {
namespace {

constexpr const char* model_type = "gpt2_masked";

int checked_outputs(const TransformerConfig& config) {
    if (config.vocab_size < 2)
        throw Error("masked gpt: a vocabulary of " + std::to_string(config.vocab_size) +
                    ", expected a token and the mask at least");
    return config.vocab_size - 1;
}

}  // namespace

// The network and one KV cache. The cache keeps nothing from pass to pass; it is only where
// attention reads the keys and values of the canvas.
struct MaskedGpt::State {
    template <class Weights>  // a WeightSource or a WeightStore
    State(const TransformerConfig& config, const Weights& weights,
          const TransformerOptions& options)
        : network(config, weights, options, checked_outputs(config)), cache(network.config) {
        network.bidirectional = true;
    }
    TransformerNetwork network;
    KvCache cache;
};

MaskedGpt::MaskedGpt(const TransformerConfig& config, const WeightSource& source,
                     const TransformerOptions& options)
    : MaskedGpt(std::make_unique<State>(config, source, options)) {}

MaskedGpt::MaskedGpt(std::unique_ptr<State> state) : state_(std::move(state)) {}

MaskedGpt::~MaskedGpt() = default;
MaskedGpt::MaskedGpt(MaskedGpt&&) noexcept = default;
MaskedGpt& MaskedGpt::operator=(MaskedGpt&&) noexcept = default;

MaskedGpt MaskedGpt::load(const std::filesystem::path& directory,
                          const TransformerOptions& options) {
    const std::string name = directory.string();
    const TransformerConfig config = read_masked_config(name);
    const OpenedWeights weights(name, config, options);
    return MaskedGpt(std::make_unique<State>(config, *weights.store, weights.options));
}

MaskedGpt::State& MaskedGpt::state() const {
    if (!state_)
        throw Error("masked gpt: this model was moved from; use the object that it was moved to");
    return *state_;
}

const TransformerConfig& MaskedGpt::config() const { return state().network.config; }

int MaskedGpt::threads() const { return state().network.options.threads; }

Logits MaskedGpt::forward(std::span<const int> canvas) {
    State& s = state();
    const Step step{&s.cache, canvas, true};
    s.network.prepare({&step, 1});
    run_team(s.network.options.threads, [&](const Worker& worker) { s.network.run(worker); });
    const auto rows = length_of(canvas);
    return {{s.network.pass.logits.get(0), index(rows * s.network.outputs)}, rows};
}

TransformerConfig read_masked_config(const std::string& directory) {
    const std::string path = join_path(directory, "config.json");
    const Json json = read_json(path);
    const auto size = [&](const char* key, std::int64_t least = 1) {
        const auto member = json.find(key);
        if (member == json.end() || !is_integer(*member, least, std::int64_t{1} << 24))
            throw Error(path + ": " + key + " is missing, or no whole number from " +
                        std::to_string(least) + " to 2^24");
        return member->get<int>();
    };
    if (!json.is_object() || json.value("model_type", Json()) != model_type)
        throw Error(path + ": is not the configuration of a model that fills masks, expected " +
                    "model_type " + model_type);
    TransformerConfig config = gpt_config(size("n_layer"), size("n_head"), size("n_embd"),
                                          size("n_positions"), size("vocab_size"));
    if (size("mask_token_id") != config.vocab_size - 1)
        throw Error(path + ": mask_token_id is " + std::to_string(size("mask_token_id")) +
                    ", expected the last id, " + std::to_string(config.vocab_size - 1));
    config.eos_token_ids = {size("eos_token_id", 0)};
    if (config.eos_token_ids[0] >= config.vocab_size - 1)
        throw Error(path + ": eos_token_id is " + std::to_string(config.eos_token_ids[0]) +
                    ", expected an id below the mask's");
    check_config(config, path);
    return config;
}

void write_masked_config(const std::string& directory, const TransformerConfig& config) {
    const std::string path = join_path(directory, "config.json");
    check_config(config, path);
    if (config.eos_token_ids.size() != 1) throw Error(path + ": expected one id that ends a text");
    const Json json = {{"activation_function", "gelu_new"},
                       {"eos_token_id", config.eos_token_ids[0]},
                       {"mask_token_id", config.vocab_size - 1},
                       {"model_type", model_type},
                       {"n_embd", config.n_embd},
                       {"n_head", config.n_head},
                       {"n_layer", config.n_layer},
                       {"n_positions", config.n_positions},
                       {"torch_dtype", config.torch_dtype},
                       {"vocab_size", config.vocab_size}};
    make_directory(directory);
    write_file(path, json_text(json, 2) + "\n");
}

}  // namespace tbt
