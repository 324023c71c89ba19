// make try EX=03_1: three texts at each of five temperatures, side by side.
// Another text: PROMPT="…".
#include <algorithm>
#include <cstdio>
#include <string>

#include "exercises/03_1_explorer.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

constexpr int column = 24;

// A text as the lines of a column; newlines become blanks.
std::vector<std::string> lines_of(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    std::vector<std::string> lines{""};
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find(' ', at + 1), text.size());
        const std::string word = text.substr(at, end - at);
        if (columns(lines.back()) + columns(word) > column) lines.emplace_back();
        lines.back() += lines.back().empty() && word[0] == ' ' ? word.substr(1) : word;
        at = end;
    }
    return lines;
}

void print_side_by_side(const std::vector<std::string>& texts) {
    std::vector<std::vector<std::string>> all;
    std::size_t longest = 0;
    for (const std::string& text : texts) {
        all.push_back(lines_of(text));
        longest = std::max(longest, all.back().size());
    }
    for (std::size_t line = 0; line < longest; ++line) {
        std::string row;
        for (const auto& lines : all)
            row += "  " + padded(line < lines.size() ? lines[line] : "", column);
        row.erase(row.find_last_not_of(' ') + 1);
        std::printf("%s\n", row.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
    std::string prompt = "The weather today is";
    std::uint64_t seed = 0;
    const auto options = [&](CommandLine line) {
        line.option("prompt", prompt, "the text to continue").shows_default();
        line.option("--seed", seed, "other texts").shows_default();
    };
    return run_program(argc, argv, "A temperature explorer.", options, [&] {
        const std::vector<double> temperatures{0.2, 0.5, 0.8, 1.0, 1.5};
        constexpr int samples = 3, length = 24;
        Model model = load_model(shipped_model("storyteller"));
        WholeTextModel network(model.transformer);
        const std::vector<int> ids = encode_prompt(model, prompt, length);
        const std::span<const float> row = network(ids);
        const std::vector<float> logits(row.begin(), row.end());
        const ex03_1::Texts texts =
            ex03_1::explore(std::ref(network), ids, temperatures, samples, length, seed);
        std::printf("%s …   (%d tokens each, no penalty)\n", prompt.c_str(), length);
        for (std::size_t t = 0; t < texts.size(); ++t) {
            const ex03_1::Numbers n = ex03_1::numbers_at(logits, temperatures[t]);
            std::printf(
                "\nT = %.1f   first token: entropy %.3f, top %.3f, two agree %.3f, three %.3f\n",
                temperatures[t], n.entropy, n.top, n.agree_2, n.agree_3);
            std::vector<std::string> decoded;
            for (const std::vector<int>& text : texts[t])
                decoded.push_back(model.tokenizer.decode(text));
            print_side_by_side(decoded);
        }
    });
}
