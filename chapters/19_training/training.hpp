// The state of a training run: it can do one step, and be saved and loaded. The loop around it is
// in tools/training_loop.hpp.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "lib/corpus/batches.hpp"
#include "lib/text/tokenizer.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/trainer.hpp"

namespace tbt {

// A schedule of the learning rate that was used before another one replaced it (--replan).
struct EarlierPlan {
    std::int64_t until = 0;  // the first step of the next plan
    std::int64_t steps = 0, warm_up = 0;
    double learning_rate = 0;
};

struct TrainingOptions {
    // The architecture and sizes of the model; its vocabulary is the tokenizer's.
    TransformerConfig shape = gpt_config(8, 8, 256, 512, 4096);
    std::int64_t batch = 16;  // sequences per step
    std::int64_t steps = 1000, warm_up = 100;
    double learning_rate = 2e-3;
    std::vector<EarlierPlan> earlier_plans;  // in order of time
    double weight_decay = 0.1;
    std::string optimizer = "adamw";  // of the matrices of layers: adamw or muon
    std::uint64_t seed = 1;
    int threads = 0;  // 0: all cores; the result does not depend on it
    // The number of parts into which a batch is divided for the threads. It changes the order of
    // sums, so the bits, but nothing else.
    int parts = 8;
    std::int64_t sequence = 0;  // tokens of a row; 0: the model's context
    // The directory of a model whose weights are the initial ones, ours or another GPT-2 or Llama
    // with this shape; empty: random weights.
    std::string init;
    // The directory of a model whose distribution is learned instead of the text's next tokens
    // (distillation); empty: none.
    std::string teacher;
    // Genres of the corpus with their weights, "weather=4,everyday=3"; empty: the corpus's own.
    std::string genres;
    // Train a masked model with bidirectional attention (chapter 22), whose rows are canvases.
    bool fill_masks = false;
};

// One point of the training curve.
struct CurvePoint {
    std::int64_t step = 0, tokens = 0;
    double bits_per_byte = 0;  // on training text, the mean since the point before
    double learning_rate = 0, seconds = 0;
    // Bits per byte on held-out text: total, then each genre; empty if there was no validation.
    std::vector<double> validation;
};

class Training {
public:
    Training(const DocumentSource& documents, const Tokenizer& tokenizer,
             const TrainingOptions& options);

    // Does one update of all weights. Returns the mean loss of its batch in nats per token.
    double step();

    const TrainingOptions& options() const { return options_; }
    std::int64_t steps_done() const { return steps_done_; }
    std::int64_t tokens_per_step() const { return options_.batch * options_.sequence; }
    std::int64_t tokens_done() const { return steps_done_ * tokens_per_step(); }
    // The learning rate of the next step, by the present plan.
    double rate() const;
    double gradient_norm() const { return gradient_norm_; }  // before clipping, of the last step
    double last_rate() const { return last_rate_; }
    std::int64_t last_bytes() const { return last_bytes_; }  // bytes of text in the last batch
    train::Trainer& model() { return model_; }

    // Everything on which the course of the training depends, as text. A checkpoint with another
    // recipe cannot be resumed.
    std::string recipe() const;

    void save(const std::filesystem::path& path);
    // Throws Error, and changes nothing, if the file is damaged or has other options. With `replan`
    // only the model's shape and the tokenizer must be the same, so that training can continue with
    // more steps or another corpus, for example.
    void load(const std::filesystem::path& path, bool replan = false);

    // True if something other than the plan was changed during training. Then the recipe alone
    // cannot reproduce the model.
    bool replanned() const { return replanned_; }
    // Hashes of the tokenizer, the teacher and the initial weights, for the recipe; empty if there
    // is none.
    const std::string& tokenizer_hash() const { return tokenizer_hash_; }
    const std::string& teacher_hash() const { return teacher_hash_; }
    const std::string& init_hash() const { return init_hash_; }

    std::vector<CurvePoint> curve;  // kept in the checkpoint
    double seconds = 0;             // spent training, over all runs

private:
    std::string header() const;

    const DocumentSource& documents_;
    TrainingOptions options_;
    train::Trainer model_;
    std::unique_ptr<train::Trainer> teacher_;
    std::string teacher_hash_, init_hash_;
    train::AdamW optimiser_;
    std::unique_ptr<Batches> batches_;
    std::string tokenizer_hash_;
    std::int64_t steps_done_ = 0, last_bytes_ = 0;
    double gradient_norm_ = 0, last_rate_ = 0;
    bool replanned_ = false;
};

// ---- models from disk: the teacher in distillation, or the initial weights ----------------------

// The configuration of a model directory, ours or another GPT-2 or Llama in the hub's layout.
// Throws the errors of train::check_trainable(), and Error for a GPT-2 whose epsilon is not 1e-5.
TransformerConfig trainable_shape(const std::string& directory);

// Reads the initial weights. Where the directory has another tokenizer, a token gets the mean of
// the embeddings of the pieces into which that tokenizer divides its text [Gee et al. 2022].
void read_initial(const std::string& directory, const Tokenizer& tokenizer, train::Trainer& model);

// Reads the weights into the model's parameters. The model must have the directory's shape.
void read_parameters(const std::string& directory, train::Trainer& model);

// FNV-1a hashes as hexadecimal digits: of the bytes of all tokens, and of the bits of weights.
std::string hash_of(const Tokenizer& tokenizer);
std::string hash_of(std::span<const float> values);

}  // namespace tbt
