// Trains a GPT on the course's corpus, and what belongs to it.
//
//   build/train tokenizer --out data/tokenizer --vocab 4096 --megabytes 32
//   build/train --tokenizer data/tokenizer --out data/models/storyteller
//   build/train … --resume                      goes on where Ctrl-C, --minutes or a crash stopped it, bit
//   for bit build/train eval data/models/storyteller    bits per byte of each genre beside its entropy floor
//
// What to look for: "bits/byte" falls towards the floor, which no model can pass, and the held-out
// documents, whose combination of values was never seen, are read almost as well as the others.
#include <algorithm>
#include <cstdio>
#include <numeric>
#include <optional>

#include "chapters/19_training/evaluate.hpp"
#include "chapters/19_training/training_loop.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/program.hpp"
#include "lib/text/tokenizer_train.hpp"

namespace {

struct Options {
    std::string corpus = "data/corpus";
    std::string tokenizer;
    tbt::TrainingOptions training;
    tbt::LoopOptions loop;
    bool resume = false, replan = false, smoke = false;
    double megabytes = 32;
    int vocab = 4096;
    std::string model;
};

tbt::Tokenizer train_tokenizer(const tbt::Corpus& corpus, int vocab, double megabytes) {
    tbt::TokenizerTrainer trainer;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; static_cast<double>(bytes) < megabytes * 1e6; ++i) {
        const tbt::Corpus::Document document = corpus.document(0x746f6b656e697a65u, i);
        if (document.held_out) continue;
        trainer.add_text(document.text);
        bytes += document.text.size();
    }
    tbt::TokenizerOptions options;
    options.vocab_size = vocab;
    return trainer.train(options);
}

void run_tokenizer(const Options& options) {
    if (options.vocab < 257)
        throw tbt::UsageError("--vocab is " + std::to_string(options.vocab) +
                              ", expected at least 257 (256 bytes and a separator)");
    const tbt::Corpus corpus = tbt::Corpus::load(options.corpus);
    const tbt::Tokenizer tokenizer = train_tokenizer(corpus, options.vocab, options.megabytes);
    tbt::make_directory(options.loop.out.string());
    tokenizer.save(options.loop.out.string(), options.training.shape.n_positions);
    std::uint64_t bytes = 0, tokens = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::string text = corpus.document(1, i).text;
        bytes += text.size();
        tokens += tokenizer.encode(text).size();
    }
    std::printf("%s: %d tokens, %.2f bytes a token on the corpus\n", options.loop.out.c_str(),
                tokenizer.vocab_size(), static_cast<double>(bytes) / static_cast<double>(tokens));
}

void run_eval(const Options& options) {
    const tbt::Corpus corpus = tbt::Corpus::load(options.corpus);
    std::fputs(tbt::evaluate_directory(corpus, options.model, options.training.threads,
                                       options.loop.validation_documents)
                   .c_str(),
               stdout);
}

void run_train(Options options) {
    if (options.loop.out.empty())
        throw tbt::UsageError(
            "--out is missing: the directory for the model, such as data/models/storyteller");
    const tbt::Corpus corpus = tbt::Corpus::load(options.corpus);
    if (options.smoke) {
        options.training.shape = tbt::gpt_config(2, 2, 32, 64, 512);
        options.training.batch = 8;
        options.training.steps = 60;
        options.training.warm_up = 10;
        options.training.learning_rate = 5e-3;
        options.vocab = 512;
        options.megabytes = 0.5;
        options.tokenizer = "train";
        options.loop.validation_documents = 2;
    }
    const tbt::Tokenizer tokenizer = options.tokenizer == "train"
                                         ? train_tokenizer(corpus, options.vocab, options.megabytes)
                                         : tbt::Tokenizer::load(options.tokenizer);
    tbt::Training training(corpus, tokenizer, options.training);
    const std::string checkpoint = tbt::checkpoint_path(options.loop.out).string();
    if (options.resume) {
        training.load(checkpoint, options.replan);
        std::fprintf(stderr, "going on at step %lld\n",
                     static_cast<long long>(training.steps_done()));
    } else if (tbt::file_exists(checkpoint)) {
        throw tbt::Error(checkpoint +
                         " exists: --resume goes on from it, or delete it to start again");
    }
    tbt::make_directory(options.loop.out.string());
    options.loop.corpus_folder = options.corpus;
    if (tbt::run_training(training, corpus, tokenizer, options.loop)) {
        std::fprintf(stderr, "done: %s\n", options.loop.out.c_str());
    } else {
        std::fprintf(stderr,
                     "stopped at step %lld; the same command with --resume goes on from there\n",
                     static_cast<long long>(training.steps_done()));
    }
}

