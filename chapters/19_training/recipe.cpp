#include "chapters/19_training/recipe.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// The default width of a gated MLP: F = 8/3 · C, rounded up to a multiple of 16. Then its three
// matrices (C, F) have about as many weights as GPT-2's two matrices (C, 4C).
static int gated_inner(int channels) {
    const std::int64_t inner = (std::int64_t{8} * channels + 2) / 3;
    return to_int(std::min<std::int64_t>((inner + 15) / 16 * 16, 1 << 24));
}

TransformerConfig shape_of(const ArchitectureOptions& o, const TransformerConfig& sizes) {
    if (o.name == "gpt2") {
        if (o.kv_heads != 0 || o.inner != 0)
            throw UsageError("--kv-heads and --inner are Llama's: add --architecture llama");
        return sizes;
    }
    if (o.name != "llama")
        throw UsageError("the architecture is \"" + o.name + "\", expected gpt2 or llama");
    return llama_config(sizes.n_layer, sizes.n_head, o.kv_heads > 0 ? o.kv_heads : sizes.n_head,
                        sizes.n_embd, o.inner > 0 ? o.inner : gated_inner(sizes.n_embd),
                        sizes.n_positions, sizes.vocab_size);
}

void add_architecture(const TransformerConfig& shape, Json& recipe) {
    if (shape.architecture.is_gpt2()) return;
    recipe["architecture"] = shape.architecture.model_type;
    recipe["kv_heads"] = shape.kv_heads();
    recipe["inner"] = shape.n_inner;
}

ArchitectureOptions architecture_of(const Json& recipe, const std::string& name) {
    ArchitectureOptions o;
    o.name = recipe.value("architecture", "gpt2");
    if (o.name == "gpt2") return o;
    o.kv_heads = integer_of<int>(recipe.at("kv_heads"), name + ": kv_heads", 1);
    o.inner = integer_of<int>(recipe.at("inner"), name + ": inner", 1);
    return o;
}

Json earlier_plans_json(const std::vector<EarlierPlan>& plans) {
    Json list = Json::array();
    for (const EarlierPlan& p : plans)
        list.push_back({{"until", p.until},
                        {"steps", p.steps},
                        {"warm_up", p.warm_up},
                        {"learning_rate", p.learning_rate}});
    return list;
}

std::vector<EarlierPlan> earlier_plans_of(const Json& list, const std::string& file) {
    std::vector<EarlierPlan> plans;
    for (const Json& p : list) {
        const auto steps = [&](const char* key) {
            return integer_of<std::int64_t>(p.at(key), file + ": " + key + " of an earlier plan");
        };
        plans.push_back({steps("until"), steps("steps"), steps("warm_up"), p.at("learning_rate")});
    }
    return plans;
}

}  // namespace tbt
