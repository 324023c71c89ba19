// Conversion of tokens to and from SentencePiece's notation ("pieces"): "▁" is a space, "<0xE2>" is
// a byte.
#pragma once

#include <string>
#include <string_view>

namespace tbt {

inline constexpr std::string_view written_space = "\u2581";

// "<0x0A>" for 10. A negative char is taken as its unsigned byte.
std::string byte_piece(int byte);
// written_piece() converts " the" to "▁the". bytes_of_piece() converts back, and "<0x0A>" to the
// byte 10.
std::string written_piece(std::string_view text);
std::string bytes_of_piece(std::string_view piece);

}  // namespace tbt
