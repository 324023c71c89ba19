#include "chapters/19_training/corpus/genre_mix.hpp"

#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "lib/error.hpp"
#include "lib/index.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/kernels/rng.hpp"

namespace tbt {
namespace {

constexpr std::uint64_t most_share = 1'000'000;

std::uint64_t share_of(const std::string& item, std::size_t equals) {
    if (equals == std::string::npos) return 1;
    std::uint64_t share = 0;
    const char *from = item.data() + equals + 1, *end = item.data() + item.size();
    const auto [at, problem] = std::from_chars(from, end, share);
    if (problem != std::errc() || at != end || share < 1 || share > most_share)
        throw UsageError("genres: '" + item + "', expected NAME=SHARE with a share from 1 to " +
                         std::to_string(most_share));
    return share;
}

}  // namespace

GenreMix::GenreMix(Corpus corpus, const std::string& shares) : corpus_(std::move(corpus)) {
    std::istringstream list(shares);
    for (std::string item; std::getline(list, item, ',');) {
        const std::size_t equals = item.find('=');
        genres.push_back(item.substr(0, equals));
        numbers_.push_back(corpus_.genre_named(genres.back()));
        shares_.push_back(share_of(item, equals));
        total_ += shares_.back();
    }
    if (genres.empty()) throw UsageError("genres: none, expected such as weather=4,everyday=3");
    hash_ = Hash().add(corpus_.hash()).add('\0').add(shares).text();
}

Document GenreMix::document(std::uint64_t seed, std::uint64_t index) const {
    // Another stream than those that documents are drawn from.
    std::uint64_t at = Rng(seed ^ 0x67656e7265u, index).below(total_);
    std::size_t g = 0;
    while (at >= shares_[g]) at -= shares_[g++];
    Document document = corpus_.document_of(numbers_[g], seed, index);
    document.genre = to_int(g);
    document.bits += std::log2(static_cast<double>(total_) / static_cast<double>(shares_[g]));
    return document;
}

}  // namespace tbt
