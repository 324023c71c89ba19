#include "lib/machine/typed_words.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

namespace tbt {

static constexpr char mark = '\x1f';

std::vector<std::string> with_hyphens(std::vector<std::string> words) {
    for (std::size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
        if (!words[i].starts_with("--")) continue;
        const auto end = words[i].begin() +
                         static_cast<std::ptrdiff_t>(std::min(words[i].find('='), words[i].size()));
        std::replace(words[i].begin(), end, '_', '-');
    }
    return words;
}

std::vector<std::string> with_marked_brackets(std::vector<std::string> words) {
    for (std::string& word : words)
        if (word.ends_with(']')) word += mark;
    return words;
}

std::string without_marks(std::string text) {
    std::erase_if(text, [](char c) { return c == mark; });
    return text;
}

void keep_brackets(OptionTable& app) {
    for (CLI::Option* option : app.get_options())
        option->transform([](std::string value) {
            if (value.ends_with(std::string{']', mark})) value.pop_back();
            return value;
        });
    for (OptionTable* command : app.get_subcommands([](const OptionTable*) { return true; }))
        keep_brackets(*command);
}

}  // namespace tbt
