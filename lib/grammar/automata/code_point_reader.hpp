// A text of code points and a position in it: the base class of recursive descent parsers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tbt {

inline bool is_digit(std::int32_t c) { return c >= '0' && c <= '9'; }

class CodePointReader {
protected:
    explicit CodePointReader(std::vector<std::int32_t> text) : text_(std::move(text)) {}

    bool at_end() const { return at_ >= text_.size(); }
    // The code point `ahead` places after the position; −1 after the end of the text.
    std::int32_t peek(std::size_t ahead = 0) const {
        return at_ + ahead < text_.size() ? text_[at_ + ahead] : -1;
    }
    // If this comes next, moves past it and returns true.
    bool take(std::int32_t c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    bool take(std::string_view ascii) {
        for (std::size_t i = 0; i < ascii.size(); ++i) {
            if (peek(i) != ascii[i]) return false;
        }
        at_ += ascii.size();
        return true;
    }

    // "3:17" for an index into the text: line 3, column 17.
    std::string line_and_column(std::size_t where) const {
        std::size_t line = 1, column = 1;
        for (std::size_t i = 0; i < std::min(where, text_.size()); ++i)
            text_[i] == '\n' ? (++line, column = 1) : ++column;
        return std::to_string(line) + ":" + std::to_string(column);
    }

    std::vector<std::int32_t> text_;
    std::size_t at_ = 0;
};

}  // namespace tbt
