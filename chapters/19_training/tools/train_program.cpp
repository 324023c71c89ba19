#include "chapters/19_training/tools/train_program.hpp"

#include <optional>
#include <span>

#include "chapters/19_training/tools/train_commands.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

namespace {

template <class Value>
DeclaredOption marked(CommandLine line, const char* name, Value& value, bool& given,
                      const char* help) {
    return line.option(name, value, help).shows_default().marks(given);
}

void add_files(CommandLine line, TrainCommand& c) {
    marked(line, "--corpus", c.corpus, c.given.documents, "folder of the grammar files");
    marked(line, "--text", c.text, c.given.documents,
           "train on this instead: a file or folder of plain text or JSON lines");
    line.option(
        "--out",
        [&c](const std::string& text) {
            c.loop.out = text;  // "mine/" is "mine"
            if (!c.loop.out.has_filename()) c.loop.out = c.loop.out.parent_path();
        },
        "directory of the model (or of the tokenizer)");
    marked(line, "--vocab", c.vocab, c.given.vocab, "tokens, if a tokenizer is trained");
    line.option("--megabytes", c.megabytes, "MB of text to train the tokenizer on")
        .shows_default()
        .above_zero();
    line.option("--threads", c.training.threads, "0: all cores").shows_default().between(0, 1024);
    line.option("--documents", c.loop.validation_documents,
                "held-out documents of each genre to validate on")
        .shows_default()
        .above_zero();
}

void add_sizes(CommandLine line, TrainCommand& o) {
    TrainingOptions& t = o.training;
    marked(line, "--architecture", o.architecture.name, o.given.architecture, "gpt2 or llama")
        .one_of({"gpt2", "llama"});
    marked(line, "--layers", t.shape.n_layer, o.given.layers, "transformer blocks");
    marked(line, "--heads", t.shape.n_head, o.given.heads, "attention heads of a block");
    marked(line, "--embd", t.shape.n_embd, o.given.embd, "channels of the residual stream");
    marked(line, "--kv-heads", o.architecture.kv_heads, o.given.kv_heads,
           "of a Llama: heads of keys and values; 0: as many as --heads");
    marked(line, "--inner", o.architecture.inner, o.given.inner,
           "of a Llama: width of the gated MLP; 0: 8/3 of --embd");
    marked(line, "--context", t.shape.n_positions, o.context_given, "tokens of a sequence");
}

// What a recipe and a smoke test decide by themselves.
void add_exclusions(CommandLine line) {
    const char* const decided[] = {
        "--layers", "--heads",  "--embd",    "--context",   "--batch",        "--steps",
        "--warmup", "--lr",     "--vocab",   "--megabytes", "--architecture", "--kv-heads",
        "--inner",  "--corpus", "--text",    "--genres",    "--init",         "--weight-decay",
        "--seed",   "--parts",  "--teacher", "--f16",       "--fill-masks",   "--optimizer"};
    DeclaredOption recipe = line.declared("--recipe"), smoke = line.declared("--smoke");
    for (const char* name : decided) recipe.excludes(line.declared(name));
    for (const char* name : std::span(decided).first(10)) smoke.excludes(line.declared(name));
    for (const char* name : {"--tokenizer", "--documents", "--recipe"})
        smoke.excludes(line.declared(name));
}

void add_training_options(CommandLine line, TrainCommand& o) {
    TrainingOptions& t = o.training;
    line.option("--tokenizer", o.tokenizer, "directory of the tokenizer, or 'train' to make one")
        .shows_default()
        .marks(o.tokenizer_given);
    add_sizes(line, o);
    line.option("--init", t.init,
                "a model directory to go on from, with its shape and, without --tokenizer, its "
                "tokenizer");
    line.option("--recipe", o.recipe, "follow this recipe.json instead of options");
    line.option("--batch", t.batch, "sequences in each step").shows_default();
    line.option("--steps", t.steps, "updates of the weights (and the cosine's length)")
        .shows_default();
    line.option("--warmup", t.warm_up, "steps until the full learning rate").shows_default();
    line.option("--lr", t.learning_rate, "highest learning rate (0.0005 with --init)")
        .shows_default()
        .marks(o.rate_given);
    line.option("--weight-decay", t.weight_decay, "weight decay of matrices and embeddings")
        .shows_default();
    line.option("--optimizer", t.optimizer,
                "of the matrices of layers: adamw, or muon, which needs fewer steps")
        .shows_default()
        .one_of({"adamw", "muon"});
    line.option("--seed", t.seed, "seed of weights and documents").shows_default();
    line.option("--teacher", t.teacher,
                "a model directory: learn its distribution instead of the text (distillation)");
    marked(line, "--genres", t.genres, o.given.documents,
           "only these of the corpus, with their shares: weather=4,everyday=3");
    line.option("--fill-masks", t.fill_masks,
                "train a model that fills masks, with bidirectional attention (chapter 22)");
    line.option("--parts", t.parts, "parts that a batch is split into, for the threads")
        .shows_default()
        .above_zero();
    const DeclaredOption resume =
        line.option("--resume", o.resume, "go on from the checkpoint in --out");
    line.option("--replan", o.replan, "go on with other options (but the same model)")
        .needs(resume);
    line.option("--minutes", o.loop.minutes, "stop cleanly after this time; 0: no limit")
        .shows_default()
        .between(0.0, 1e6);
    line.option("--checkpoint-minutes", o.loop.checkpoint_minutes, "between two checkpoints")
        .shows_default()
        .between(0.0, 1e6);
    line.option("--validate-every", o.loop.validate_every, "steps between two validations")
        .shows_default()
        .above_zero();
    line.option("--f16", o.loop.half, "store the weights as F16");
    line.option("--smoke", o.smoke, "a tiny model in a few seconds, to see that everything works");
    add_exclusions(line);
    line.option("--profile", o.loop.profile, "report where the time goes");
}

}  // namespace

int train_program(int argc, char** argv) {
    TrainCommand command;
    std::optional<CommandLine> tokenizer, eval;
    int stopped = 0;
    const int status = run_program(
        argc, argv, "Trains a GPT-2 or a Llama on the corpus or on your own text.",
        [&](CommandLine line) {
            add_files(line, command);
            add_training_options(line, command);
            tokenizer = line.command("tokenizer", "train a tokenizer and write its files to --out");
            eval = line.command(
                "eval", "bits per byte of a model directory on held-out documents, per genre");
            eval->option("model", command.model, "the directory").required();
        },
        [&] {
            if (tokenizer->chosen()) run_tokenizer(command);
            else if (eval->chosen()) run_eval(command);
            else stopped = run_train(command);
        });
    return status != 0 ? status : stopped;
}

}  // namespace tbt
