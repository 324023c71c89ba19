// The part of the parser for draws from a table and their conditions: {p=person where town!=q.town
// and not q}. It also has the names of everything; each gets a number when it first occurs.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chapters/19_training/corpus/corpus_cursor.hpp"
#include "chapters/19_training/corpus/corpus_tree.hpp"

namespace tbt::grammar {

class ConditionReader : protected Cursor {
protected:
    // Parses the text after {x=source. pos_ is there; the closing brace is at `close`.
    void draw(Node& node, const std::string& source, std::size_t source_at, std::size_t close);
    Condition condition(const Table& table, std::size_t end);
    // Parses the text after {if, such as x.col=text and y!=z.col. The closing brace is at `close`.
    void guard(Node& node, std::size_t close);
    // Parses y.col, or a text (in quotes if it looks like y.col).
    void compared_value(Condition& result, std::size_t end);
    void must_occur(const Table& table, const Condition& condition, std::size_t at) const;

    static int intern(std::map<std::string, int>& ids, std::vector<std::string>& names,
                      const std::string& s);
    int variable(const std::string& s);
    int column_name(const std::string& s);
    int string(const std::string& s);
    static std::vector<std::string> names(const std::map<std::string, int>& of);

    std::map<std::string, int> table_index_, rule_index_, variable_ids_, column_ids_, string_ids_;
};

}  // namespace tbt::grammar
