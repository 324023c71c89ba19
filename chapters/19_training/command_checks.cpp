#include "chapters/19_training/command_checks.hpp"

#include <filesystem>

#include "chapters/19_training/pretrained.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"

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
    same("--vocab", c.given.vocab, c.vocab, to_int(theirs.vocab_size));
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

}  // namespace tbt
