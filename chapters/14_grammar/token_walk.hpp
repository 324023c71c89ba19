// A walk through a part of a grammar, token by token, the nearest places first: what grammar_costs
// makes its tables with.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/13_json_grammar/token_trie.hpp"
#include "chapters/14_grammar/byte_groups.hpp"
#include "chapters/14_grammar/grammar.hpp"
#include "chapters/14_grammar/token_step.hpp"
#include "chapters/14_grammar/trie_words.hpp"

namespace tbt {

class TokenWalk {
public:
    using Step = TokenStep;
    // Where a walk was, kept for the next one: walks are short, and there are thousands.
    struct Memory {
        FlatMap<Step, TokenStepHash> reached;
        std::vector<std::vector<Step>> at_tokens;
    };

    TokenWalk(Grammar& grammar, const TokenTrie& trie, AllTrieWords& words, ByteGroups& groups,
              Memory& memory, Step from);

    // The next place, each once; false: none within one token of `best`.
    bool next(Step& at, int best);
    // Tokens finished on the way to it.
    int tokens() const { return tokens_; }

    void arrive(const Step& step, int tokens);
    // Goes on along the edges of the place: inside the stretch of an act, if there is a notebook.
    // Where many bytes lead to one node, as in a string, the others are taken only if they bring
    // the end nearer, and those many at once.
    void follow_bytes(const Step& at, int notebook, int act);

private:
    using Group = ByteGroup;
    static constexpr std::size_t wide = 16;  // so many bytes to one node are a class
    static constexpr int small = 64;         // below a node with so few others each is looked at

    void put(const Step& step, int tokens);
    int cost(int node, int note);
    bool counting() const { return notebook_ >= 0 && grammar_->notebook(notebook_).counts(); }
    bool move(const Step& at, int to, bool noted, int byte, int& note);
    void take_edges(const Step& at);
    void take(const Step& at, const Group& group, bool nearer);
    void take_below(const Step& at, const Group& group);
    void take_words(const Step& at, const Group& group);
    const Group* same_class(int node, const Group& group);
    void leave_words(const Step& at, int node, const Group& inside, const TrieWords& words,
                     int before, bool or_more);

    Grammar* grammar_;
    const TokenTrie* trie_;
    AllTrieWords* words_;
    ByteGroups* groups_;
    Memory* memory_;
    int notebook_ = -1, act_ = 0, here_ = 0, tokens_ = 0;
    std::size_t taken_ = 0;
};

}  // namespace tbt
