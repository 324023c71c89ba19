#include "chapters/14_grammar/guided_model.hpp"

#include <cstdio>
#include <span>
#include <utility>

#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/show.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/model/model.hpp"

namespace tbt {

GuidedModel::GuidedModel(std::string beginning, std::uint64_t first)
    : prompt(std::move(beginning)), model(shipped_model("storyteller").string()), seed(first) {}

std::vector<DeclaredOption> GuidedModel::add_options(CommandLine line) {
    std::vector<DeclaredOption> all;
    const auto number = [&](const char* name, int& value, const char* meaning) {
        all.push_back(line.option(name, value, meaning).shows_default().between(0, 1000000));
    };
    const auto any = [&](const char* name, auto& value, const char* meaning) {
        all.push_back(line.option(name, value, meaning).shows_default());
    };
    any("prompt", prompt, "what stands before the text");
    all.push_back(line.option("--continue", continue_prompt,
                              "the prompt is the beginning of the text, and held to it as well"));
    any("--temperature", sampling.temperature, "0 is greedy");
    any("--top-k", sampling.top_k, "the k most probable legal tokens, 0: all");
    any("--top-p", sampling.top_p, "the smallest set of legal tokens with this mass");
    number("--max-new-tokens", max_new_tokens, "the budget");
    number("--steps", shown, "steps to show");
    any("--seed", seed, "of the draws");
    any("--model", model, "a model directory");
    any("--trace-figure", figure, "write the number of allowed tokens at each step (SVG)");
    return all;
}

void GuidedModel::open() {
    if (opened_) return;
    opened_ = std::make_shared<Model>(load_model(model));
    encode_prompt(*opened_, prompt, max_new_tokens);
}

void GuidedModel::show(int number, const std::string& request,
                       const std::shared_ptr<ByteMachine>& machine) {
    open();
    Model& loaded = *opened_;
    const Tokenizer& tokenizer = loaded.tokenizer;
    const auto language =
        std::make_shared<GuidedLanguage>(machine, std::make_shared<const TokenTrie>(tokenizer));
    TokenConstraint constraint(language, max_new_tokens, continue_prompt ? prompt : "");
    const Chain chain(cut_steps(sampling, Dialect::ours));
    std::printf("%d. %s\n   mask → %s; seed %llu; budget %d tokens, at least %d are needed\n\n",
                number, request.c_str(), chain.to_string().c_str(),
                static_cast<unsigned long long>(seed), max_new_tokens,
                language->closing().minimum(constraint.state()).tokens);

    const std::vector<int> ids = encode_prompt(loaded, prompt, max_new_tokens);
    MaskTrace trace(tokenizer, constraint, shown);
    if (shown > 0) trace.print_header();
    Candidates scratch;
    Rng rng(seed);
    CachedModel gpt(loaded.gpt);
    std::vector<float> raw;  // the logits before the mask
    const auto predict = [&](std::span<const int> text) {
        const std::span<const float> logits = gpt(text);
        raw.assign(logits.begin(), logits.end());
        return logits;
    };
    const auto pick = [&](std::span<const float> legal, std::span<const int> text) {
        const int id = chain.pick(legal, {text, ids.size()}, rng.uniform(), scratch);
        trace.step(raw, legal, id);
        return id;
    };
    const GuidedText text =
        generate_guided(predict, ids, constraint, pick, [](int) { return true; });
    trace.print_rest();
    const std::vector<int> fresh(text.ids.begin() + static_cast<std::ptrdiff_t>(ids.size()),
                                 text.ids.end());
    std::printf("%s   %s%s\n   %s; %zu tokens, %d forward passes, %d tokens forced\n",
                shown > 0 ? "\n" : "", prompt.c_str(), tokenizer.decode(fresh).c_str(),
                text.complete ? "complete" : "not complete", fresh.size(), text.forward_passes,
                text.forced);
    if (!figure.empty()) trace.write_figure(figure);
}

}  // namespace tbt
