// Prints each step for the programs of chapters 13 and 14: the allowed tokens, the probability
// removed, the token that the model wanted, and the token drawn.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "lib/core/check.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rows.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/show/svg.hpp"
#include "lib/show/terminal.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

class MaskTrace {
public:
    MaskTrace(const Tokenizer& tokenizer, GrammarMatcher& constraint, int shown)
        : tokenizer_(&tokenizer), constraint_(&constraint), shown_(shown) {}

    void print_header() const {
        std::printf("   step  allowed  mass removed  model's choice    written\n");
    }

    // Call it before the matcher reads the token. raw: the model's logits. legal: the same, with −∞
    // for tokens that are not allowed.
    void step(std::span<const float> raw, std::span<const float> legal, int chosen) {
        check_size("mask trace: legal", legal.size(), raw.size());
        checked_id("mask trace", chosen, raw.size());
        std::vector<float> p(raw.size());
        softmax(raw, p);
        double removed = 0;
        int allowed = 0;
        for (std::size_t i = 0; i < legal.size(); ++i)
            std::isinf(legal[i]) ? removed += static_cast<double>(p[i]) : ++allowed;
        const int wanted = argmax(raw);
        counts_.push_back(allowed);
        chosen_.push_back(chosen);
        if (to_int(counts_.size()) > shown_) return;
        const Style style;
        const bool refused = std::isinf(legal[index(wanted)]);
        std::printf("   %4zu  %7d  %10.2f %%  %s  %s%s%s\n", counts_.size(), allowed, 100 * removed,
                    padded(shown(wanted) + (refused ? " (no)" : ""), 16).c_str(),
                    std::string(refused ? style.yellow : style.green).c_str(),
                    shown(chosen).c_str(), std::string(style.reset).c_str());
    }

    void print_rest() const {
        if (shown_ > 0 && to_int(counts_.size()) > shown_)
            std::printf("   ...   (%zu steps in all)\n", counts_.size());
    }

    // Draws the chosen token of each step and a bar whose length is the logarithm of the number of
    // allowed tokens.
    void write_figure(const std::string& file) const {
        constexpr int rows = 24, height = 18, left = 120, width = 480;
        const std::size_t n = std::min<std::size_t>(counts_.size(), rows);
        const double full =
            std::log10(static_cast<double>(constraint_->language().trie().vocabulary()));
        std::string drawing = svg_text(
            20, 22,
            "Tokens that the mask allows at each step (logarithmic), and the one that was chosen",
            "start", 14);
        for (std::size_t i = 0; i < n; ++i) {
            const double y = 40 + static_cast<double>(i) * height,
                         length = std::max(2.0, std::log10(counts_[i]) / full * width);
            drawing +=
                svg_text(left - 8, y + 12, shown(chosen_[i]), "end", 12) +
                svg_rect(
                    left, y + 2, length, height - 5,
                    svg_colour(counts_[i] * 2 > constraint_->language().trie().vocabulary() ? 0
                                                                                            : 1)) +
                svg_text(left + length + 6, y + 12, std::to_string(counts_[i]), "start", 12);
        }
        write_svg(
            file,
            "Tokens that the mask allows at each step (logarithmic), and the one that was chosen",
            720, 52 + to_int(n) * height, drawing);
    }

private:
    std::string shown(int id) const {
        return id == constraint_->language().trie().eos() ? "<end>"
                                                          : visible(tokenizer_->token_bytes(id));
    }

    const Tokenizer* tokenizer_;
    GrammarMatcher* constraint_;
    int shown_;
    std::vector<int> counts_, chosen_;
};

}  // namespace tbt