void add_training_options(CLI::App& app, Options& o) {
    tbt::TrainingOptions& t = o.training;
    app.add_option("--tokenizer", o.tokenizer, "directory of the tokenizer, or 'train' to make one")
        ->capture_default_str();
    app.add_option("--layers", t.shape.n_layer, "transformer blocks")->capture_default_str();
    app.add_option("--heads", t.shape.n_head, "attention heads of a block")->capture_default_str();
    app.add_option("--embd", t.shape.n_embd, "channels of the residual stream")
        ->capture_default_str();
    app.add_option("--batch", t.batch, "sequences a step")->capture_default_str();
    app.add_option("--steps", t.steps, "updates; the learning rate's cosine ends there")
        ->capture_default_str();
    app.add_option("--warmup", t.warm_up, "steps until the full learning rate")
        ->capture_default_str();
    app.add_option("--lr", t.learning_rate, "highest learning rate")->capture_default_str();
    app.add_option("--weight-decay", t.weight_decay, "of matrices and embeddings")
        ->capture_default_str();
    app.add_option("--seed", t.seed, "of the weights and the documents")->capture_default_str();
    app.add_option("--teacher", t.teacher,
                   "a model directory: learn its law instead of the text (distillation)");
    app.add_option("--parts", t.parts, "a batch is cut into so many for the threads")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("--resume", o.resume, "go on from the checkpoint in --out");
    app.add_flag("--replan", o.replan,
                 "with --resume: go on with other options (but the same model)");
    app.add_option("--minutes", o.loop.minutes, "stop cleanly after this time; 0: no limit")
        ->capture_default_str();
    app.add_option("--checkpoint-minutes", o.loop.checkpoint_minutes, "between two checkpoints")
        ->capture_default_str();
    app.add_option("--validate-every", o.loop.validate_every, "steps between two validations")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("--f16", o.loop.half, "store the weights as F16");
    app.add_flag("--smoke", o.smoke, "a tiny model in a few seconds, to see that everything works");
    app.add_flag("--profile", o.loop.profile, "where the time went");
}

}  // namespace

int main(int argc, char** argv) {
    Options options;
    options.tokenizer = "train";
    CLI::App *tokenizer = nullptr, *eval = nullptr;
    return tbt::run_program(
        argc, argv, "Trains a GPT on the corpus. Without a subcommand: trains a model.",
        [&](CLI::App& app) {
            app.fallthrough();
            app.add_option("--corpus", options.corpus, "folder of the grammar files")
                ->capture_default_str();
            app.add_option("--out", options.loop.out,
                           "directory of the model (or of the tokenizer)");
            app.add_option("--vocab", options.vocab, "tokens, where a tokenizer is trained")
                ->capture_default_str();
            app.add_option("--megabytes", options.megabytes, "of text to train the tokenizer on")
                ->capture_default_str();
            app.add_option("--context", options.training.shape.n_positions, "tokens of a sequence")
                ->capture_default_str();
            app.add_option("--threads", options.training.threads, "0: all cores")
                ->capture_default_str();
            app.add_option("--documents", options.loop.validation_documents,
                           "held-out documents of each genre to validate on")
                ->capture_default_str()
                ->check(CLI::PositiveNumber);
            add_training_options(app, options);
            tokenizer =
                app.add_subcommand("tokenizer", "train a tokenizer and write its files to --out");
            eval = app.add_subcommand(
                "eval", "bits per byte of a model directory on held-out documents, per genre");
            eval->add_option("model", options.model, "the directory")->required();
            app.require_subcommand(0, 1);
        },
        [&] {
            if (*tokenizer) run_tokenizer(options);
            else if (*eval) run_eval(options);
            else run_train(options);
        });
}
