// The loop around Training: progress, validation, checkpoints, and a clean end on Ctrl-C or
// after a given time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "chapters/19_training/training.hpp"

namespace tbt {

struct LoopOptions {
    std::filesystem::path out;  // the directory of the model and of the checkpoint
    std::string folder;         // the folder of the corpus or the texts, for the recipe
    bool half = false;          // export F16
    double minutes = 0;         // stop after this time; 0: no limit
    double checkpoint_minutes = 2;
    std::int64_t validate_every = 500;       // steps
    std::int64_t validation_documents = 16;  // for each genre
    bool profile = false;
};

enum class TrainingEnd { done, time_is_up, signal };

// Trains until all steps are done, the time is up, or the process gets SIGINT, SIGTERM or SIGHUP.
// At the end it always saves and exports. If a checkpoint cannot be written during training (a full
// disk), it prints a line and continues; at the end it throws Error.
TrainingEnd run_training(Training& training, const DocumentSource& source,
                         const Tokenizer& tokenizer, const LoopOptions& options);

// The path of the checkpoint in a model directory.
std::filesystem::path checkpoint_path(const std::filesystem::path& directory);

}  // namespace tbt
