#include "lib/model/model_options.hpp"

#include "lib/core/error.hpp"

namespace tbt {

void loading_options(CommandLine line, ModelOptions& o) {
    line.option("--weights", o.weights,
                "keep weights in memory as f32, f16, bf16, int8 or int4; stored: as in the file")
        .suggests("stored,f32,f16,bf16,int8,int4")
        .shows_default();
    line.option("--cache", o.cache, "keep keys and values in memory as f32 or f16")
        .suggests("f32,f16")
        .shows_default();
    line.option("--threads", o.threads, "0: one for each core").shows_default();
}

TransformerOptions transformer_options(const ModelOptions& o) {
    TransformerOptions gpt;
    if (o.threads < 0 || o.threads > 1024)
        throw UsageError("--threads: got " + std::to_string(o.threads) +
                         ", expected 1 to 1024, or 0 for one a core");
    gpt.threads = o.threads;
    gpt.weights = weight_type_named(o.weights);
    if (!gpt.weights && o.weights != "stored")
        throw UsageError("--weights: got '" + o.weights +
                         "', expected stored, f32, f16, bf16, int8 or int4");
    if (o.cache != "f32" && o.cache != "f16")
        throw UsageError("--cache: got '" + o.cache + "', expected f32 or f16");
    gpt.cache = *weight_type_named(o.cache);
    return gpt;
}

}  // namespace tbt
