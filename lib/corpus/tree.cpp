#include "lib/corpus/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lib/core/index.hpp"

namespace tbt::grammar {

std::string Tree::where(Place p) const {
    return files[index(p.file)] + ":" + std::to_string(p.line) + ":" + std::to_string(p.column) +
           ": ";
}

Weights make_weights(std::vector<std::uint64_t> weights) {
    Weights result;
    std::uint64_t divisor = 0, sum = 0;
    for (const std::uint64_t w : weights) divisor = std::gcd(divisor, w);
    if (divisor == 0) return result;
    for (std::uint64_t& w : weights) sum += (w /= divisor);
    if (sum > std::numeric_limits<std::uint32_t>::max()) return result;
    std::uint64_t running = 0;
    for (const std::uint64_t w : weights) {
        running += w;
        result.cumulative.push_back(static_cast<std::uint32_t>(running));
        result.bits.push_back(
            w == 0 ? 0.0 : std::log2(static_cast<double>(sum) / static_cast<double>(w)));
    }
    return result;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
    std::size_t best = name.size() / 3 + 2;  // a distance below this is close enough
    std::string nearest;
    for (const std::string& other : known) {
        // Levenshtein: row[j] is the distance of name[0, i) and other[0, j).
        std::vector<std::size_t> row(other.size() + 1);
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= name.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= other.size(); ++j) {
                const std::size_t change = diagonal + (name[i - 1] == other[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, change});
            }
        }
        if (row.back() < best) {
            best = row.back();
            nearest = other;
        }
    }
    return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

}  // namespace tbt::grammar
