#include "chapters/06_combining/presets.hpp"

#include <string>

#include "lib/core/error.hpp"

namespace tbt {

const std::vector<Preset>& presets() {
    static const std::vector<Preset> all = [] {
        std::vector<Preset> list = {{"factual", "facts, extraction, code", {}},
                                    {"conservative", "summaries, factual prose", {}},
                                    {"balanced", "general text, chat, articles", {}},
                                    {"creative", "stories, verse, ideas", {}}};
        const auto set = [&](std::size_t i, double temperature, int top_k, double top_p,
                             double repetition) {
            SamplingOptions& o = list[i].options;
            o.temperature = temperature, o.top_k = top_k, o.top_p = top_p,
            o.repetition_penalty = repetition;
        };
        set(0, 0.2, 15, 0.6, 1.0);
        set(1, 0.3, 0, 0.85, 1.1);
        set(2, 0.7, 0, 1.0, 1.0);  // chapter 24: with 0.8, the nearest to the truth
        set(3, 0.9, 0, 1.0, 1.0);
        return list;
    }();
    return all;
}

const Preset& preset_named(std::string_view name) {
    for (const Preset& preset : presets()) {
        if (preset.name == name) return preset;
    }
    throw UsageError("preset: got '" + std::string(name) +
                     "', expected factual, conservative, balanced or creative");
}

}  // namespace tbt
