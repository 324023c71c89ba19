// Pieces, the tokens of SentencePiece: text with "▁" for a space, and "<0xE2>" for a byte.
#pragma once

#include <string>
#include <string_view>

namespace tbt {

inline constexpr std::string_view written_space = "\u2581";

// "<0x0A>" of 10. The sign of a char is no matter.
std::string byte_piece(int byte);
// " the" to "▁the" and back; "<0x0A>" is the byte 10.
std::string written_piece(std::string_view text);
std::string bytes_of_piece(std::string_view piece);

}  // namespace tbt
