// The commands of build/train.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/19_training/recipe.hpp"
#include "chapters/19_training/tools/training_loop.hpp"

namespace tbt {

struct TrainCommand {
    std::string corpus = "data/corpus";
    std::string text;                 // a file or folder instead of the corpus
    std::string tokenizer = "train";  // a directory, or "train" to make a new one
    TrainingOptions training;
    ArchitectureOptions architecture;  // for a new model
    LoopOptions loop;
    std::string recipe;  // a recipe.json to follow
    bool resume = false, replan = false, smoke = false;
    bool rate_given = false, tokenizer_given = false, context_given = false;
    struct {
        bool layers = false, heads = false, embd = false, vocab = false;
        bool architecture = false, kv_heads = false, inner = false;
        bool documents = false;  // --corpus, --text or --genres
    } given;                     // is the option on the command line?
    double megabytes = 32;
    int vocab = 4096;
    std::string model;  // eval: the directory
};

// These run a command and print one line about what they did. They throw Error or UsageError.
void run_tokenizer(const TrainCommand& command);
// On the documents that the model was trained on, if no others are given.
void run_eval(TrainCommand command);
// Returns the exit status: 0, or 130 if a signal ended the training, as in shells.
int run_train(TrainCommand command);

// Checks before training: for a command line that contradicts itself, a folder that must not be
// overwritten, and a full disk. Each throws Error or UsageError.
//
// A folder that has a model may be written only by the training run that made it.
void check_out(const TrainCommand& command);

// Checks the context, and that the options fit the shape and vocabulary of --init and --tokenizer.
void check_shape(const TrainCommand& command);

// Throws Error if the folder's disk has no room for the files of a model with this many parameters,
// each written beside the old one. Otherwise training would fail after hours.
void check_room(const std::string& folder, std::int64_t parameters);

}  // namespace tbt
