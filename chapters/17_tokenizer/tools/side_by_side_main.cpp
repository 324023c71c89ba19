// The tokenizers of several models, side by side.
//
//   build/side_by_side ~/models/gpt2 ~/models/qwen
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"
#include "lib/text/tokenizer.hpp"

using namespace tbt;

namespace {

std::string digits_of(const TextRules& rules) {
    for (const TextRules::Split& split : rules.splits)
        if (split.max_digits > 0)
            return split.max_digits == 1 ? "one by one"
                                         : "up to " + std::to_string(split.max_digits);
    return "by merges";
}

std::string normalizers_of(const TextRules& rules) {
    using Kind = TextRules::Normalizer::Kind;
    static const char* const plain[] = {"NFC",       "NFD",           "NFKC",       "NFKD",
                                        "lowercase", "strip accents", "strip left", "strip right"};
    std::string names;
    for (const TextRules::Normalizer& n : rules.normalizers) {
        names += names.empty() ? "" : ", ";
        names += n.kind < Kind::prepend    ? plain[static_cast<int>(n.kind)]
                 : n.kind == Kind::replace ? "space to " + n.to
                                           : n.to + " in front";
    }
    return names.empty() ? "none" : names;
}

void show_cuts(const Tokenizer& tokenizer) {
    static const char* const texts[] = {" the lighthouse", " 2026 + 12345", "Stra\u00dfe",
                                        "\u65e5\u672c\u8a9e", "    return x;"};
    for (const char* text : texts) {
        const std::vector<int> ids = tokenizer.encode(text);
        std::string cut;
        for (const int id : ids) {
            if (!cut.empty()) cut += '|';
            cut += visible(tokenizer.token_bytes(id));
        }
        std::printf("      %s%3zu  %s\n", padded(visible(text), 18).c_str(), ids.size(),
                    cut.c_str());
    }
}

// Special tokens and others that are looked for before anything is cut.
void show_added(const Tokenizer& tokenizer) {
    std::string line;
    constexpr std::size_t most = 4;
    const auto& added = tokenizer.vocabulary().added;
    for (std::size_t i = 0; i < std::min(most, added.size()); ++i) {
        if (i > 0) line += ' ';
        line += visible(tokenizer.token_bytes(added[i].id));
    }
    if (added.size() > most) line += " and " + std::to_string(added.size() - most) + " more";
    std::printf("      added tokens: %s\n", line.c_str());
}

// What each does to a text, and how it cuts words, numbers, other languages and chat tokens. Throws
// Error for a directory without a tokenizer.
void show_side_by_side(const std::vector<std::string>& directories) {
    std::printf("Tokenizers side by side:\n");
    for (const std::string& directory : directories) {
        const Tokenizer tokenizer = Tokenizer::load(directory);
        const TextRules& rules = tokenizer.vocabulary().rules;
        const bool bytes = rules.symbols == TextRules::Symbols::bytes;
        std::filesystem::path path(directory);
        if (!path.has_filename()) path = path.parent_path();
        std::printf("\n   %s, %d tokens: merges of %s; digits %s; rewrites: %s; around a text: ",
                    path.filename().string().c_str(), tokenizer.vocab_size(),
                    bytes ? "bytes" : "characters", digits_of(rules).c_str(),
                    normalizers_of(rules).c_str());
        std::string around;
        for (const int id : rules.before)
            around += visible(tokenizer.token_bytes(id)) + " in front";
        for (const int id : rules.after) around += visible(tokenizer.token_bytes(id)) + " after";
        std::printf("%s\n", around.empty() ? "nothing" : around.c_str());
        show_added(tokenizer);
        show_cuts(tokenizer);
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::string> directories;
    return run_program(
        argc, argv, "The tokenizers of several models, side by side.",
        [&](CommandLine line) {
            line.option("directories", directories, "directories with a tokenizer").required();
        },
        [&] { show_side_by_side(directories); });
}
