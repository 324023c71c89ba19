// Small runs of build/train, as its main() would ask for them.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include <unistd.h>

#include "chapters/19_training/tools/train_commands.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/text_folder.hpp"

namespace tbt::test {

// A model that is trained in a moment, from plain text.
inline TrainCommand small_command(const Folder& folder, const std::string& out) {
    TrainCommand command;
    command.text = folder.file("text/boats.txt", some_text());
    command.vocab = 280;
    command.training.shape = gpt_config(1, 2, 32, 64, 0);
    command.context_given = true;
    command.training.batch = 2;
    command.training.steps = 30;
    command.training.warm_up = 3;
    command.training.threads = 1;
    command.training.parts = 1;
    command.loop.validate_every = 1000;
    command.loop.validation_documents = 1;
    command.loop.out = folder.path / out;
    return command;
}

inline std::string weights_of(const fs::path& model) {
    return read_file((model / "model.safetensors").string());
}

// Progress is for people.
struct Quiet {
    int saved = ::dup(STDERR_FILENO);
    Quiet() {
        std::fflush(stderr);
        if (!std::freopen("/dev/null", "w", stderr)) std::abort();
    }
    ~Quiet() {
        std::fflush(stderr);
        ::dup2(saved, STDERR_FILENO);
        ::close(saved);
    }
};

}  // namespace tbt::test
