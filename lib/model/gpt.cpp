#include "lib/model/gpt.hpp"

#include <utility>

#include "lib/error.hpp"
#include "lib/model/gpt_network.hpp"
#include "lib/model/weight_reader.hpp"

namespace tbt {

struct Gpt::State : GptNetwork {
    using GptNetwork::GptNetwork;
};

Gpt::Gpt(std::unique_ptr<State> state) : state_(std::move(state)) {}

Gpt::Gpt(const GptConfig& config, const WeightSource& source, const GptOptions& options)
    : Gpt(std::make_unique<State>(config, source, options, config.vocab_size)) {}

Gpt Gpt::load(const std::filesystem::path& directory, const GptOptions& options) {
    const std::string name = directory.string();
    const GptConfig config = read_model_config(name);
    const OpenedWeights weights(name, config, options);
    return Gpt(std::make_unique<State>(config, weights.source, weights.options, config.vocab_size,
                                       &weights.file));
}

Gpt::~Gpt() = default;
Gpt::Gpt(Gpt&&) noexcept = default;
Gpt& Gpt::operator=(Gpt&&) noexcept = default;

Gpt::State& Gpt::state() const {
    if (!state_) throw Error("gpt: this model was moved away, ask the one it was moved to");
    return *state_;
}

void refuse_row(std::int64_t row, std::int64_t rows) {
    throw Error("logits: there is no row " + std::to_string(row) + ", expected 0 to " +
                std::to_string(rows - 1) + " of " + std::to_string(rows));
}

const GptConfig& Gpt::config() const { return state().config; }
int Gpt::threads() const { return state().options.threads; }

std::int64_t Gpt::weight_bytes() const { return state().weight_bytes(); }

std::span<const float> Gpt::forward(KvCache& cache, std::span<const int> tokens) {
    const Step step{&cache, tokens, false};
    return forward({&step, 1}).values;
}

Logits Gpt::forward_all(KvCache& cache, std::span<const int> tokens) {
    const Step step{&cache, tokens, true};
    return forward({&step, 1});
}

void Gpt::watch(AttentionWatch* watch) {
    State& s = state();
    if (watch && (watch->layer < 0 || watch->layer >= s.config.n_layer || watch->head < 0 ||
                  watch->head >= s.config.n_head))
        throw Error("attention: there is no head " + std::to_string(watch->head) + " in layer " +
                    std::to_string(watch->layer) + "; layers go from 0 to " +
                    std::to_string(s.config.n_layer - 1) + ", heads from 0 to " +
                    std::to_string(s.config.n_head - 1));
    s.watch = watch;
}

Logits Gpt::forward(std::span<const Step> steps) {
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
