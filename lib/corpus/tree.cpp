#include "lib/corpus/tree.hpp"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include "lib/core/index.hpp"
#include "lib/machine/edit_distance.hpp"

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

bool read_whole(const std::string& text, std::int64_t& value) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    if (text.size() == sign || text.size() > 13 ||
        text.find_first_not_of("0123456789", sign) != std::string::npos)
        return false;
    value = std::atoll(text.c_str());
    return true;
}

std::int64_t calculated(std::int64_t a, char op, std::int64_t b) {
    return op == '+' ? a + b : op == '-' ? a - b : op == '*' ? a * b : op == '/' ? a / b : a % b;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
    int best = to_int(name.size() / 3) + 2;  // a distance below this is close enough
    std::string nearest;
    for (const std::string& other : known)
        if (const int distance = edit_distance(name, other); distance < best)
            best = distance, nearest = other;
    return nearest.empty() ? "" : " (did you mean '" + nearest + "'?)";
}

}  // namespace tbt::grammar
