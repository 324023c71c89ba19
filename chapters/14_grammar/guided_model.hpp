// The part of the programs of chapters 14 to 16 in which a model writes under a recognizer.
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
    std::function<std::string(std::string_view text)> words;  // for a page: where a text is

    using GuidedOptions::GuidedOptions;
    // Adds the prompt, --max-new-tokens, … and returns those that only this part looks at.
    std::vector<DeclaredOption> add_options(CommandLine line);
    // Opens the model and lays out the prompt, so that what is wrong with them is said
    // before anything is shown. show() does so where this was not called.
    void open();
    // Writes a text and shows its first steps: how many tokens are legal, what the model wanted and
    // what it became. number: of the part; request: what the text is held to, for the heading.
    // Errors: no such model; the budget is below what the shortest text needs.
    void show(int number, const std::string& request,
              const std::shared_ptr<Recognizer>& recognizer);

private:
    std::shared_ptr<Model> opened_;
};

}  // namespace tbt
