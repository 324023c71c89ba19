// A small corpus, its options, and a folder for what training writes.
#pragma once

#include <unistd.h>
#include <cmath>
#include <filesystem>
#include <map>
#include <numbers>
#include <set>

#include "chapters/19_training/corpus/corpus.hpp"
#include "chapters/19_training/evaluate.hpp"
#include "chapters/19_training/export.hpp"
#include "chapters/19_training/training_loop.hpp"
#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/layers.hpp"
#include "lib/model/model_config.hpp"
#include "tests/catch.hpp"
#include "tests/support/small_world.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::test::training {

// Two genres, of which one holds out a combination of name and place.
const char* const genres =
    "genre walk 3 hold p.name t.name\n"
    "  {p=person}{t=place}{p.name} walked to {t.name}{ and came back|, sang and came home| before "
    "it was "
    "dark}.\n"
    "genre count 1 hold a\n"
    "  {a=int 100 999}{b=calc a + 1}After {a} comes {b}.\n";

struct World : test::SmallWorld {
    World() : SmallWorld(genres) {}
    std::vector<std::int32_t> ids(const std::string& text) const {
        const std::vector<int> tokens = tokenizer.encode(text);
        return {tokens.begin(), tokens.end()};
    }
};

inline TrainingOptions small_options() {
    TrainingOptions options;
    options.shape = gpt_config(1, 2, 32, 24, 0);
    options.batch = 4;
    options.steps = 20;
    options.warm_up = 4;
    options.learning_rate = 5e-3;
    options.threads = 1;
    options.parts = 3;
    return options;
}

// The same sizes; two heads share their keys and values.
inline TransformerConfig small_llama() { return llama_config(1, 2, 1, 32, 96, 24, 0); }

inline std::string folder() {
    const auto path =
        std::filesystem::temp_directory_path() / ("tbt-ch19-" + std::to_string(::getpid()));
    std::filesystem::create_directories(path);
    return path.string();
}

inline std::vector<float> weights(Training& training) {
    return {training.model().parameters().begin(), training.model().parameters().end()};
}

}  // namespace tbt::test::training
