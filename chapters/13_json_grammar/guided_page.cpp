#include "chapters/13_json_grammar/guided_page.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "chapters/03_temperature/further/option.hpp"
#include "chapters/04_top_k/further/option.hpp"
#include "chapters/05_top_p/further/option.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/10_generate/tools/recording.hpp"
#include "chapters/13_json_grammar/grammar_step.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"
#include "lib/machine/usual_options.hpp"

namespace tbt {

namespace {

// The chain with the mask as its first step.
Chain with_mask(const GrammarMatcher& start, const Chain& chain) {
    std::vector<ChainStep> steps = {grammar_step(start)};
    steps.insert(steps.end(), chain.steps().begin(), chain.steps().end());
    return Chain(std::move(steps));
}

// The passes that the loop needed: one for each choice, over the tokens since the previous one.
std::vector<RecordedPass> passes_of(const std::vector<RecordedToken>& tokens, std::size_t prompt) {
    std::vector<RecordedPass> passes;
    std::size_t read = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (!tokens[i].has_u) continue;
        passes.push_back({{{0, prompt + i, 1}}, static_cast<long>(prompt + i - read)});
        read = prompt + i;
    }
    return passes;
}

}  // namespace

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

std::string guided_trace(const GuidedOptions& options, const std::string& guide, Model& model,
                         const Chain& chain, const GrammarMatcher& start, const GuidedText& text,
                         bool ended, const StateWords& words) {
    const Tokenizer& tokenizer = model.tokenizer;
    const std::vector<int> prompt = encode_prompt(model, options.prompt, options.max_new_tokens);
    GenerateRequest request;
    request.chain = with_mask(start, chain), request.seed = options.seed;
    GeneratedText written;
    written.ids.assign(text.ids.begin() + static_cast<std::ptrdiff_t>(prompt.size()),
                       text.ids.end());
    written.text = tokenizer.decode(written.ids);
    written.reason = ended ? FinishReason::eos : FinishReason::length;
    if (ended) written.ids.push_back(start.language().trie().eos());

    std::vector<RecordedToken> tokens;
    GrammarMatcher constraint = start;
    Rng random(options.seed);
    CachedBatch batch(model.transformer);
    const ReplayedText all = replayed_text(request, prompt, written.ids, false);
    read_again(std::ref(batch), request, all, [&](std::size_t step, std::span<const float> logits) {
        const bool chosen = constraint.forced() < 0;
        const int id = written.ids[step];
        tokens.push_back(recorded_choice(request.chain, logits, all.before(step),
                                         chosen ? random.uniform() : 0, id));
        tokens.back().has_u = chosen;
        tokens.back().guide = guide_state(constraint, logits, words);
        constraint.advance(id);
    });

    Json header =
        header_json({options.command, options.model, "", options.seed}, model.config(),
                    request.chain, tokenizer, std::vector<ShownPrompt>{{options.prompt, prompt}});
    header["guide"] = guide;
    return trace_line(header) + token_lines(tokenizer, {tokens}) +
           pass_lines(passes_of(tokens, prompt.size())) + result_lines({written});
}

}  // namespace tbt
