#include "lib/text/vocabulary.hpp"

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

}  // namespace

const std::string& written(const Vocabulary& vocabulary, int id) {
    return at(has_pieces(vocabulary) ? vocabulary.pieces : vocabulary.tokens, id);
}

std::string replace_all(std::string_view text, std::string_view from, std::string_view to) {
    std::string result;
    result.reserve(text.size() + text.size() / 2);
    for (std::size_t begin = 0;;) {
        const std::size_t end = from.empty() ? std::string_view::npos : text.find(from, begin);
        result += text.substr(begin, end - begin);
        if (end == std::string_view::npos) return result;
        result += to;
        begin = end + from.size();
    }
}

std::string byte_piece(int byte) {
    const std::size_t b = index(byte & 0xff);
    return {'<', '0', 'x', digits[b / 16], digits[b % 16], '>'};
}

std::string written_piece(std::string_view text) { return replace_all(text, " ", written_space); }

std::string bytes_of_piece(std::string_view piece) {
    if (const auto byte = byte_of(piece)) return std::string(1, *byte);
    return replace_all(piece, written_space, " ");
}

}  // namespace tbt
