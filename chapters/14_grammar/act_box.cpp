#include "chapters/14_grammar/act_box.hpp"

#include <algorithm>

#include "chapters/14_grammar/grammar.hpp"
#include "chapters/14_grammar/plus.hpp"
#include "lib/check.hpp"
#include "lib/index.hpp"

namespace tbt {

ActBox::ActBox(std::span<const ActKind> kinds, std::span<const TokenExits> end,
               std::vector<int> most)
    : most_(std::move(most)), classes_(end.size()) {
    check_size("kinds of acts", most_.size(), kinds.size());
    for (const TokenExits& exits : end)
        for (const TokenExit& e : exits)
            if (std::find(ends_.begin(), ends_.end(), e.node) == ends_.end())
                ends_.push_back(e.node);
    constexpr std::size_t vector = 4;  // rows are a multiple of it
    width_ = (ends_.size() + vector - 1) / vector * vector;
    std::size_t size = classes_ * width_;
    for (const int n : most_) strides_.push_back(size), size *= index(n) + 1;
    tokens_.assign(size, Grammar::never);
    for (std::size_t c = 0; c < classes_; ++c)
        for (const TokenExit& e : end[c]) {
            const auto place = std::find(ends_.begin(), ends_.end(), e.node) - ends_.begin();
            tokens_[c * width_ + static_cast<std::size_t>(place)] = e.tokens;
        }
    fill(kinds);
}

double ActBox::states(std::span<const int> most, std::size_t classes) {
    double states = static_cast<double>(classes);
    for (const int n : most) states *= n + 1;
    return states;
}

bool ActBox::holds(std::span<const int> numbers) const {
    return std::equal(numbers.begin(), numbers.end(), most_.begin(), most_.end(),
                      [](int n, int most) { return n <= most; });
}

void ActBox::find(std::span<const int> numbers, int from, TokenExits& exits) const {
    std::size_t row = index(from) * width_;
    for (std::size_t k = 0; k < numbers.size(); ++k) row += index(numbers[k]) * strides_[k];
    for (std::size_t i = 0; i < ends_.size(); ++i)
        if (tokens_[row + i] < Grammar::never) exits.push_back({ends_[i], tokens_[row + i]});
}

// In the order of the table: with one act less one is further up.
void ActBox::fill(std::span<const ActKind> kinds) {
    std::vector<int> numbers(most_.size());
    const std::size_t rows = classes_ * width_;
    for (std::size_t first = rows; first < tokens_.size(); first += rows) {
        for (std::size_t k = 0; numbers[k]++ == most_[k]; ++k) numbers[k] = 0;
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            if (numbers[k] == 0) continue;
            const int* const before = &tokens_[first - strides_[k]];
            for (std::size_t c = 0; c < classes_; ++c) {
                int* const row = &tokens_[first + c * width_];
                for (const TokenExit& e : kinds[k].from[c]) {
                    const int* const rest = before + index(e.node) * width_;
                    for (std::size_t i = 0; i < width_; ++i)
                        row[i] = std::min(row[i], plus(e.tokens, rest[i]));
                }
            }
        }
    }
}

}  // namespace tbt
