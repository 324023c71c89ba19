#include "lib/text/pieces.hpp"

#include <optional>

#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr std::string_view digits = "0123456789ABCDEF";

std::optional<char> byte_of(std::string_view piece) {
    if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return std::nullopt;
    const std::size_t high = digits.find(piece[3]), low = digits.find(piece[4]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    return static_cast<char>(high * 16 + low);
}

std::string replaced(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(from, begin);
        result += text.substr(begin, end - begin);
        if (end == std::string_view::npos) return result;
        result += to;
        begin = end + from.size();
    }
}

}  // namespace

std::string byte_piece(int byte) {
    const std::size_t b = index(byte & 0xff);
    return {'<', '0', 'x', digits[b / 16], digits[b % 16], '>'};
}

std::string written_piece(std::string_view text) { return replaced(text, " ", written_space); }

std::string bytes_of_piece(std::string_view piece) {
    if (const auto byte = byte_of(piece)) return std::string(1, *byte);
    return replaced(piece, written_space, " ");
}

}  // namespace tbt
