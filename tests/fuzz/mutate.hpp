// Damaged copies of seeds: the plainest fuzzer, without a compiler's help, the same on every
// machine.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/words.hpp"

namespace tbt::fuzz {

// One to eight damages: bytes changed, removed, doubled, brought from another seed, and what
// parsers dislike.
inline std::string damaged(const std::vector<std::string>& seeds, std::size_t which, Rng& rng) {
    static const std::vector<std::string> disliked = [] {
        std::vector<std::string> all = test::words_of(
            R"([ ] { } ( ) " \ \u \ud800 * {0,9 | - 1e999 -1 0.5 null ::= 4294967296 ^ $ .* "")"
            R"( , : root nan [^ -- = true \p{L $ref items # ' 9999999999999999999)");
        all.insert(all.end(), {"\n", "\xff", "\xc3"});
        return all;
    }();
    std::string text = seeds[which];
    const auto place = [&](std::size_t size) { return index(rng.below(size + 1)); };
    for (std::uint64_t n = 1 + rng.below(8); n > 0; --n) {
        const std::size_t from = place(text.size()),
                          length = std::min(place(16), text.size() - from);
        switch (rng.below(6)) {
            case 0:
                if (from < text.size()) text[from] = static_cast<char>(rng.below(256));
                break;
            case 1:
                text.erase(from, length);
                break;
            case 2:
                text.insert(place(text.size()), text.substr(from, length));
                break;
            case 3:
                text.insert(from, disliked[index(rng.below(disliked.size()))]);
                break;
            case 4: {
                const std::string& other = seeds[index(rng.below(seeds.size()))];
                text.insert(from, other.substr(place(other.size()), place(64)));
                break;
            }
            default:
                if (from < text.size()) text[from] ^= static_cast<char>(1 << rng.below(8));
        }
    }
    return text.substr(0, 4096);
}

}  // namespace tbt::fuzz
