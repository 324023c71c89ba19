#include "chapters/06_combining/dialects.hpp"

#include <algorithm>

#include "lib/core/error.hpp"

namespace tbt {

const std::vector<std::pair<std::string_view, Dialect>>& dialects() {
    static const std::vector<std::pair<std::string_view, Dialect>> all = {
        {"ours", Dialect::ours},
        {"transformers", Dialect::transformers},
        {"llama.cpp", Dialect::llama_cpp},
        {"vllm", Dialect::vllm}};
    return all;
}

Dialect dialect_named(std::string_view name) {
    for (const auto& [known, dialect] : dialects()) {
        if (known == name) return dialect;
    }
    if (name == "transformers-4" || name == "transformers-5") return Dialect::transformers;
    throw UsageError("dialect: got '" + std::string(name) +
                     "', expected ours, transformers (or transformers-4, -5), llama.cpp or vllm");
}

std::string_view name_of(Dialect dialect) {
    return dialects()[static_cast<std::size_t>(dialect)].first;
}

const std::vector<std::string_view>& order_of(Dialect dialect) {
    static const std::vector<std::string_view> order[] = {
        {"grammar",
         "bias",
         "bad-words",
         "ban-text",
         "suppress",
         "begin-suppress",
         "min-new-tokens",
         "repetition",
         "frequency-presence",
         "no-repeat-ngram",
         "dry",
         "exponential-decay",
         "forced-bos",
         "forced-eos",
         "min-tokens-to-keep",
         "temperature",
         "dynamic-temperature",
         "top-n-sigma",
         "top-k",
         "top-p",
         "min-p",
         "typical",
         "epsilon",
         "eta",
         "xtc",
         "mirostat",
         "watermark",
         "renormalize"},
        {"grammar",
         "bias",
         "repetition",
         "no-repeat-ngram",
         "bad-words",
         "min-new-tokens",
         "forced-bos",
         "forced-eos",
         "exponential-decay",
         "suppress",
         "begin-suppress",
         "min-tokens-to-keep",
         "temperature",
         "top-k",
         "top-p",
         "min-p",
         "typical",
         "epsilon",
         "eta",
         "watermark",
         "renormalize"},
        {"grammar", "bias", "repetition", "frequency-presence", "dry", "min-tokens-to-keep",
         "top-n-sigma", "top-k", "typical", "top-p", "min-p", "xtc", "temperature",
         "dynamic-temperature", "mirostat"},
        {"grammar", "bias", "bad-words", "min-new-tokens", "repetition", "frequency-presence",
         "temperature", "min-p", "top-k", "top-p"}};
    return order[static_cast<std::size_t>(dialect)];
}

SamplingOptions defaults_of(Dialect dialect) {
    SamplingOptions options;
    if (dialect == Dialect::transformers) options.top_k = 50;
    if (dialect == Dialect::llama_cpp) {
        options.temperature = 0.8;
        options.top_k = 40;
        options.top_p = 0.95;
        options.min_p = 0.05;
    }
    return options;
}

Chain in_order(Dialect dialect, std::vector<ChainStep> steps) {
    const std::vector<std::string_view>& order = order_of(dialect);
    const auto place = [&](const ChainStep& step) {
        return std::find(order.begin(), order.end(), step.name) - order.begin();
    };
    for (const ChainStep& step : steps) {
        if (place(step) == static_cast<std::ptrdiff_t>(order.size())) {
            throw UsageError("dialect " + std::string(name_of(dialect)) + ": it has no step '" +
                             step.name + "'; leave that option off or choose another dialect");
        }
    }
    std::stable_sort(steps.begin(), steps.end(),
                     [&](const ChainStep& a, const ChainStep& b) { return place(a) < place(b); });
    return Chain(std::move(steps));
}

}  // namespace tbt
