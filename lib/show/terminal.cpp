#include "lib/show/terminal.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <unistd.h>

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

// The maximum width of a line.
static constexpr int widest = 1 << 16;

std::string bar(double fraction, int width) {
    static constexpr const char* eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    if (!(fraction > 0) || width <= 0) return "";
    width = std::min(width, widest);
    const int cells = to_int(std::lround(std::min(fraction, 1.0) * width * 8));
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
            text += bytes.substr(i, index(c.length));
        }
        i += index(c.length);
    }
    return text;
}

namespace {

// A byte that is not UTF-8 is shown as one replacement character, which has one column.
int columns_of(const CodePoint& c) { return c.value < 0 ? 1 : width_of(c.value); }

}  // namespace

int columns(std::string_view text) {
    int sum = 0;
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_utf8(text, i);
        sum += columns_of(c);
        i += index(c.length);
    }
    return sum;
}

std::size_t bytes_that_fit(std::string_view text, int width) {
    std::size_t i = 0;
    while (i < text.size()) {
        const CodePoint c = decode_utf8(text, i);
        width -= columns_of(c);
        if (width < 0) break;
        i += index(c.length);
    }
    return i;
}

std::string padded(std::string_view text, int width) {
    width = std::clamp(width, 0, widest);
    const int have = columns(text);
    if (have <= width) return std::string(text) + std::string(index(width - have), ' ');
    // If a wide character does not fit, one column stays empty.
    const int room = std::max(width - 1, 0);
    const std::string_view start = text.substr(0, bytes_that_fit(text, room));
    return std::string(start) + "…" + std::string(index(room - columns(start)), ' ');
}

void print_wrapped(std::string_view text, int lines) {
    constexpr int width = 73;
    while (!text.empty() && lines-- > 0) {
        // The line ends at the last space that fits (which may be just after the width), or where
        // the width ends.
        const std::size_t end = bytes_that_fit(text, width + 1);
        std::size_t space = text.substr(0, end).rfind(' ');
        if (columns(text) <= width || space == 0 || space == std::string_view::npos) space = end;
        std::printf("   %.*s%s\n", to_int(space), text.data(),
                    lines == 0 && space < text.size() ? " …" : "");
        text.remove_prefix(space);
        if (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    }
}

Style::Style(std::FILE* stream) {
    if (!stream || !isatty(fileno(stream)) || std::getenv("NO_COLOR")) return;
    bold = "\033[1m", dim = "\033[2m", red = "\033[31m", green = "\033[32m", yellow = "\033[33m",
    blue = "\033[34m";
    reset = "\033[0m";
}

}  // namespace tbt
