// A cache of compiled guides (grammars, schemas, …): each is compiled once and shared.
#pragma once

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "chapters/16_json_schema/guide.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

// Keeps the most recently requested guides, and those that are in use.
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

}  // namespace tbt
