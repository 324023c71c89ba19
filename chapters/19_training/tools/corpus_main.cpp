// The corpus on the command line: shows, measures, writes and checks documents.
//
//   build/corpus show weather --n 3      documents of one genre, with a line of dashes between them
//   build/corpus stats                   per genre: shares, sizes, entropy floor in bits per byte
//   build/corpus write --bytes 1000000 --out /tmp/train.txt --seed 1
//   build/corpus check                   what looks wrong in 2000 documents of each genre
//
// What to look for: "bits/byte" of stats. A model that has learned a genre completely reaches this
// number and cannot get below it.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "chapters/19_training/tools/corpus_lint.hpp"
#include "lib/core/error.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/corpus/tree.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

namespace {

using tbt::Corpus;

struct Options {
    std::string folder = "data/corpus";
    std::vector<std::string> only;
    std::string genre, out;
    std::uint64_t n = 0, seed = 1, bytes = 0;
    bool held_out = false;
};

Corpus load(const Options& options) {
    if (options.only.empty()) return Corpus::load(options.folder);
    std::vector<std::filesystem::path> paths(options.only.begin(), options.only.end());
    for (auto& path : paths)
        if (!std::filesystem::exists(path)) path = options.folder / path;
    return Corpus::load_files(paths);
}

void show(const Corpus& corpus, const Options& options) {
    const int genre = corpus.genre_named(options.genre);
    for (std::uint64_t i = 0; i < options.n; ++i) {
        if (i > 0) std::cout << "----------------------------------------\n";
        std::cout << corpus.document_of(genre, options.seed, i).text << '\n';
    }
}

// Adds the words of a text (sequences of letters) in lower case. The bytes of accented letters
// count as letters.
void add_words(const std::string& text, std::set<std::string>& words) {
    std::string word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const unsigned char c = i < text.size() ? static_cast<unsigned char>(text[i]) : ' ';
        if (c >= 'A' && c <= 'Z') word += static_cast<char>(c + 32);
        else if ((c >= 'a' && c <= 'z') || c >= 0x80) word += static_cast<char>(c);
        else if (!word.empty()) {
            words.insert(word);
            word.clear();
        }
    }
}

// Statistics of one genre, when the corpus draws documents.
struct GenreStats {
    double bytes = 0, bits = 0, held_out = 0, share = 0;  // sums; of the documents
    std::size_t max_bytes = 0;
    std::set<std::string> words;
};

GenreStats stats_of(const Corpus& corpus, int genre, const Options& options) {
    GenreStats s;
    for (std::uint64_t i = 0; i < options.n; ++i) {
        const auto document = corpus.document_of(genre, options.seed, i);
        s.bits += document.bits;
        s.bytes += static_cast<double>(document.text.size());
        s.max_bytes = std::max(s.max_bytes, document.text.size());
        s.held_out += document.held_out ? 1 : 0;
        add_words(document.text, s.words);
    }
    const auto& weights = corpus.tree().genre_weights;
    s.share = weights.of(static_cast<std::size_t>(genre)) / static_cast<double>(weights.total());
    return s;
}

void stats(const Corpus& corpus, const Options& options) {
    std::printf("%-16s %7s %7s %10s %9s %9s %9s %8s\n", "genre", "of docs", "bytes", "mean bytes",
                "max bytes", "bits/byte", "held out", "words");
    std::vector<GenreStats> genres;
    std::set<std::string> all_words;
    double mean = 0, bits = 0;
    const auto n = static_cast<double>(options.n);
    for (std::size_t g = 0; g < corpus.genres.size(); ++g) {
        genres.push_back(stats_of(corpus, static_cast<int>(g), options));
        const GenreStats& s = genres.back();
        mean += s.share * s.bytes / n;
        // The choice of the genre has bits, too.
        if (s.share > 0) bits += s.share * (s.bits / n - std::log2(s.share));
        all_words.insert(s.words.begin(), s.words.end());
    }
    for (std::size_t g = 0; g < corpus.genres.size(); ++g) {
        const GenreStats& s = genres[g];
        std::printf("%-16s %6.1f%% %6.1f%% %10.1f %9zu %9.4f %8.2f%% %8zu\n",
                    corpus.genres[g].c_str(), 100 * s.share, 100 * s.share * s.bytes / n / mean,
                    s.bytes / n, s.max_bytes, s.bits / s.bytes, 100 * s.held_out / n,
                    s.words.size());
    }
    std::printf("%-16s %7s %7s %10.1f %9s %9.4f %9s %8zu\n", "(as drawn)", "", "", mean, "",
                bits / mean, "", all_words.size());
    std::printf("corpus hash %s\n", corpus.hash().c_str());
}

