// The command line of build/train.
#pragma once

namespace tbt {

// Runs it and returns the exit status.
int train_program(int argc, char** argv);

}  // namespace tbt
