#include "lib/show/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <unistd.h>

#include "lib/text/utf8.hpp"

namespace tbt {

std::string bar(double fraction, int width) {
    static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(fraction > 0)) return "";
    const int cells = static_cast<int>(std::lround(std::min(fraction, 1.0) * width * 8));
    std::string text;
    for (int i = 0; i < cells / 8; ++i) text += "█";
    return text + eighths[cells % 8];
}

std::string visible(std::string_view bytes) {
    std::string text;
    for (std::size_t i = 0; i < bytes.size();) {
        const CodePoint c = decode_utf8(bytes, i);
        const auto byte = static_cast<unsigned char>(bytes[i]);
        if (c.value < 0 || (c.value < 32 && c.value != '\n') || c.value == 127) {
            char hex[8];
            std::snprintf(hex, sizeof hex, "<%02X>", byte);
            text += hex;
        } else if (c.value == '\n') {
            text += "⏎";
        } else if (c.value == ' ' && i == 0) {
            text += "·";
        } else {
            text += bytes.substr(i, static_cast<std::size_t>(c.length));
        }
        i += static_cast<std::size_t>(c.length);
    }
    return text;
}

int columns(std::string_view text) {
    return static_cast<int>(
        std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string padded(std::string_view text, int width) {
    const int have = columns(text);
    if (have <= width)
        return std::string(text) + std::string(static_cast<std::size_t>(width - have), ' ');
    std::size_t end = 0;
    for (int n = 0; n < width - 1; ++n) {
        do ++end;
        while (end < text.size() && (text[end] & 0xC0) == 0x80);
    }
    return std::string(text.substr(0, end)) + "…";
}

void print_wrapped(std::string_view text, int lines) {
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

Style::Style(std::FILE* stream) {
    if (!isatty(fileno(stream)) || std::getenv("NO_COLOR")) return;
    bold = "\033[1m", dim = "\033[2m", red = "\033[31m", green = "\033[32m", yellow = "\033[33m",
    blue = "\033[34m";
    reset = "\033[0m";
}

}  // namespace tbt
