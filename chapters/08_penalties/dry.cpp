#include "chapters/08_penalties/dry.hpp"

#include <algorithm>
#include <utility>

#include "lib/core/check.hpp"
#include "lib/core/index.hpp"

namespace tbt {

std::vector<std::size_t> matches_with_the_end(std::span<const int> ids) {
    const std::size_t n = ids.size();
    const auto reversed = [&](std::size_t i) { return ids[n - 1 - i]; };
    std::vector<std::size_t> z(n, 0);
    for (std::size_t i = 1, left = 0, right = 0; i < n; ++i) {
        if (i < right) z[i] = std::min(right - i, z[i - left]);
        while (i + z[i] < n && reversed(z[i]) == reversed(i + z[i])) ++z[i];
        if (i + z[i] > right) left = i, right = i + z[i];
    }
    return z;
}

void penalize_passages(Candidates& c, std::span<const int> ids, const Dry& dry) {
    check_dry(dry), check_ids("dry", ids, c.vocab_size());
    if (dry.multiplier == 0) return;
    const auto breaks = [&](int id) {
        return std::find(dry.breakers.begin(), dry.breakers.end(), id) != dry.breakers.end();
    };
    const std::size_t n = ids.size(),
                      unbroken = static_cast<std::size_t>(
                          std::find_if(ids.rbegin(), ids.rend(), breaks) - ids.rbegin());
    const std::vector<std::size_t> z = matches_with_the_end(ids);
    std::vector<std::pair<int, int>> longest;  // token, length
    for (std::size_t i = 1; i < n; ++i) {
        const int length = to_int(std::min(z[n - i], unbroken));
        if (length >= dry.allowed && !breaks(ids[i])) longest.emplace_back(ids[i], -length);
    }
    std::sort(longest.begin(), longest.end());  // by token, the longest match first
    for (std::size_t k = 0; k < longest.size(); ++k) {
        const auto& [id, minus_length] = longest[k];
        if (k > 0 && longest[k - 1].first == id) continue;
        if (float* s = c.find(id)) *s = static_cast<float>(*s - dry_penalty(dry, -minus_length));
    }
}

}  // namespace tbt
