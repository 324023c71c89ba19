// Writes a model directory as one file for llama.cpp and programs built on it.
//
//   build/gguf data/models/storyteller storyteller.gguf --type f16
//   llama-completion -m storyteller.gguf -p "Once upon a time" --temp 0     (there)
//
// What to look for: the same token ids, and with greedy decoding the same text as here.
#include <cstdio>
#include <filesystem>

#include "chapters/19_training/tools/gguf.hpp"
#include "lib/core/error.hpp"
#include "lib/files/config_file.hpp"
#include "lib/machine/command_line.hpp"

int main(int argc, char** argv) {
    std::string directory, path, type = "f32";
    return tbt::run_program(
        argc, argv, "Writes a model directory (ours, a GPT-2 or one of today's) as a GGUF file.",
        [&](tbt::CommandLine line) {
            line.option("model", directory, "the model's directory").required();
            line.option("file", path, "the file to write, such as storyteller.gguf").required();
            line.option("--type", type, "of the matrices: f32 or f16").shows_default();
        },
        [&] {
            const auto stored = tbt::weight_type_named(type);
            if (stored != tbt::WeightType::f32 && stored != tbt::WeightType::f16)
                throw tbt::UsageError("--type: got '" + type + "', expected f32 or f16");
            tbt::write_gguf(directory, path, *stored);
            std::printf("%s: %.1f MB\n", path.c_str(),
                        static_cast<double>(std::filesystem::file_size(path)) / 1e6);
            const std::string skipped =
                tbt::skipped_by_llama_cpp(tbt::read_model_config(directory));
            if (!skipped.empty()) std::fprintf(stderr, "gguf: %s\n", skipped.c_str());
        });
}
