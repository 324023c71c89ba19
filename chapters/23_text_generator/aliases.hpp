// Translates the option names of other programs to ours, and explains options that do not exist
// here.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct Alias {
    const char* typed;   // the name in llama.cpp, vLLM or transformers
    const char* option;  // our name; "": we always do it, so it is ignored; null: see answer
    const char* answer = nullptr;  // why there is no such option, and what to do instead
};

const std::vector<Alias>& aliases();

// words: a command line without the program's name. Returns it with our option names; values and
// everything after "--" stay. Throws UsageError with the answer for a name that has one.
std::vector<std::string> with_our_names(std::vector<std::string> words);

}  // namespace tbt
