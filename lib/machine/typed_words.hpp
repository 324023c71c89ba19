// The words of a command line, made ready for CLI11.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace tbt {

// Changes underscores in names of options to hyphens, so that transformers' --max_new_tokens works.
// Values, and words after "--", are not changed.
std::vector<std::string> with_hyphens(std::vector<std::string> words);

// CLI11 reads a value such as "[once, twice]" of an option with several values as a list: a prompt
// would become two. A mark at the end of such words hides the bracket; keep_brackets makes the
// options take it off again.
std::vector<std::string> with_marked_brackets(std::vector<std::string> words);
void keep_brackets(OptionTable& app);
std::string without_marks(std::string text);

}  // namespace tbt
