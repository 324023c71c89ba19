#include "chapters/10_generate/options/options.hpp"

#include "chapters/03_temperature/further/option.hpp"
#include "chapters/04_top_k/further/option.hpp"
#include "chapters/05_top_p/further/option.hpp"
#include "chapters/08_penalties/option.hpp"
#include "lib/core/error.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/text_options.hpp"

namespace tbt {

void add_sampling_options(OptionTable& app, GenerateOptions& o) {
    CommandLine choosing(app, "How a token is chosen");
    const auto option = [&](const char* name, auto& value, const char* help) {
        return choosing.option(name, value, help);
    };
    const auto list = [&](const char* name, auto& values, const char* help) {
        option(name, values, help).one_at_a_time();
    };
    temperature_option(choosing, o.temperature, " (default 0.8)");
    top_k_option(choosing, o.top_k);
    top_p_option(choosing, o.top_p, " (default 0.9)");
    option("--min-p", o.min_p,
           "keep tokens with at least this fraction of the largest probability; 0: all");
    option("--typical-p", o.typical_p,
           "keep the most typical tokens whose probabilities sum to this; 1: all");
    option("--epsilon-cutoff", o.epsilon_cutoff, "drop tokens less probable than this; 0: none");
    option("--eta-cutoff", o.eta_cutoff, "the same, adapted to the entropy; 0: none");
    option("--repetition-penalty", o.repetition_penalty,
           "divide the logits of tokens already in the text; 1: off");
    option("--frequency-penalty", o.frequency_penalty,
           "subtract this for each time a token was written; 0: off");
    option("--presence-penalty", o.presence_penalty,
           "subtract this from every token that was written; 0: off");
    penalty_scope_option(choosing, o.penalty_scope);
    option("--no-repeat-ngram-size", o.no_repeat_ngram_size,
           "ban a second occurrence of any n-gram of this length; 0: off");
    list("--logit-bias", o.logit_bias,
         "ID=VALUE, added to a token's logit; -inf bans it (repeatable)");
    option("--preset", o.preset, "factual, conservative, balanced or creative")
        .suggests("factual,conservative,balanced,creative");
    option(
        "--dialect", o.dialect,
        "order and defaults of: ours, transformers (-4, -5: how its beams stop), llama.cpp, vllm")
        .suggests("ours,transformers,transformers-4,transformers-5,llama.cpp,vllm");
    option("--greedy", o.greedy, "always the most probable token");
    option("--do-sample", o.do_sample, "sample (the default, except in beam search)");
    seed_option(choosing, o.seed);
    CommandLine ending(app, "Where a text ends");
    length_option(ending, o.max_new_tokens);
    ending.option("--min-new-tokens", o.min_new_tokens,
                  "do not end the text before this many tokens");
    ending
        .option("--stop-strings", o.stop_strings,
                "stop at this string, and leave it out (repeatable)")
        .one_at_a_time();
    ending.option("--context", o.context, "when the context is full: refuse, or slide")
        .suggests("refuse,slide")
        .shows_default();
    ending.option("--keep", o.keep, "tokens kept when the context slides (default: half of it)");
    ending.option("--no-escape", o.no_escape, "do not interpret \\n and other escapes in texts");
    add_word_options(app, o);
    add_rare_options(app, o);
}

void add_samples_option(OptionTable& app, GenerateOptions& o) {
    CommandLine(app, "What is shown")
        .option("--num-return-sequences", o.samples,
                "number of texts; several are shown when all are complete")
        .shows_default();
}

void add_model_options(OptionTable& app, GenerateOptions& o) {
    CommandLine line(app);
    model_option(line, o.model);
    loading_options(line, o);
}

Model open_model(const GenerateOptions& o) { return load_model(o.model, transformer_options(o)); }

}  // namespace tbt
