// Before training: a command line that contradicts itself, a folder that must not be written to, a
// full disk.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/19_training/train_commands.hpp"

namespace tbt {

// A folder with a model is written to only by the training that made it.
void check_out(const TrainCommand& command);

// The context, and with --init or --tokenizer: a shape or vocabulary that theirs is not.
void check_shape(const TrainCommand& command);

// bf16 takes longer than f32 without a matrix unit: that is asked for by name, followed in a recipe
// or gone on with.
void check_precision(const TrainCommand& command);

// Throws Error where the folder's disk has no room for the files of a model of so many parameters,
// each written beside the old one: better now than after hours.
void check_room(const std::string& folder, std::int64_t parameters);

}  // namespace tbt
