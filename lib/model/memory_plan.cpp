#include "lib/model/memory_plan.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/model/kv_cache.hpp"

namespace tbt {

namespace {

// Products of four sizes can exceed 64 bits, so they are doubles, which are exact up to 2^53.
std::int64_t bytes(double count) { return static_cast<std::int64_t>(std::min(count, 0x1p60)); }

double rounded_up(double n, double step) {
    const double rest = n - step * static_cast<double>(static_cast<std::int64_t>(n / step));
    return rest > 0 ? n + step - rest : n;
}

}  // namespace

MemoryPlan plan_memory(const TransformerConfig& config, WeightType type, int context, int batch) {
    check_config(config, "memory");
    if (context < 1 || context > config.n_positions) {
        throw Error("memory: a context of " + std::to_string(context) + " tokens, expected 1 to " +
                    std::to_string(config.n_positions) + ", the model's n_positions");
    }
    if (batch < 1)
        throw Error("memory: a batch of " + std::to_string(batch) + ", expected at least 1");
    const double C = config.n_embd, F = config.n_inner, V = config.vocab_size,
                 P = config.n_positions, L = config.n_layer;
    // int4: 32 weights take 16 bytes and a multiplier of one byte; the output matrix has 8 bits.
    const double out = static_cast<double>(bytes_of(type)),
                 b = type == WeightType::int4 ? 17.0 / 32 : out;
    const double T = context, B = batch, rows = std::max(T, B);
    // The columns of a matrix and the components of a head are padded to a multiple of sixteen.
    const auto columns = [](double n) { return rounded_up(n, 16); };
    const double heads = config.kv_heads() * rounded_up(config.head_size(), 16);
    const Architecture& a = config.architecture;
    const double Q = static_cast<double>(config.query_size()),
                 N = Q + 2 * static_cast<double>(config.kv_size()), U = a.gated ? 2 * F : F;
    const double blocks = rounded_up(T, KvCache::block_tokens);
    MemoryPlan plan;
    plan.matrices =
        bytes(L * (C * columns(N) + Q * columns(C) + C * columns(U) + F * columns(C)) * b);
    plan.output = bytes(C * columns(V) * out);
    // The output matrix is used as the embedding, too, if it is kept in the stored type or as f32.
    const WeightType stored = weight_type_named(config.torch_dtype).value_or(WeightType::f32);
    const bool shared = config.tie_word_embeddings && (type == WeightType::f32 || type == stored);
    plan.embeddings = bytes((shared ? 0 : columns(V) * static_cast<double>(bytes_of(stored))) * C +
                            (a.learned_positions ? P * C * 4 : 0));
    plan.vectors = bytes((L * (9 * C + F) + 2 * C) * 4);
    plan.cache =
        bytes(2 * L * heads * blocks * B * static_cast<double>(bytes_of(config.cache_type)));
    plan.activations = bytes(rows * (2 * C + N + Q + U) * 4);
    plan.logits = bytes(B * V * 4);
    return plan;
}

void check_memory(const std::string& who, std::int64_t needed, std::int64_t available) {
    if (available <= 0 || needed <= available) return;
    throw Error(who + ": the model needs about " + std::to_string(needed >> 20) +
                " MiB of memory, " + std::to_string(available >> 20) +
                " MiB are available; use a smaller model, context or batch, or --weights f16");
}

}  // namespace tbt
