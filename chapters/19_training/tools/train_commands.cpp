#include "chapters/19_training/tools/train_commands.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "chapters/19_training/recipe.hpp"
#include "chapters/19_training/training.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/json/json.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"
#include "lib/model/model_config.hpp"
#include "lib/model/processes.hpp"
#include "lib/text/tokenizer_save.hpp"
#include "lib/text/tokenizer_train.hpp"

namespace tbt {

void check_out(const TrainCommand& c) {
    const std::string out = c.loop.out.string();
    if (out.empty())
        throw UsageError(
            "--out is missing: the directory for the model, such as build/models/mine");
    const std::string checkpoint = checkpoint_path(c.loop.out).string();
    const bool started = file_exists(checkpoint);
    if (c.resume && !started)
        throw Error(checkpoint + ": there is none; without --resume, training begins");
    if (!c.resume && started)
        throw Error(checkpoint + " exists: --resume goes on from it, or delete it to start again");
    // A model in several files has no model.safetensors, but every one has a config.json.
    if (!started && (file_exists(join_path(out, "model.safetensors")) ||
                     file_exists(join_path(out, "config.json"))))
        throw Error(out +
                    ": holds a finished model, which training would overwrite; choose another "
                    "--out (make adopt installs a model)");
    if (!started && file_exists(join_path(out, "README.md")))
        throw Error(join_path(out, "README.md") +
                    " exists, and training writes a model card there; choose another --out");
}

void check_shape(const TrainCommand& c) {
    const TransformerConfig& asked = c.training.shape;
    const auto refuse = [](const char* option, int value, const std::string& expected) {
        throw UsageError(std::string(option) + " is " + std::to_string(value) + ", expected " +
                         expected);
    };
    if (asked.n_positions < 1) refuse("--context", to_int(asked.n_positions), "1 or more");
    if (c.training.init.empty()) return;
    const TransformerConfig theirs = trainable_shape(c.training.init);
    const auto same = [&](const char* option, bool given, int value, int its) {
        if (given && value != its)
            refuse(option, value, std::to_string(its) + ", which " + c.training.init + " has");
    };
    same("--layers", c.given.layers, to_int(asked.n_layer), to_int(theirs.n_layer));
    same("--heads", c.given.heads, to_int(asked.n_head), to_int(theirs.n_head));
    same("--embd", c.given.embd, to_int(asked.n_embd), to_int(theirs.n_embd));
    const ArchitectureOptions& a = c.architecture;
    same("--kv-heads", c.given.kv_heads, a.kv_heads, theirs.kv_heads());
    same("--inner", c.given.inner, a.inner, theirs.n_inner);
    if (c.given.architecture && a.name != theirs.architecture.model_type)
        throw UsageError("--architecture is " + a.name + ", expected " +
                         theirs.architecture.model_type + ", which " + c.training.init + " has");
    same("--vocab", c.given.vocab && !c.tokenizer_given, c.vocab, to_int(theirs.vocab_size));
    if (c.context_given && asked.n_positions > theirs.n_positions)
        refuse("--context", to_int(asked.n_positions),
               std::to_string(theirs.n_positions) + " at most, which " + c.training.init + " has");
}

void check_room(const std::string& folder, std::int64_t parameters) {
    // A checkpoint has three numbers for each parameter. For a moment, the checkpoint and the
    // weights exist twice. The files of an earlier run are subtracted.
    std::int64_t needed = 2 * 4 * (3 + 1) * parameters;
    std::error_code unknown;
    for (const char* name : {"checkpoint", "model.safetensors"}) {
        const auto size = std::filesystem::file_size(join_path(folder, name), unknown);
        if (!unknown) needed -= static_cast<std::int64_t>(size);
    }
    const auto space = std::filesystem::space(folder, unknown);
    if (unknown || needed <= 0 || static_cast<std::uint64_t>(needed) <= space.available) return;
    throw Error(folder + ": training writes up to " + std::to_string((needed >> 20) + 1) +
                " MiB here, the disk has " + std::to_string(space.available >> 20) +
                " MiB; free some, or choose another --out");
}

namespace {

std::unique_ptr<DocumentSource> documents_of(const TrainCommand& c) {
    // A token has two bytes or more in almost any language, so such a document fits into a row.
    const std::int64_t row =
        c.training.sequence > 0 ? c.training.sequence : c.training.shape.n_positions;
    return open_documents({c.corpus, c.training.genres, c.text, index(2 * row)});
}

Tokenizer train_tokenizer(const DocumentSource& source, int vocab, double megabytes) {
    TokenizerTrainer trainer;
    std::uint64_t bytes = 0;
    for (std::uint64_t i = 0; static_cast<double>(bytes) < megabytes * 1e6; ++i) {
        if (source.count() > 0 && i == source.count()) break;
        const Document document = source.document(0x746f6b656e697a65u, i);
        if (document.held_out) continue;
        trainer.add_text(document.text);
        bytes += document.text.size();
    }
    TokenizerOptions options;
    options.vocab_size = vocab;
    return trainer.train(options);
}

Tokenizer open_tokenizer(const DocumentSource& source, const TrainCommand& c) {
    if (!c.training.init.empty() && !c.tokenizer_given) return Tokenizer::load(c.training.init);
    return c.tokenizer == "train" ? train_tokenizer(source, c.vocab, c.megabytes)
                                  : Tokenizer::load(c.tokenizer);
}

// As AtomicFile names its temporary files: NAME.PROCESS.tmp.
bool is_number_of_process(const std::filesystem::path& stem) {
    const std::string number = stem.extension().string();
    return number.size() > 1 && std::all_of(number.begin() + 1, number.end(),
                                            [](char c) { return c >= '0' && c <= '9'; });
}

// Removes the temporary files of a run that was killed while writing.
void remove_half_written(const std::filesystem::path& folder) {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
        if (entry.path().extension() == ".tmp" && is_number_of_process(entry.path().stem()))
            std::filesystem::remove(entry.path(), ignored);
}

void make_smoke(TrainCommand& c) {
    c.training.shape = gpt_config(2, 2, 32, 64, 512);
    c.training.batch = 8;
    c.training.steps = 60;
    c.training.warm_up = 10;
    c.training.learning_rate = 5e-3;
    c.vocab = 512;
    c.megabytes = 0.5;
    c.tokenizer = "train";
    c.loop.validation_documents = 2;
}

std::string member_text(const Json& recipe, const char* key, const char* member) {
    const auto origin = recipe.find(key);
    return origin != recipe.end() && origin->is_object() ? origin->at(member).get<std::string>()
                                                         : "";
}

// Sets the options from a recipe. Its tokenizer is in the same directory.
void follow_recipe(TrainCommand& c, const Json& recipe) {
    const Json& o = recipe.at("options");
    TrainingOptions& t = c.training;
    const auto whole = [&]<class T>(const char* key, T least) {
        return integer_of<T>(o.at(key), c.recipe + ": " + key, least);
    };
    t.shape = gpt_config(whole("layers", 1), whole("heads", 1), whole("embd", 1),
                         whole("context", 1), whole("vocab", 1));
    c.architecture = architecture_of(o, c.recipe);
    t.sequence = o.contains("sequence") ? whole("sequence", std::int64_t{0}) : 0;
    if (const Json precision = o.value("precision", Json("f32")); precision != "f32")
        throw Error(c.recipe + ": precision is " + kind_of(precision) + ", expected f32");
    t.batch = whole("batch", std::int64_t{1});
    t.steps = whole("steps", std::int64_t{1});
    t.warm_up = whole("warmup", std::int64_t{0});
    t.learning_rate = o.at("lr");
    t.weight_decay = o.at("weight_decay");
    t.seed = whole("seed", std::uint64_t{0});
    t.parts = whole("parts", 1);
    t.genres = o.value("genres", "");
    t.earlier_plans = earlier_plans_of(o.value("earlier_plans", Json::array()), c.recipe);
    t.optimizer = o.value("optimizer", "adamw");
    t.fill_masks = o.value("fill_masks", false);
    t.teacher = member_text(recipe, "teacher", "folder");
    t.init = member_text(recipe, "init", "folder");
    c.text = member_text(recipe, "text", "folder");
    if (c.text.empty()) c.corpus = member_text(recipe, "corpus", "folder");
    c.loop.half = recipe.value("stored", "float32") == "float16";
    if (!c.tokenizer_given) c.tokenizer = std::filesystem::path(c.recipe).parent_path().string();
    c.tokenizer_given = c.rate_given = c.context_given = true;
}

// Throws Error if the corpus, tokenizer, teacher or initial model differ from those of the recipe.
void check_ingredients(const TrainCommand& c, const Json& recipe, const DocumentSource& source,
                       const Training& training) {
    if (recipe.value("replanned", false))
        throw Error(c.recipe +
                    ": options were changed on the way (--replan), so this recipe "
                    "alone does not make the model again");
    const auto check = [&](const std::string& what, const std::string& expected,
                           const std::string& got) {
        if (!expected.empty() && expected != got)
            throw Error(c.recipe + ": the " + what + " has changed: its hash was " + expected +
                        " and is " + (got.empty() ? "missing" : got));
    };
    check("corpus", member_text(recipe, "corpus", "hash"), source.hash());
    check("text", member_text(recipe, "text", "hash"), source.hash());
    check("tokenizer", recipe.value("tokenizer", ""), training.tokenizer_hash());
    check("teacher", member_text(recipe, "teacher", "hash"), training.teacher_hash());
    check("model to go on from", member_text(recipe, "init", "hash"), training.init_hash());
}

// Throws Error if the teacher's own training is not finished: the recipe could not reproduce it.
void check_teacher(const std::string& teacher) {
    const std::string path = join_path(teacher, "recipe.json");
    if (teacher.empty() || !file_exists(path)) return;
    const Json recipe = read_json(path);
    const auto done = integer_of<std::int64_t>(recipe.value("steps_done", Json(0)),
                                               path + ": steps_done"),
               steps = integer_of<std::int64_t>(
                   recipe.value("options", Json::object()).value("steps", Json(done)),
                   path + ": steps");
    if (done < steps)
        throw Error(teacher + ": this teacher has done " + std::to_string(done) + " of its " +
                    std::to_string(steps) + " steps; finish its training first");
}

}  // namespace

void run_tokenizer(const TrainCommand& c) {
    check_shape(c);
    if (c.vocab < 257)
        throw UsageError("--vocab is " + std::to_string(c.vocab) +
                         ", expected at least 257 (256 bytes and a separator)");
    const std::string out = c.loop.out.string();
    if (out.empty()) throw UsageError("--out is missing: the directory for the tokenizer");
    if (file_exists(join_path(out, "model.safetensors")))
        throw Error(out +
                    ": holds a model, which would not fit another tokenizer; choose another "
                    "--out");
    const auto source = documents_of(c);
    const Tokenizer tokenizer = train_tokenizer(*source, c.vocab, c.megabytes);
    make_directory(out);
    tokenizer.save(out, to_int(c.training.shape.n_positions));
    std::uint64_t bytes = 0, tokens = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const std::string text = source->document(1, i).text;
        bytes += text.size();
        tokens += tokenizer.encode(text).size();
    }
    std::printf("%s: %d tokens, %.2f bytes a token on the corpus\n", out.c_str(),
                tokenizer.vocab_size(), static_cast<double>(bytes) / static_cast<double>(tokens));
}

