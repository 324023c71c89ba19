#include "chapters/14_grammar/guided_model.hpp"

#include <cstdio>
#include <span>

#include "chapters/06_combining/chain.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "chapters/10_generate/tools/page.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/guided_page.hpp"
#include "chapters/13_json_grammar/show.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/model.hpp"

namespace tbt {

std::vector<DeclaredOption> GuidedModel::add_options(CommandLine line) {
    std::vector<DeclaredOption> all = declare(line);
    all.push_back(line.option("--continue", continue_prompt,
                              "the prompt is the beginning of the text, and must fit as well"));
    all.push_back(line.option("--trace-figure", figure,
                              "write the number of allowed tokens at each step (SVG)"));
    return all;
}

void GuidedModel::open() {
    if (opened_) return;
    opened_ = std::make_shared<Model>(load_model(model));
    encode_prompt(*opened_, prompt, max_new_tokens);
}

void GuidedModel::show(int number, const std::string& request,
                       const std::shared_ptr<Recognizer>& recognizer) {
    open();
    Model& loaded = *opened_;
    const Tokenizer& tokenizer = loaded.tokenizer;
    const auto language =
        std::make_shared<CompiledGrammar>(recognizer, std::make_shared<const TokenTrie>(tokenizer));
    GrammarMatcher constraint(language, max_new_tokens, continue_prompt ? prompt : "");
    const Chain chain(truncation_steps(sampling, Dialect::ours));
    std::printf("%d. %s\n   mask → %s; seed %llu; budget %d tokens; %d suffice\n\n", number,
                request.c_str(), chain.to_string().c_str(), static_cast<unsigned long long>(seed),
                max_new_tokens, language->closing().enough(constraint.state()));

    const std::vector<int> ids = encode_prompt(loaded, prompt, max_new_tokens);
    MaskTrace trace(tokenizer, constraint, shown);
    if (shown > 0) trace.print_header();
    Candidates scratch;
    Rng rng(seed);
    CachedModel gpt(loaded.transformer);
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
    const PageFile page(html, trace_file);
    const GrammarMatcher start = constraint;
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
    if (page.wanted())
        page.write(
            guided_trace(*this, request, loaded, chain, start, text, constraint.ended(), words));
}

}  // namespace tbt
