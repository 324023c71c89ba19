#include "lib/model/processes.hpp"

#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// Part i of n items in `size` parts; sizes differ by one at most.
static Range part(std::int64_t n, int i, int size) { return {n * i / size, n * (i + 1) / size}; }

static Processes* chosen_processes = nullptr;
Processes* default_processes() { return chosen_processes; }
void set_default_processes(Processes* processes) { chosen_processes = processes; }

std::vector<ModelPart> model_parts(const TransformerConfig& config, std::int64_t outputs,
                                   int size) {
    const int heads = config.n_head, kv_heads = config.kv_heads(), group = heads / kv_heads;
    if (size < 1 || size > heads)
        throw Error("transformer: " + std::to_string(size) + " processes for " +
                    std::to_string(heads) + " heads, expected 1 to " + std::to_string(heads));
    std::vector<ModelPart> parts;
    for (int i = 0; i < size; ++i) {
        ModelPart p;
        if (size <= kv_heads) {
            p.kv_heads = part(kv_heads, i, size);
            p.heads = {p.kv_heads.begin * group, p.kv_heads.end * group};
        } else {
            // Processes first … last − 1 share this head of keys and values.
            const std::int64_t kv = std::int64_t{i} * kv_heads / size;
            const auto first = to_int((kv * size + kv_heads - 1) / kv_heads),
                       last = to_int(((kv + 1) * size + kv_heads - 1) / kv_heads);
            const Range own = part(group, i - first, last - first);
            p.kv_heads = {kv, kv + 1};
            p.heads = {kv * group + own.begin, kv * group + own.end};
        }
        p.inner = part(config.n_inner, i, size);
        p.channels = part(config.n_embd, i, size);
        p.outputs = part(outputs, i, size);
        p.experts = part(config.architecture.experts, i, size);
        parts.push_back(p);
    }
    return parts;
}

}  // namespace tbt
