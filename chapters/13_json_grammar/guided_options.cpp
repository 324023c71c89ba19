#include "chapters/13_json_grammar/guided_options.hpp"

#include <utility>

#include "chapters/03_temperature/further/option.hpp"
#include "chapters/04_top_k/further/option.hpp"
#include "chapters/05_top_p/further/option.hpp"
#include "chapters/10_generate/page.hpp"
#include "lib/machine/text_options.hpp"
#include "lib/model/model.hpp"

namespace tbt {

GuidedOptions::GuidedOptions(std::string beginning, std::uint64_t first)
    : prompt(std::move(beginning)), model(shipped_model("storyteller").string()), seed(first) {}

std::vector<DeclaredOption> GuidedOptions::declare(CommandLine line) {
    return {prompt_option(line, prompt),
            temperature_option(line, sampling.temperature, ", of the legal tokens").shows_default(),
            top_k_option(line, sampling.top_k).shows_default(),
            top_p_option(line, sampling.top_p).shows_default(),
            length_option(line, max_new_tokens, "; the text is closed in time"),
            seed_option(line, seed),
            model_option(line, model),
            line.option("--steps", shown, "steps to show").shows_default().between(0, 1000000),
            page_option(line, html),
            trace_option(line, trace_file)};
}

}  // namespace tbt
