// What users of other programs type: options under another name, options that change nothing here,
// and options that cannot be done.
#pragma once

#include <string>
#include <vector>

namespace tbt {

struct Alias {
    std::string typed;   // the name in llama.cpp, vLLM or transformers
    const char* option;  // our name; "": it changes no text here, so it is ignored; null: refused
    const char* answer = nullptr;  // refused: why, and what to do instead; ignored: said in a line
    enum Value { none, one, maybe } value = none;  // of an ignored option; maybe: on, off, auto, …
};

const std::vector<Alias>& aliases();

// words: a command line without the program's name. Returns it with our option names; values and
// everything after "--" stay. Adds to `notes` a line for each option that is ignored, if it may
// surprise. Throws UsageError with the answer for a name that is refused: it would change the text,
// and cannot be done.
std::vector<std::string> translated(const std::vector<std::string>& words,
                                    std::vector<std::string>& notes);
// The same; prints the notes on stderr.
std::vector<std::string> with_our_names(std::vector<std::string> words);

}  // namespace tbt
