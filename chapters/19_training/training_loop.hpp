// The loop around Training: progress, validation, checkpoints, and a clean end on Ctrl-C or
// after a given time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "chapters/19_training/training.hpp"

namespace tbt {

struct LoopOptions {
    std::filesystem::path out;  // the model's directory; the checkpoint lies in it too
    std::string folder;         // of the corpus or the texts, for the recipe
    bool half = false;          // export F16
    double minutes = 0;         // stop after this time; 0: when all steps are done
    double checkpoint_minutes = 2;
    std::int64_t validate_every = 500;       // steps
    std::int64_t validation_documents = 16;  // of each genre
    bool profile = false;
};

enum class TrainingEnd { done, time_is_up, signal };

// Trains until all steps are done, the time is up, or SIGINT, SIGTERM or SIGHUP comes;
// saves and exports at the end in any case. A checkpoint that cannot be written on the way (a full
// disk) is said in a line, and training goes on; at the end it is an Error.
TrainingEnd run_training(Training& training, const DocumentSource& source,
                         const Tokenizer& tokenizer, const LoopOptions& options);

// Where the checkpoint of a model directory is.
std::filesystem::path checkpoint_path(const std::filesystem::path& directory);

}  // namespace tbt
