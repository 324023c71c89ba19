// The modes of the JSON recognizer one by one: what each waits for, and how it is left.
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

// true, false and null, letter by letter: what the mode waits for, and where it leads.
struct JsonLetter {
    unsigned char byte;  // 0: this mode is not inside a word
    JsonRecognizer::Mode next;
};
JsonLetter letter_after(JsonRecognizer::Mode mode);

// The fewest bytes to the end of the value that is awaited or under way. Each open container takes
// one more. value: bytes of the shortest value here; string: what a string needs after its text.
int bytes_to_close(JsonRecognizer::Mode mode, int value, int string);

}  // namespace tbt
