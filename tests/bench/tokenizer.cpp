// Text to ids and back, one core, in MB/s of text: with the shipped vocabulary and,
// where its files are at hand, GPT-2's.
#include <filesystem>
#include <string>
#include <vector>

#include "lib/corpus/corpus.hpp"
#include "lib/text/tokenizer.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

void measure(Table& table, const std::string& name, const Tokenizer& tokenizer,
             const std::string& text) {
    const std::vector<int> ids = tokenizer.encode(text);
    const auto encode = [&] { keep(static_cast<float>(tokenizer.encode(text).size())); };
    const auto decode = [&] { keep(static_cast<float>(tokenizer.decode(ids).size())); };
    const std::vector<Timing> t =
        interleaved({repeated("encode", encode), repeated("decode", decode)});
    const double megabytes = static_cast<double>(text.size()) * 1e-6;
    table.row({name, Cell(static_cast<double>(text.size()) / static_cast<double>(ids.size()), 2),
               Cell(megabytes / t[0].median, 1), Cell(megabytes / t[1].median, 1)});
}

void run(const Settings&) {
    Table table("tokenizer", {"vocabulary", "bytes a token", "encode", "decode"});
    const Corpus corpus = Corpus::load("data/corpus");
    std::string text;
    for (std::uint64_t i = 0; text.size() < 2'000'000; ++i)
        text += corpus.document(1, i).text + "\n";
    measure(table, "storyteller", Tokenizer::load("data/models/storyteller"), text);
    if (const std::filesystem::path gpt2("../shared/golden/gpt2-tokenizer");
        std::filesystem::exists(gpt2 / "merges.txt"))
        measure(table, "GPT-2", Tokenizer::load(gpt2.string()), text);
}

const Section section{"tokenizer", 50, "2 MB of the corpus, one core, MB/s", run};

}  // namespace

}  // namespace tbt::bench
