// Constrains several texts by one language (a compiled grammar), each with its own matcher. It is a
// step of a chain (chapter 13), so it works in every loop that applies the chain.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chapters/10_generate/generate.hpp"
#include "chapters/13_json_grammar/grammar_step.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// A cache of compiled guides (grammars, schemas, …): each is compiled once and shared. It keeps the
// most recently requested guides, and those that are in use.
class Languages {
public:
    static constexpr std::size_t most = 16;

    // The tokenizer must outlive this.
    explicit Languages(const Tokenizer& tokenizer) : tokenizer_(&tokenizer) {}

    // The compiled guide; null if the request has none. Throws as recognizer_for() does. Several
    // threads may call it at once: while one compiles, the others do not wait.
    std::shared_ptr<CompiledGrammar> get(const GuideRequest& guide);
    // The vocabulary's tokens as a trie.
    std::shared_ptr<const TokenTrie> trie();

private:
    std::shared_ptr<CompiledGrammar> known(const std::string& key);
    void forget_oldest();

    const Tokenizer* tokenizer_;
    std::mutex mutex_;
    std::shared_ptr<const TokenTrie> trie_;
    std::list<std::pair<std::string, std::shared_ptr<CompiledGrammar>>> recent_;  // newest first
};

// The texts of one generation.
class GuidedTexts {
public:
    explicit GuidedTexts(std::shared_ptr<CompiledGrammar> language)
        : language_(std::move(language)) {}

    // Registers a prompt. Its continuation, of at most `budget` tokens, must be in the language.
    // beginning: the part of the prompt that already belongs to the constrained text. Throws Error
    // if no text of the language fits into the budget.
    void add(std::span<const int> prompt, int budget, std::string_view beginning);

    // The matcher after a text that continues one of the prompts.
    GrammarMatcher& follow(const TextSoFar& text);
    // The only token that may come next; −1 if there are several.
    int forced(const TextSoFar& text) { return follow(text).forced(); }

private:
    struct OfPrompt {
        std::vector<int> prompt;
        ConstraintFollower follower;
    };
    std::shared_ptr<CompiledGrammar> language_;
    std::vector<OfPrompt> prompts_;
};

// Puts the mask before all other steps. If it leaves one token, the other steps do not run. If a
// step bans every token that is left (no-repeat-ngram, min-new-tokens, a huge penalty), that step
// is undone at this position. So a ban never ends a text under a guide.
Chain guided_chain(const Chain& chain, const std::shared_ptr<GuidedTexts>& guide);

// Known runs: bytes that a guide knows without a model. After {"name": "Ella", comes "job": ". Such
// a run may be split into tokens in several ways, so no token is forced and the model chooses. The
// tokenizer's own split is guessed and judged like a draft, coupled by seed (chapter 12). That
// gives the same text in fewer passes, without a model that drafts.
//
// Adds known runs to the guesses of a request. After a run, a draft guesses on in the same pass.
// Heads guess from the model's hidden state, so they wait until the run was read. The tokenizer
// must outlive the request.
enum class AfterRun { draft, wait };
void guess_known_runs(GenerateRequest& request, const std::shared_ptr<GuidedTexts>& guide,
                      const Tokenizer& tokenizer, AfterRun after_run = AfterRun::draft);

}  // namespace tbt
