// Is a text that was served the one that was written alone?
#pragma once

#include "chapters/10_generate/generate.hpp"

namespace tbt::test {

// Ids, text, why it ended, and both log-probabilities of each traced token.
inline bool same(const GeneratedText& a, const GeneratedText& b) {
    if (a.ids != b.ids || a.text != b.text || a.reason != b.reason ||
        a.stop_string != b.stop_string || a.traces.size() != b.traces.size())
        return false;
    for (std::size_t i = 0; i < a.traces.size(); ++i)
        if (!(a.traces[i].raw_log_probability == b.traces[i].raw_log_probability) ||
            !(a.traces[i].final_log_probability == b.traces[i].final_log_probability))
            return false;
    return true;
}

inline std::vector<std::vector<int>> ids_of(const std::vector<GeneratedText>& texts) {
    std::vector<std::vector<int>> ids;
    for (const GeneratedText& text : texts) ids.push_back(text.ids);
    return ids;
}

}  // namespace tbt::test
