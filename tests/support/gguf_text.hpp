// GGUF files with another text in place of one of theirs.
#pragma once

#include <string>

#include "chapters/19_training/tools/gguf.hpp"
#include "tests/catch.hpp"

namespace tbt::test {

// A text in a GGUF file, with its length.
inline std::string text_bytes(const std::string& written) {
    GgufBytes bytes;
    bytes.text(written);
    return bytes.all;
}

// The file with `to` in place of the text `from`. The model's name becomes as much longer or
// shorter, so that the tensors stay where they are.
inline std::string with_text(std::string bytes, const std::string& from, const std::string& to) {
    const auto replace = [&](std::size_t begin, const std::string& old, const std::string& now) {
        const std::size_t at = bytes.find(text_bytes(old), begin);
        REQUIRE(at != std::string::npos);
        bytes.replace(at, text_bytes(old).size(), text_bytes(now));
    };
    const std::string name(20, 'm');
    replace(0, from, to);
    replace(bytes.find("general.name"), name,
            std::string(name.size() + from.size() - to.size(), 'm'));
    return bytes;
}

}  // namespace tbt::test
