#include "chapters/19_training/corpus/genre_mix.hpp"

#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "chapters/19_training/corpus/corpus_expansion.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/kernels/hash.hpp"

namespace tbt {
namespace {

constexpr std::uint64_t max_share = 1'000'000;

struct Share {
    std::uint64_t share = 1;
    bool of_bytes = false;  // 5%
};

Share share_of(const std::string& item, std::size_t equals) {
    Share result;
    if (equals == std::string::npos) return result;
    const char *from = item.data() + equals + 1, *end = item.data() + item.size();
    result.of_bytes = end > from && end[-1] == '%';
    if (result.of_bytes) --end;
    const auto [at, problem] = std::from_chars(from, end, result.share);
    if (problem != std::errc() || at != end || result.share < 1 || result.share > max_share)
        throw UsageError("genres: '" + item + "', expected NAME=SHARE with a share from 1 to " +
                         std::to_string(max_share) + ", or NAME=SHARE% of the bytes");
    return result;
}

}  // namespace

GenreMix::GenreMix(Corpus corpus, const std::string& shares) : corpus_(std::move(corpus)) {
    std::istringstream list(shares);
    std::size_t of_bytes = 0;
    for (std::string item; std::getline(list, item, ',');) {
        const std::size_t equals = item.find('=');
        genres.push_back(item.substr(0, equals));
        numbers_.push_back(corpus_.genre_named(genres.back()));
        const Share share = share_of(item, equals);
        of_bytes += share.of_bytes ? 1 : 0;
        // In millionths, so that dividing by lengths loses little.
        shares_.push_back(share.of_bytes
                              ? grammar::share_of_documents(corpus_.tree(), index(numbers_.back()),
                                                            share.share * max_share)
                              : share.share);
        total_ += shares_.back();
    }
    if (of_bytes != 0 && of_bytes != genres.size())
        throw UsageError(
            "genres: some have a share of the bytes (4%), some of the documents (4); give all the "
            "same kind");
    if (genres.empty())
        throw UsageError("genres: got none, expected a list such as weather=4,everyday=3");
    hash_ = Hash().add(corpus_.hash()).add('\0').add(shares).text();
}

Document GenreMix::document(std::uint64_t seed, std::uint64_t index) const {
    // A different stream from those of the documents.
    std::uint64_t at = Rng(seed ^ 0x67656e7265u, index).below(total_);
    std::size_t g = 0;
    while (at >= shares_[g]) at -= shares_[g++];
    Document document = corpus_.document_of(numbers_[g], seed, index);
    document.genre = to_int(g);
    document.bits += std::log2(static_cast<double>(total_) / static_cast<double>(shares_[g]));
    return document;
}

}  // namespace tbt
