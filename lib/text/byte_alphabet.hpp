// GPT-2's byte alphabet. vocab.json and merges.txt are text files, so each byte of a token is
// written as a visible character. A byte that is a visible character in Latin-1 is written as that
// character; the other 68, in order, are U+0100, U+0101, …: a space is "Ġ", a new line "Ċ".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tbt {

// The bytes written in this alphabet, as UTF-8.
std::string visible_bytes(std::string_view bytes);

// The reverse: the bytes that are written so. None if a character is not in the alphabet.
std::optional<std::string> bytes_of_visible(std::string_view visible);

// The 256 bytes in the order of their token ids in GPT-2: "!" is 0, a space is 220.
std::span<const unsigned char> byte_token_order();

}  // namespace tbt
