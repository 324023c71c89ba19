// Where a beginning of JSON is, in words.
#pragma once

#include <string>
#include <string_view>

namespace tbt {

// "the object › likes › item 2: in a string". Empty if the text is no beginning of JSON, or neither
// an object nor an array. Long keys are cut, perhaps inside a character.
std::string json_place(std::string_view text);

}  // namespace tbt
