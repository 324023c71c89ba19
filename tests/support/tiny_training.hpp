// A tiny model to train, and a folder for what it writes.
#pragma once

#include <unistd.h>
#include <bit>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>

#include "lib/core/error.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/files.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/trainer.hpp"
#include "tests/catch.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::train::test {

const TransformerConfig tiny = gpt_config(2, 2, 32, 40, 61);

inline std::vector<std::int32_t> random_ids(std::size_t n, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<std::int32_t> ids(n);
    for (auto& id : ids)
        id = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(tiny.vocab_size)));
    return ids;
}

inline std::string temporary(const std::string& name) {
    const auto folder =
        std::filesystem::temp_directory_path() / ("tbt-train-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder);
    return (folder / name).string();
}

}  // namespace tbt::train::test
