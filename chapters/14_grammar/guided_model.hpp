// The part of the programs of chapters 14 to 16 that lets a model write under a recognizer.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/13_json_grammar/guided_page.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/machine/command_line.hpp"

namespace tbt {

struct Model;

struct GuidedModel : GuidedOptions {
    bool continue_prompt = false;
    // For a page: says in words where a text is in the grammar.
    std::function<std::string(std::string_view text)> words;

    using GuidedOptions::GuidedOptions;
    // Adds the prompt, --max-new-tokens, … and returns the options that only this part uses.
    std::vector<DeclaredOption> add_options(CommandLine line);
    // Opens the model and prepares the prompt, so that errors are reported before any output.
    // show() does this if it was not called.
    void open();
    // Generates a text and prints its first steps: how many tokens are legal, the token that the
    // model wanted, the token drawn. number: of the part. request: the constraint, for the heading.
    // Throws if there is no such model or if the budget is too small.
    void show(int number, const std::string& request,
              const std::shared_ptr<Recognizer>& recognizer);

private:
    std::shared_ptr<Model> opened_;
};

}  // namespace tbt
