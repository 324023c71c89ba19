// What build/train does for its command line.
#pragma once

#include <string>

#include "chapters/19_training/shapes.hpp"
#include "chapters/19_training/training_loop.hpp"

namespace tbt {

struct TrainCommand {
    std::string corpus = "data/corpus";
    std::string text;                 // a file or folder instead of the corpus
    std::string tokenizer = "train";  // a directory, or "train": make one
    TrainingOptions training;
    ArchitectureOptions architecture;  // of a new model
    LoopOptions loop;
    std::string recipe;             // a recipe.json to follow
    std::string precision = "f32";  // or "bf16"
    bool emulate_bf16 = false;      // where no matrix unit makes it quick
    bool resume = false, replan = false, smoke = false;
    bool rate_given = false, tokenizer_given = false, context_given = false;
    struct {
        bool layers = false, heads = false, embd = false, vocab = false;
        bool architecture = false, kv_heads = false, inner = false;
    } given;  // on the command line
    double megabytes = 32;
    int vocab = 4096;
    std::string model;  // eval: the directory
};

// Each throws Error or UsageError and prints one line about what it did.
void run_tokenizer(const TrainCommand& command);
void run_eval(const TrainCommand& command);
// The exit status: 0, or 130 when a signal ended it, as shells have it.
int run_train(TrainCommand command);

}  // namespace tbt
