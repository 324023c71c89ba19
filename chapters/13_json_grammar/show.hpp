// What the programs of chapters 13 and 14 print at each step: allowed tokens, mass removed, what the model wanted.
#pragma once

#include <cmath>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "chapters/02_greedy/greedy.hpp"
#include "chapters/13_json_grammar/token_constraint.hpp"
#include "layers.hpp"
#include "svg.hpp"
#include "terminal.hpp"
#include "tokenizer.hpp"

namespace tbt {

class MaskTrace {
public:
    MaskTrace(const Tokenizer& tokenizer, TokenConstraint& constraint, int shown) : tokenizer_(&tokenizer), constraint_(&constraint), shown_(shown) {}

    void print_header() const { std::printf("   step  allowed  mass removed  the model wanted  it became\n"); }

    // Called before the token is read by the constraint. raw: the model's logits; masked: the same with −∞.
    void step(std::span<const float> raw, std::span<const float> masked, int chosen) {
        std::vector<float> p(raw.size());
        softmax(raw, p);
        double removed = 0;
        int allowed = 0;
        for (std::size_t i = 0; i < masked.size(); ++i) std::isinf(masked[i]) ? removed += static_cast<double>(p[i]) : ++allowed;
        const int wanted = argmax(raw);
        counts_.push_back(allowed);
        removed_.push_back(removed);
        if (static_cast<int>(counts_.size()) > shown_) return;
        const Style style;
        const bool refused = std::isinf(masked[static_cast<std::size_t>(wanted)]);
        std::printf("   %4zu  %7d  %10.2f %%  %s  %s%s%s\n", counts_.size(), allowed, 100 * removed, padded(shown(wanted) + (refused ? " (no)" : ""), 16).c_str(),
                    std::string(refused ? style.yellow : style.green).c_str(), shown(chosen).c_str(), std::string(style.reset).c_str());
    }

    void print_rest() const {
        if (static_cast<int>(counts_.size()) > shown_) std::printf("   ...   (%zu steps in all)\n", counts_.size());
    }

    void write_figure(const std::string& file) const {
        LineChart chart;
        chart.title = "Tokens allowed at each step";
        chart.x_label = "step";
        chart.y_label = "tokens (log)";
        chart.log_y = true;
        chart.y_from_zero = false;
        LineChart::Series series{"allowed", {}, false, false};
        for (std::size_t i = 0; i < counts_.size(); ++i) series.points.emplace_back(static_cast<double>(i + 1), static_cast<double>(counts_[i]));
        chart.series.push_back(series);
        write_svg(file, chart);
    }

private:
    std::string shown(int id) const { return id == constraint_->language().trie().eos() ? "<end>" : visible(tokenizer_->token_bytes(id)); }

    const Tokenizer* tokenizer_;
    TokenConstraint* constraint_;
    int shown_;
    std::vector<int> counts_;
    std::vector<double> removed_;
};

}  // namespace tbt
