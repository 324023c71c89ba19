// GPT-2's byte alphabet: vocab.json and merges.txt are text, so each byte is written as a visible
// character. A visible byte of Latin-1 stands for itself; the other 68, in order, are U+0100,
// U+0101, …: a space is "Ġ", a new line "Ċ".
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tbt {

std::string visible_bytes(std::string_view bytes);

// The bytes after such characters; nothing when one of them is not in the alphabet.
std::optional<std::string> bytes_of_visible(std::string_view visible);

// The 256 bytes in the order in which GPT-2 numbers their tokens: "!" is 0, a space is 220.
std::span<const unsigned char> byte_token_order();

}  // namespace tbt
