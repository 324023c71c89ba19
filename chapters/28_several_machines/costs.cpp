#include "chapters/28_several_machines/costs.hpp"

#include <cmath>

namespace tbt {

LayerTraffic traffic_by_columns(const TransformerConfig& config) {
    return {4, config.query_size() + config.n_inner + std::int64_t{2} * config.n_embd};
}

LayerTraffic traffic_by_rows(const TransformerConfig& config) {
    return {2, std::int64_t{2} * config.n_embd};
}

double bytes_to_gather(std::int64_t numbers, int machines) {
    return 4.0 * static_cast<double>(numbers) * (machines - 1) / machines;
}

double bytes_to_sum(std::int64_t numbers, int machines) {
    return 2 * bytes_to_gather(numbers, machines);
}

double seconds_per_token(const TransformerConfig& config, double bytes_per_weight,
                         const Machine& machine, const Network& network, int machines) {
    const double weights = static_cast<double>(parameter_count(config)) * bytes_per_weight,
                 reading = weights / machines / machine.memory_bandwidth;
    if (machines == 1) return reading;
    const LayerTraffic layer = traffic_by_columns(config);
    const double messages = std::ceil(std::log2(machines)),
                 exchanges = config.n_layer * static_cast<double>(layer.gathers) + 1,
                 bytes = config.n_layer * bytes_to_gather(layer.numbers, machines) +
                         bytes_to_gather(config.vocab_size, machines);
    return reading + exchanges * messages * network.latency + bytes / network.bandwidth;
}

std::vector<KnownModel> known_models() {
    TransformerConfig large = llama_config(32, 32, 8, 4096, 14336, 8192, 128256);
    TransformerConfig largest = llama_config(80, 64, 8, 8192, 28672, 8192, 128256);
    large.tie_word_embeddings = largest.tie_word_embeddings = false;
    return {{"storyteller", gpt_config(8, 8, 256, 512, 8192), 2},
            {"GPT-2 124M", gpt_config(12, 12, 768, 1024, 50257), 2},
            {"8B, 4 bits", large, 0.56},
            {"70B, 4 bits", largest, 0.56}};
}

}  // namespace tbt
