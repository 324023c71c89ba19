// The part of the parser for the alternatives of a rule: text, {choices|of|pieces}, rules,
// variables, draws with their conditions, numbers, repetition. It knows the names of all tables and
// rules (see corpus_parse.hpp) and adds nodes to the tree.
#pragma once

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chapters/19_training/corpus/corpus_conditions.hpp"
#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

class PieceReader : protected ConditionReader {
protected:
    // Parses text and braces up to the end of the line, or inside braces up to the | or } that ends
    // the piece.
    Sequence sequence(bool inside);
    Node braces();
    std::size_t matching(std::size_t open, bool& has_bar) const;
    void inline_choice(Node& node, std::size_t open);
    // Parses everything in braces that is not {a|b}. pos_ is after the {.
    void command(Node& node, std::size_t open, std::size_t close);
    // Parses the rule or choice after the :=, whose text is kept.
    void kept(Node& node);
    // Parses {@x} after the @.
    void mention(Node& node);
    void add_piece(Choice& choice, Sequence piece) const;
    void bind(Node& node, const std::string& name, std::size_t at, std::size_t close);
    void repeat(Node& node);
    Operand operand();
    int rule_named();

    std::vector<std::pair<int, Place>> variable_uses_;
    std::set<int> bound_;
};

}  // namespace tbt::grammar
