// The corpus: reads its files and makes documents.
#include "chapters/19_training/corpus/corpus.hpp"

#include <algorithm>
#include <sstream>

#include "chapters/19_training/corpus/corpus_check.hpp"
#include "chapters/19_training/corpus/corpus_expansion.hpp"
#include "chapters/19_training/corpus/corpus_parse.hpp"
#include "chapters/19_training/corpus/corpus_tree.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

std::uint64_t grammar::share_of_documents(const Tree& tree, std::size_t genre,
                                          std::uint64_t share_of_bytes) {
    constexpr std::uint64_t seed = 0x7368617265730000, documents = 256, scale = 4096;
    std::uint64_t bytes = 1;
    for (std::uint64_t i = 0; i < documents; ++i) {
        Generator generator(seed, genre + 1, i);
        bytes += Expansion(tree, generator).document(to_int(genre)).text.size();
    }
    return share_of_bytes * scale / bytes;
}

using namespace grammar;

namespace {

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
            if (entry.path().extension() == ".grammar") paths.push_back(entry.path());
        if (error)
            throw Error(folder + ": cannot read the corpus folder (" + error.message() + ")");
        if (paths.size() == before) throw Error(folder + ": no .grammar files in this folder");
        std::sort(paths.begin() + static_cast<std::ptrdiff_t>(before), paths.end());
    }
    return load_files(paths);
}

Corpus::Document Corpus::document(std::uint64_t seed, std::uint64_t index) const {
    Generator generator(seed, 0, index);
    Expansion expansion(*tree_, generator);
    const std::size_t genre = expansion.choose(tree_->genre_weights);
    return expansion.document(static_cast<int>(genre));
}

Corpus::Document Corpus::document_of(int genre, std::uint64_t seed, std::uint64_t index) const {
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

}  // namespace tbt
