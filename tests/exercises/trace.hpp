// Where in the program something happened: "trace: 0x2f31 0x30aa …", offsets in the program's file,
// innermost first.
// exercises/exercise.sh asks addr2line for the first that lies in the learner's file.
#pragma once

namespace tbt::exercise_check {

// Writes the line to stdout, or nothing where this system cannot say.
void print_trace();
// The same of the place where the last exception was thrown.
void print_throw_trace();

}  // namespace tbt::exercise_check
