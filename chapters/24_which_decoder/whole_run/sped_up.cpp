#include "chapters/24_which_decoder/whole_run/sped_up.hpp"

#include <functional>
#include <span>
#include <utility>

#include "chapters/24_which_decoder/whole_run/results.hpp"

namespace tbt {

std::vector<SpedUp> compare_sped_up(TextGenerator& generator, const std::vector<Passage>& passages,
                                    std::uint64_t seed, int most_tokens) {
    using Change = std::function<void(TextOptions&)>;
    const std::vector<std::pair<std::string, Change>> ways = {
        {"plain", [](TextOptions&) {}},
        {"drafts by the sketch", [](TextOptions& o) { o.assistant_model = "sketch"; }},
        {"lookups in the text", [](TextOptions& o) { o.prompt_lookup_num_tokens = 6; }},
        {"heads", [](TextOptions& o) { o.medusa = true; }},
    };
    std::vector<SpedUp> results;
    std::vector<std::vector<int>> plain;
    for (const auto& [name, change] : ways) {
        SpedUp result{name};
        for (std::size_t i = 0; i < passages.size(); ++i) {
            TextOptions options;
            options.temperature = 1;
            options.max_new_tokens = most_tokens;
            options.seed = seed + i;
            change(options);
            const std::vector<int> ids =
                generator.generate_ids(std::span(&passages[i].prompt, 1), options).at(0).ids;
            if (results.empty()) plain.push_back(ids);
            ++result.texts;
            result.same += ids == plain[i];
            result.tokens += static_cast<long>(ids.size());
            result.passes += generator.effort().passes;
        }
        results.push_back(result);
    }
    return results;
}

std::string table_of(const std::vector<SpedUp>& ways) {
    std::string text = "temperature 1            texts   the same   tokens a pass\n";
    for (const SpedUp& w : ways)
        text += format("%-22s %7ld %10ld %15.2f\n", w.way.c_str(), w.texts, w.same,
                       static_cast<double>(w.tokens) / static_cast<double>(w.passes));
    return text;
}

}  // namespace tbt
