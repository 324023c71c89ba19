// Trains a GPT-2 or a Llama on the course's corpus or on your own text; also trains a tokenizer and
// evaluates a model.
//
//   build/train tokenizer --out build/models/mine --vocab 4096 --megabytes 32
//   build/train --tokenizer build/models/mine --out build/models/mine
//   build/train … --resume                      goes on where Ctrl-C, --minutes or a crash stopped
//                                               it, bit for bit
//   build/train --text my_folder --out build/models/mine                 your own text
//   build/train --text my_folder --init data/models/storyteller --out …  going on from a model
//   build/train --architecture llama --heads 6 --kv-heads 2 --out build/models/llama
//   build/train --recipe data/models/storyteller/recipe.json --out …     a model again, bit for bit
//   build/train eval data/models/storyteller    bits per byte of each genre beside its floor
//
// What to look for: "bits/byte" falls towards the floor, below which no model can get. On held-out
// documents, whose combinations the model has never seen, it is almost as low as on the others.
#include "chapters/19_training/train_commands.hpp"
#include "lib/machine/program.hpp"

namespace {

template <class Value>
CLI::Option* marked(OptionTable& app, const char* name, Value& value, bool& given, const char* help) {
    return app.add_option(name, value, help)
        ->capture_default_str()
        ->each([&given](const std::string&) { given = true; });
}

void add_files(OptionTable& app, tbt::TrainCommand& c) {
    marked(app, "--corpus", c.corpus, c.given.documents, "folder of the grammar files");
    marked(app, "--text", c.text, c.given.documents,
           "train on this instead: a file or folder of plain text or JSON lines");
    app.add_option("--out", c.loop.out, "directory of the model (or of the tokenizer)");
    marked(app, "--vocab", c.vocab, c.given.vocab, "tokens, if a tokenizer is trained");
    app.add_option("--megabytes", c.megabytes, "MB of text to train the tokenizer on")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_option("--threads", c.training.threads, "0: all cores")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    app.add_option("--documents", c.loop.validation_documents,
                   "held-out documents of each genre to validate on")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
}

void add_training_options(OptionTable& app, tbt::TrainCommand& o) {
    tbt::TrainingOptions& t = o.training;
    app.add_option("--tokenizer", o.tokenizer, "directory of the tokenizer, or 'train' to make one")
        ->capture_default_str()
        ->each([&o](const std::string&) { o.tokenizer_given = true; });
    marked(app, "--architecture", o.architecture.name, o.given.architecture, "gpt2 or llama")
        ->check(CLI::IsMember({"gpt2", "llama"}));
    marked(app, "--layers", t.shape.n_layer, o.given.layers, "transformer blocks");
    marked(app, "--heads", t.shape.n_head, o.given.heads, "attention heads of a block");
    marked(app, "--embd", t.shape.n_embd, o.given.embd, "channels of the residual stream");
    marked(app, "--kv-heads", o.architecture.kv_heads, o.given.kv_heads,
           "of a Llama: heads of keys and values; 0: as many as --heads");
    marked(app, "--inner", o.architecture.inner, o.given.inner,
           "of a Llama: width of the gated MLP; 0: 8/3 of --embd");
    marked(app, "--context", t.shape.n_positions, o.context_given, "tokens of a sequence");
    app.add_option("--init", t.init,
                   "a model directory to go on from, with its shape and tokenizer");
    app.add_option("--recipe", o.recipe, "follow this recipe.json instead of options");
    app.add_option("--batch", t.batch, "sequences in each step")->capture_default_str();
    app.add_option("--steps", t.steps, "updates of the weights (and the cosine's length)")
        ->capture_default_str();
    app.add_option("--warmup", t.warm_up, "steps until the full learning rate")
        ->capture_default_str();
    app.add_option("--lr", t.learning_rate, "highest learning rate (0.0005 with --init)")
        ->capture_default_str()
        ->each([&o](const std::string&) { o.rate_given = true; });
    app.add_option("--weight-decay", t.weight_decay, "weight decay of matrices and embeddings")
        ->capture_default_str();
    app.add_option("--seed", t.seed, "seed of weights and documents")->capture_default_str();
    app.add_option("--teacher", t.teacher,
                   "a model directory: learn its distribution instead of the text (distillation)");
    marked(app, "--genres", t.genres, o.given.documents,
           "only these of the corpus, with their shares: weather=4,everyday=3");
    app.add_flag("--fill-masks", t.fill_masks,
                 "train a model that fills masks, with bidirectional attention (chapter 22)");
    app.add_option("--parts", t.parts, "parts that a batch is split into, for the threads")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("--resume", o.resume, "go on from the checkpoint in --out");
    app.add_flag("--replan", o.replan,
                 "with --resume: go on with other options (but the same model)");
    app.add_option("--minutes", o.loop.minutes, "stop cleanly after this time; 0: no limit")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e6));
    app.add_option("--checkpoint-minutes", o.loop.checkpoint_minutes, "between two checkpoints")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1e6));
    app.add_option("--validate-every", o.loop.validate_every, "steps between two validations")
        ->capture_default_str()
        ->check(CLI::PositiveNumber);
    app.add_flag("--f16", o.loop.half, "store the weights as F16");
    app.add_flag("--smoke", o.smoke, "a tiny model in a few seconds, to see that everything works");
    app.add_flag("--profile", o.loop.profile, "report where the time goes");
}

}  // namespace

int main(int argc, char** argv) {
    tbt::TrainCommand command;
    OptionTable *tokenizer = nullptr, *eval = nullptr;
    int stopped = 0;
    const int status = tbt::run_program(
        argc, argv, "Trains a GPT-2 or a Llama on the corpus or on your own text.",
        [&](OptionTable& app) {
            app.fallthrough();
            add_files(app, command);
            add_training_options(app, command);
            tokenizer =
                app.add_subcommand("tokenizer", "train a tokenizer and write its files to --out");
            eval = app.add_subcommand(
                "eval", "bits per byte of a model directory on held-out documents, per genre");
            eval->add_option("model", command.model, "the directory")->required();
            app.require_subcommand(0, 1);
        },
        [&] {
            if (*tokenizer) tbt::run_tokenizer(command);
            else if (*eval) tbt::run_eval(command);
            else stopped = tbt::run_train(command);
        });
    return status != 0 ? status : stopped;
}
