// The corpus: reads its files and makes documents.
#include "lib/corpus/corpus.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/corpus/expansion.hpp"
#include "lib/corpus/parse.hpp"
#include "lib/corpus/tree.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

using namespace grammar;

namespace {

// Converts a genre's fraction of the bytes to a weight for documents: divides by the genre's mean
// length, which is measured on its first documents with a separate seed.
std::uint64_t share_of_documents(const Tree& tree, std::size_t genre,
                                 std::uint64_t share_of_bytes) {
    constexpr std::uint64_t seed = 0x7368617265730000, documents = 256, scale = 4096;
    std::uint64_t bytes = 1;
    for (std::uint64_t i = 0; i < documents; ++i) {
        Generator generator(seed, genre + 1, i);
        bytes += Expansion(tree, generator).document(to_int(genre)).text.size();
    }
    return share_of_bytes * scale / bytes;
}

Weights document_weights(const Tree& tree) {
    std::vector<std::uint64_t> weights;
    for (std::size_t g = 0; g < tree.genres.size(); ++g)
        weights.push_back(share_of_documents(tree, g, tree.byte_shares[g]));
    Weights result = make_weights(weights);
    if (result.cumulative.empty()) throw Error("the genres' shares of the bytes differ too much");
    return result;
}

}  // namespace

Corpus Corpus::from_text(const std::vector<File>& files) {
    Corpus corpus;
    auto tree = std::make_shared<Tree>(parse(files));
    check(*tree);
    if (!tree->byte_shares.empty()) tree->genre_weights = document_weights(*tree);
    for (const Genre& genre : tree->genres)
        corpus.genres.push_back(tree->rules[static_cast<std::size_t>(genre.rule)].name);
    Hash hash;
    for (const auto& [name, contents] : files) {
        const std::string base = std::filesystem::path(name).filename().string();
        hash.add(base).add('\0').add(contents).add('\0');
    }
    corpus.hash_ = hash.text();
    corpus.tree_ = std::move(tree);
    return corpus;
}

Corpus Corpus::load_files(const std::vector<std::filesystem::path>& paths) {
    std::vector<File> files;
    for (const auto& path : paths) {
        files.emplace_back(path.generic_string(), read_file(path.string()));
        if (files.back().second.empty())
            throw Error(path.string() + ": cannot read this grammar file (is it empty?)");
    }
    return from_text(files);
}

Corpus Corpus::load(const std::filesystem::path& folders) {
    if (folders.string().find('\0') != std::string::npos)
        throw Error("the name of a corpus folder contains a zero byte");
    std::vector<std::filesystem::path> paths;
    std::istringstream list(folders.string());
    for (std::string folder; std::getline(list, folder, ',');) {
        std::error_code error;
        const std::size_t before = paths.size();
        for (const auto& entry : std::filesystem::directory_iterator(folder, error))
            if (entry.path().extension() == ".grammar" || entry.path().extension() == ".lexicon")
                paths.push_back(entry.path());
        if (error)
            throw Error(folder + ": cannot read the corpus folder (" + error.message() + ")");
        if (paths.size() == before) throw Error(folder + ": no .grammar files in this folder");
        std::sort(paths.begin() + static_cast<std::ptrdiff_t>(before), paths.end());
    }
    return load_files(paths);
}

Document Corpus::document(std::uint64_t seed, std::uint64_t index) const {
    Generator generator(seed, 0, index);
    Expansion expansion(*tree_, generator);
    const std::size_t genre = expansion.choose(tree_->genre_weights);
    return expansion.document(static_cast<int>(genre));
}

Document Corpus::document_of(int genre, std::uint64_t seed, std::uint64_t index) const {
    if (genre < 0 || static_cast<std::size_t>(genre) >= genres.size())
        throw Error("document_of: genre " + std::to_string(genre) + " of " +
                    std::to_string(genres.size()));
    Generator generator(seed, static_cast<std::uint64_t>(genre) + 1, index);
    return Expansion(*tree_, generator).document(genre);
}

int Corpus::genre_named(const std::string& name) const {
    for (std::size_t g = 0; g < genres.size(); ++g)
        if (genres[g] == name) return static_cast<int>(g);
    std::string list;
    for (const std::string& genre : genres) list += (list.empty() ? "" : ", ") + genre;
    throw Error("no genre named '" + name + "'" + did_you_mean(name, genres) +
                "; there are: " + list);
}

std::vector<std::string> Corpus::unused() const { return grammar::unused(*tree_); }

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
                              ? share_of_documents(corpus_.tree(), index(numbers_.back()),
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
