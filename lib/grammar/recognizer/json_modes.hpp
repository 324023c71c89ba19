// Properties of the JSON recognizer's modes: what each expects next and how many bytes complete it.
#pragma once

#include "lib/grammar/recognizer/json_recognizer.hpp"

namespace tbt {

inline bool is_number(JsonRecognizer::Mode mode) {
    return mode >= JsonRecognizer::Mode::minus && mode <= JsonRecognizer::Mode::exponent_digits;
}
inline bool number_may_end(JsonRecognizer::Mode mode) {
    using Mode = JsonRecognizer::Mode;
    return mode == Mode::zero || mode == Mode::digits || mode == Mode::fraction ||
           mode == Mode::exponent_digits;
}

// The words true, false and null letter by letter: the byte that a mode expects, and the next mode.
struct JsonLetter {
    unsigned char byte;  // 0: the mode is not inside a word
    JsonRecognizer::Mode next;
};
JsonLetter letter_after(JsonRecognizer::Mode mode);

// The fewest bytes that complete the value that is expected or being read; closing the open
// containers is not included. value: the bytes of the shortest value allowed here. string: the
// bytes needed after the text of a string.
int bytes_to_close(JsonRecognizer::Mode mode, int value, int string);

}  // namespace tbt
