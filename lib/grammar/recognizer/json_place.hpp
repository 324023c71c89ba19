// Says in words where an incomplete JSON text stops.
#pragma once

#include <string>
#include <string_view>

namespace tbt {

// For example "the object › likes › item 2: in a string"; "complete" after the closing bracket.
// Empty if the text is not the beginning of a JSON object or array. Keys are truncated to 30 bytes,
// perhaps inside a character.
std::string json_place(std::string_view text);

}  // namespace tbt
