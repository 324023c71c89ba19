// Options by the names that other programs have for them, and a word on those that have no use
// here.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct Alias {
    const char* typed;   // as llama.cpp, vLLM or transformers call it
    const char* option;  // what it is called here; "": that happens anyway; null: see answer
    const char* answer = nullptr;  // why there is no such option, and what to do instead
};

const std::vector<Alias>& aliases();

// Words of a command line, without the program's name, with our names. Values and what comes after
// "--" stay. Throws UsageError with the answer to a name that has one.
std::vector<std::string> with_our_names(std::vector<std::string> words);

}  // namespace tbt
