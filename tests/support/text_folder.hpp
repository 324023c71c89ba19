// For the tests of training on text: a folder to write into, and a text to learn.
#pragma once

#include <filesystem>
#include <string>

#include "tests/support/temporary.hpp"

namespace tbt::test {

namespace fs = std::filesystem;

struct Folder {
    TemporaryFolder temporary;
    fs::path path = temporary.path();
    std::string file(const std::string& name, const std::string& content) const {
        fs::create_directories((path / name).parent_path());
        return temporary.write(name, content);
    }
};

// Forty sentences that say something else each.
inline std::string some_text() {
    std::string text;
    for (int i = 0; i < 40; ++i) {
        text += "The boat number " + std::to_string(i) + " sails to island " +
                std::to_string(i * 7 % 40) + " and comes back at noon.\n";
        if (i % 2 == 1) text += "\n";
    }
    return text;
}

}  // namespace tbt::test
