#include "chapters/17_tokenizer/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <vector>

#include "chapters/17_tokenizer/text_pieces.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// "a + b"
std::string named(const PlainBpe& bpe, Pair pair) {
    std::string name = visible(decode(bpe, {pair.first}));
    name += " + ";
    return name += visible(decode(bpe, {pair.second}));
}

// "The| cat| sat": tokens with bars between them.
std::string cut(const BytePairTokenizer& tokenizer, const std::vector<int>& ids) {
    std::string line;
    for (const int id : ids) {
        if (!line.empty()) line += '|';
        line += visible(tokenizer.token_bytes(id));
    }
    return line;
}

}  // namespace

void show_units(const BytePairTokenizer& tokenizer, const std::string& text) {
    const std::vector<std::string> pieces = pieces_of(text);
    const std::vector<int> ids = tokenizer.encode(text);
    std::printf("1. The same text in three units:\n\n   %s\n\n", visible(text).c_str());
    std::printf("   unit      length   a table needs a row for\n");
    std::printf("   bytes  %9zu   each of 256 bytes: every text, but long\n", text.size());
    std::printf("   words  %9zu   each word of the language; a new one has no row at all\n",
                pieces.size());
    std::printf("   tokens %9zu   each of %d tokens: every text, and short\n\n   %s\n", ids.size(),
                tokenizer.vocab_size(), cut(tokenizer, ids).c_str());
}

void show_learning(const std::string& sentence, int merges) {
    const std::map<std::string, long> counts = count_pieces({sentence});
    std::printf("2. Merges learned from \"%s\":\n\n", sentence.c_str());
    std::printf("   step  most frequent pair    times  the text is now\n");
    const auto anything = [](const std::string&) { return true; };
    for (int step = 0; step <= merges; ++step) {
        const std::size_t size = 256 + index(step);
        const PlainBpe bpe = learn_merges(counts, single_bytes(), size, 2, anything);
        if (bpe.tokens.size() < size) {
            std::printf("   no pair occurs twice any more\n");
            break;
        }
        std::string line;
        for (const std::string& piece : pieces_of(sentence)) {
            if (!line.empty()) line += ' ';
            bool first = true;
            for (const int id : encode(bpe, piece)) {
                if (!first) line += '|';
                line += visible(decode(bpe, {id}));
                first = false;
            }
        }
        if (step == 0) {
            std::printf("      0  %s         %s\n", padded("", 18).c_str(), line.c_str());
            continue;
        }
        const auto last = std::find_if(bpe.merges.begin(), bpe.merges.end(),
                                       [&](const auto& m) { return m.second == to_int(size) - 1; });
        // How often it stood there before the merge.
        const PlainBpe before = learn_merges(counts, single_bytes(), size - 1, 2, anything);
        long times = 0;
        for (const auto& [piece, count] : counts) {
            const std::vector<int> ids = encode(before, piece);
            for (std::size_t i = 0; i + 1 < ids.size(); ++i)
                times += count * (Pair(ids[i], ids[i + 1]) == last->first);
        }
        const std::string pair = named(bpe, last->first);
        std::printf("   %4d  %s %7ld  %s\n", step, padded(pair, 18).c_str(), times, line.c_str());
    }
}

void check_word(const std::string& word) {
    const std::size_t end = pretoken_end(word, 0);
    if (end < word.size())
        throw UsageError("--word \"" + visible(word) + "\": is split after \"" +
                         visible(word.substr(0, end)) +
                         "\" before anything is merged; part 3 takes one word");
}

