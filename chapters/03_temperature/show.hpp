// Distributions printed as bars, for the programs of this and later chapters.
#pragma once

#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lib/show/terminal.hpp"

namespace tbt {

// "   sunny       0.823352  ████████████"
inline void print_bars(std::span<const std::string_view> words, std::span<const double> p,
                       int width = 40) {
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::printf("   %s %8.6f  %s\n", padded(words[i], 12).c_str(), p[i],
                    bar(p[i], width).c_str());
    }
}

// Each segment of the wheel, unrolled: as many letters as its share of the width.
inline std::string unrolled(std::span<const std::string_view> words, std::span<const double> p,
                            int width = 70) {
    std::string strip;
    double end = 0;
    std::size_t column = 0;
    for (std::size_t i = 0; i < words.size(); ++i) {
        end += p[i] * width;
        for (; static_cast<double>(column) + 0.5 < end && column < static_cast<std::size_t>(width);
             ++column)
            strip += words[i][0];
    }
    return strip;
}

// A text on lines of at most 76 columns, indented; after `lines` lines it ends in "…".
inline void print_wrapped(std::string_view text, int lines = 100) {
    constexpr int width = 73;
    while (!text.empty() && lines-- > 0) {
        // The last space up to the width; columns are code points, so count them.
        std::size_t end = 0, space = 0;
        for (int column = 0; end < text.size() && column <= width; ++column) {
            if (text[end] == ' ') space = end;
            do ++end;
            while (end < text.size() && (text[end] & 0xC0) == 0x80);
        }
        if (end == text.size() && columns(text) <= width) space = end;
        if (space == 0) space = end;
        std::printf("   %.*s%s\n", static_cast<int>(space), text.data(),
                    lines == 0 && space < text.size() ? " …" : "");
        text.remove_prefix(space);
        if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    }
}

}  // namespace tbt
