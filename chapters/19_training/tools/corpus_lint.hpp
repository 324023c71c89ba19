// Finds mistakes in expanded texts that a program can recognise.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/corpus/corpus.hpp"

namespace tbt {

struct Finding {
    std::string genre, what;
    std::uint64_t documents = 0;
    std::string example;
};

std::vector<Finding> lint(const Corpus& corpus, std::uint64_t seed,
                          std::uint64_t documents_of_each_genre);

// For each kind of mistake in one text: what is wrong, and the words around it.
std::vector<std::pair<std::string, std::string>> lint_text(const std::string& text);

}  // namespace tbt
