// The commands of build/train.
#pragma once

#include <string>

#include "chapters/19_training/shapes.hpp"
#include "chapters/19_training/training_loop.hpp"

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

}  // namespace tbt