void write(const Corpus& corpus, const Options& options) {
    constexpr std::string_view separator = "<|endoftext|>";
    tbt::AtomicFile out(options.out);
    std::uint64_t bytes = 0, documents = 0;
    for (std::uint64_t i = 0; bytes < options.bytes; ++i) {
        if (i > 1'000'000 && documents == 0)
            throw tbt::Error("no document of this corpus is held out (no genre has 'hold')");
        const auto document = corpus.document(options.seed, i);
        if (document.held_out != options.held_out) continue;
        out.write(document.text.data(), document.text.size());
        out.write(separator.data(), separator.size());
        bytes += document.text.size() + separator.size();
        ++documents;
    }
    out.commit();
    std::cerr << options.out << ": " << bytes << " bytes, " << documents << " documents\n";
}

int check(const Corpus& corpus, const Options& options) {
    const std::vector<tbt::Finding> findings = tbt::lint(corpus, options.seed, options.n);
    for (const tbt::Finding& finding : findings)
        std::printf("%s: %s: %llu documents, as in \"%s\"\n", finding.genre.c_str(),
                    finding.what.c_str(), static_cast<unsigned long long>(finding.documents),
                    finding.example.c_str());
    for (const std::string& note : corpus.unused()) std::printf("note: %s\n", note.c_str());
    if (findings.empty())
        std::printf("nothing looks wrong in %llu documents of each genre\n",
                    static_cast<unsigned long long>(options.n));
    return findings.empty() ? 0 : 1;
}

struct Commands {
    tbt::CommandLine show, stats, write, check;
};

Commands add_commands(tbt::CommandLine line, Options& options) {
    line.requires_command();
    line.option("--folder", options.folder, "the folder of the grammar files").shows_default();
    line.option("--only", options.only,
                "read only these grammar files, as a_world.grammar,g_translate.grammar")
        .separated_by(',');
    line.option("--seed", options.seed, "which documents").shows_default();
    Commands commands = {line.command("show", "print documents of one genre"),
                         line.command("stats", "sizes, shares and entropy floor of every genre"),
                         line.command("write", "write documents, each followed by <|endoftext|>"),
                         line.command("check", "look for mistakes in the expanded text")};
    commands.show.option("genre", options.genre, "the genre's name").required();
    commands.write.option("--bytes", options.bytes, "stop after this many bytes").required();
    commands.write.option("--out", options.out, "the file to write").required();
    commands.write.option("--held-out", options.held_out,
                          "only the held-out documents, not only the others");
    for (tbt::CommandLine command : {commands.show, commands.stats, commands.check})
        command.option("--n", options.n, "how many documents (of each genre)");
    return commands;
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    std::optional<Commands> commands;
    int found = 0;
    const int status = tbt::run_program(
        argc, argv, "Look at the training corpus, measure it, write it out, check it.",
        [&](tbt::CommandLine line) { commands = add_commands(line, options); },
        [&] {
            const Corpus corpus = load(options);
            if (options.n == 0)
                options.n = commands->show.chosen() ? 5 : commands->stats.chosen() ? 4000 : 2000;
            if (commands->show.chosen()) show(corpus, options);
            if (commands->stats.chosen()) stats(corpus, options);
            if (commands->write.chosen()) write(corpus, options);
            if (commands->check.chosen()) found = check(corpus, options);
        });
    return status != 0 ? status : found;
}
