#include "lib/text/joined_characters.hpp"

#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/pieces.hpp"

namespace tbt {

namespace {

constexpr std::size_t space_mark = 0xff;  // for "▁": a byte that UTF-8 never has

std::size_t byte_at(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

bool is_byte(std::string_view piece) { return piece.size() == 6 && piece.starts_with("<0x"); }

}  // namespace

void JoinedCharacters::add_merge(std::string_view left, std::string_view right) {
    if (left.empty() || right.empty() || is_byte(left) || is_byte(right)) {
        joined_.set();
        return;
    }
    const std::size_t last =
        left.ends_with(written_space) ? space_mark : byte_at(left, left.size() - 1);
    const std::size_t first = right.starts_with(written_space) ? space_mark : byte_at(right, 0);
    joined_.set(last << 8 | first);
}

std::size_t JoinedCharacters::part_end(std::string_view text, std::size_t begin) const {
    for (std::size_t i = begin, last = 0;;) {
        std::size_t first = byte_at(text, i), end = i + 1;
        std::size_t own_last = first;
        if (first >= 0x80) {
            end = i + index(decode_utf8(text, i).length);
            own_last = byte_at(text, end - 1);
            if (text.substr(i, end - i) == written_space) first = own_last = space_mark;
        }
        if (i > begin && !joined_[last << 8 | first]) return i;
        if (end >= text.size()) return text.size();
        i = end;
        last = own_last;
    }
}

}  // namespace tbt