void run_eval(TrainCommand c) {
    TrainedOn from = trained_on(c.model);
    if (c.given.documents)
        from.corpus = c.corpus, from.genres = c.training.genres, from.text = c.text;
    const auto source = open_documents(from);
    std::fputs(evaluate_directory(*source, c.model, c.training.threads, c.loop.validation_documents)
                   .c_str(),
               stdout);
}

int run_train(TrainCommand c) {
    const char* processes = std::getenv("OMPI_COMM_WORLD_SIZE");  // set by mpirun
    if (processes && std::atoi(processes) > 1 && !default_processes())
        throw UsageError(
            "train: started by mpirun, but this program is one process; take build/mpi_train (make "
            "build/mpi_train)");
    check_out(c);
    // A free thread takes the next sequences, so a slow thread does not delay the others, and teams
    // need not shrink.
    let_teams_shrink(false);
    Json recipe;
    if (!c.recipe.empty()) {
        recipe = read_json(c.recipe);
        try {
            follow_recipe(c, recipe);
        } catch (const JsonError& e) {
            throw Error(c.recipe + ": is not a recipe of this program: " + e.what());
        }
    }
    if (c.smoke) make_smoke(c);
    check_shape(c);
    if (c.training.init.empty()) c.training.shape = shape_of(c.architecture, c.training.shape);
    // A lower learning rate, so that the initial model does not forget what it has learned.
    if (!c.training.init.empty() && !c.rate_given) c.training.learning_rate = 5e-4;
    if (!c.training.init.empty() && c.context_given && c.training.sequence == 0)
        c.training.sequence = c.training.shape.n_positions;
    if (!c.training.init.empty() && !c.context_given)
        c.training.shape.n_positions = trainable_shape(c.training.init).n_positions;
    check_teacher(c.training.teacher);
    const auto source = documents_of(c);
    const Tokenizer tokenizer = open_tokenizer(*source, c);
    Training training(*source, tokenizer, c.training);
    if (!c.recipe.empty()) check_ingredients(c, recipe, *source, training);
    if (c.resume) {
        training.load(checkpoint_path(c.loop.out), c.replan);
        std::fprintf(stderr, "going on at step %lld\n",
                     static_cast<long long>(training.steps_done()));
    }
    if (Processes* all = default_processes())  // each has read its own files
        all->agree(Hash()
                       .add(training.recipe())
                       .add(std::to_string(training.steps_done()))
                       .add(hash_of(training.model().parameters()))
                       .value(),
                   "the options, the texts, the tokenizer or the checkpoint");
    make_directory(c.loop.out.string());
    remove_half_written(c.loop.out);
    check_room(c.loop.out.string(), training.model().layout().count());
    c.loop.folder = c.text.empty() ? c.corpus : c.text;
    const TrainingEnd end = run_training(training, *source, tokenizer, c.loop);
    if (end == TrainingEnd::done) {
        std::fprintf(stderr, "done: %s\n", c.loop.out.c_str());
    } else {
        std::fprintf(stderr,
                     "stopped at step %lld; the same command with --resume goes on from there\n",
                     static_cast<long long>(training.steps_done()));
    }
    return end == TrainingEnd::signal ? 130 : 0;
}

}  // namespace tbt
