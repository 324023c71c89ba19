// Checks before training: for a command line that contradicts itself, a folder that must not be
// overwritten, and a full disk. Each throws Error or UsageError.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/19_training/train_commands.hpp"

namespace tbt {

// A folder that has a model may be written only by the training run that made it.
void check_out(const TrainCommand& command);

// Checks the context, and that the options fit the shape and vocabulary of --init and --tokenizer.
void check_shape(const TrainCommand& command);

// Throws Error if the folder's disk has no room for the files of a model with this many parameters,
// each written beside the old one. Otherwise training would fail after hours.
void check_room(const std::string& folder, std::int64_t parameters);

}  // namespace tbt