void show_encoding(const BytePairTokenizer& tokenizer, const std::string& word) {
    const PlainBpe bpe = plain_of(tokenizer);
    std::printf("3. \"%s\" with the model's %zu merges, the earliest learned first:\n\n",
                visible(word).c_str(), bpe.merges.size());
    PlainBpe few{bpe.tokens, {}};  // with one more of the merges at each step
    std::vector<int> ids = encode(few, word);
    std::printf("   %s %s\n", padded("", 22).c_str(), cut(tokenizer, ids).c_str());
    std::vector<std::pair<int, Pair>> in_order;
    for (const auto& [pair, id] : bpe.merges) in_order.emplace_back(id, pair);
    std::sort(in_order.begin(), in_order.end());
    for (const auto& [id, pair] : in_order) {
        few.merges[pair] = id;
        const std::vector<int> next = join(ids, pair, id);
        if (next == ids) continue;
        ids = next;
        std::string what = "merge ";
        what += std::to_string(id - 255);
        what += ": ";
        what += named(bpe, pair);
        std::printf("   %s %s\n", padded(what, 22).c_str(), cut(tokenizer, ids).c_str());
    }
    if (ids != encode(bpe, word))
        throw Error("tokenizer: the steps and encode give different tokens");
}

void show_mishaps(const BytePairTokenizer& tokenizer) {
    std::printf("4. What goes wrong:\n\n");
    const auto row = [&](const char* what, const std::string& text) {
        std::printf("   %s %s\n", padded(what, 34).c_str(),
                    cut(tokenizer, tokenizer.encode(text)).c_str());
    };
    row("a prompt", "The weather today");
    row("with a space at its end", "The weather today ");
    row("as the corpus goes on", "The weather today is");
    row("a prompt that ends inside a token", "The weath");
    row("numbers, digit by digit", "12 plus 345");
    row("a capital is another token", "weather Weather WEATHER");
    row("a name it never saw", "Zorblax");
    row("a smile: four bytes", "Hi \xF0\x9F\x99\x82!");
    row("half of an é", "caf\xC3");
}

void show_languages(const BytePairTokenizer& tokenizer) {
    struct Line {
        const char *language, *text;
    };
    const Line lines[] = {{"English", "The small red house stands by the river."},
                          {"French", "La petite maison rouge est au bord de la rivière."},
                          {"German", "Das kleine rote Haus steht am Fluss."},
                          {"Russian", "Маленький красный дом стоит у реки."},
                          {"Chinese", "红色的小房子在河边。"},
                          {"Emoji", "🏠🔴🏞"}};
    std::printf("5. One sentence in several languages:\n\n");
    std::printf("   language   characters   bytes   tokens   bytes a token\n");
    for (const Line& line : lines) {
        const std::string text = line.text;
        const std::size_t tokens = tokenizer.encode(text).size();
        std::printf("   %s %10zu %7zu %8zu %15.2f\n", padded(line.language, 10).c_str(),
                    count_characters(text), text.size(), tokens,
                    static_cast<double>(text.size()) / static_cast<double>(tokens));
    }
}

void write_cuts(const std::string& file, const std::string& text, const BytePairTokenizer& ours,
                const BytePairTokenizer* other) {
    std::string svg;
    double y = 30;
    const auto draw = [&](const BytePairTokenizer& tokenizer, const std::string& name) {
        const std::vector<int> ids = tokenizer.encode(text);
        svg += svg_text(20, y, name + ": " + std::to_string(ids.size()) + " tokens", "start", 14);
        y += 14;
        double x = 20;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::string token = visible(tokenizer.token_bytes(ids[i]));
            const double width = 8 + 8.2 * columns(token);
            if (x + width > 700) x = 20, y += 34;
            svg += svg_rect(x, y, width, 26, svg_colour(to_int(i % 4)),
                            "fill-opacity=\"0.3\" rx=\"3\"");
            svg +=
                svg_text(x + width / 2, y + 17.5, token, "middle", 13, "font-family=\"monospace\"");
            x += width + 3;
        }
        y += 62;
    };
    draw(ours, "This model's vocabulary, " + std::to_string(ours.vocab_size()));
    if (other) draw(*other, "Another vocabulary, " + std::to_string(other->vocab_size()));
    write_svg(file, "One text in the pieces of a vocabulary", 720, static_cast<int>(y) - 24, svg);
}

}  // namespace tbt
