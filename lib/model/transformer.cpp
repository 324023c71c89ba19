#include "lib/model/transformer.hpp"

#include <utility>

#include "lib/core/error.hpp"
#include "lib/model/gguf_model.hpp"
#include "lib/model/transformer_network.hpp"
#include "lib/model/weight_reader.hpp"

namespace tbt {

struct Transformer::State : TransformerNetwork {
    using TransformerNetwork::TransformerNetwork;
};

Transformer::Transformer(std::unique_ptr<State> state) : state_(std::move(state)) {}

Transformer::Transformer(const TransformerConfig& config, const WeightSource& source,
                         const TransformerOptions& options)
    : Transformer(std::make_unique<State>(config, source, options, config.vocab_size)) {}

Transformer Transformer::load(const std::filesystem::path& directory,
                              const TransformerOptions& options) {
    const std::string name = directory.string();
    if (is_model_file(name)) {
        const GgufFile file(name);
        const TransformerConfig config = gguf_config(file);
        const GgufWeights weights(file, config, options);
        return Transformer(
            std::make_unique<State>(config, weights.source, weights.options, config.vocab_size));
    }
    const TransformerConfig config = read_model_config(name);
    const OpenedWeights weights(name, config, options);
    return Transformer(std::make_unique<State>(config, weights.source, weights.options,
                                               config.vocab_size, &weights.file));
}

Transformer::~Transformer() = default;
Transformer::Transformer(Transformer&&) noexcept = default;
Transformer& Transformer::operator=(Transformer&&) noexcept = default;

Transformer::State& Transformer::state() const {
    if (!state_)
        throw Error("transformer: this model was moved from; use the object that it was moved to");
    return *state_;
}

const TransformerConfig& Transformer::config() const { return state().config; }
int Transformer::threads() const { return state().options.threads; }

std::int64_t Transformer::weight_bytes() const { return state().weight_bytes(); }

std::span<const float> Transformer::forward(KvCache& cache, std::span<const int> tokens) {
    const Step step{&cache, tokens, false};
    return forward({&step, 1}).values;
}

Logits Transformer::forward_all(KvCache& cache, std::span<const int> tokens) {
    const Step step{&cache, tokens, true};
    return forward({&step, 1});
}

void Transformer::watch(AttentionWatch* watch) {
    State& s = state();
    if (watch && (watch->layer < 0 || watch->layer >= s.config.n_layer || watch->head < 0 ||
                  watch->head >= s.config.n_head))
        throw Error("attention: there is no head " + std::to_string(watch->head) + " in layer " +
                    std::to_string(watch->layer) + "; layers go from 0 to " +
                    std::to_string(s.config.n_layer - 1) + ", heads from 0 to " +
                    std::to_string(s.config.n_head - 1));
    s.watch = watch;
}

void Transformer::mask_ids_from(int count) {
    const int ids = config().vocab_size;
    if (count < 1 || count > ids)
        throw Error("transformer: " + std::to_string(count) + " ids with a text, expected 1 to " +
                    std::to_string(ids));
    state().text_ids = count;
}

Logits Transformer::forward(std::span<const Step> steps) {
    State& s = state();
    s.prepare(steps);
    run_team(s.options.threads, [&](const Worker& worker) { s.run(worker); });
    for (const SequenceRows& sequence : s.pass.sequences)
        if (sequence.parents.empty()) sequence.cache->advance(sequence.tokens);
    const auto rows = length_of(s.pass.logit_rows);
    const float *logits = s.pass.logits.get(0), *states = s.pass.normed.get(0);
    return {{logits, index(rows * s.outputs)}, rows, {states, index(rows * s.config.n_embd)}};
}

}  // namespace tbt
