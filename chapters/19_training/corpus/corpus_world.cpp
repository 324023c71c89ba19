#include "chapters/19_training/corpus/corpus_world.hpp"

#include <algorithm>
#include <cmath>

#include "lib/core/index.hpp"

namespace tbt::grammar {

const std::string& Expansion::text_at(int slot, int column_name, Place place) const {
    for (const auto& [name, text] : values_[index(slot)].changed)
        if (name == column_name) return text;
    return text_of(cell(slot, column_name, place));
}

bool Expansion::holds(const Node& guard) const {
    for (const Condition& c : guard.where) {
        const Value& v = values_[index(c.subject)];
        std::string left;  // empty if the variable has no value yet
        if (c.column >= 0 && v.kind != Value::Kind::none)
            left = text_at(c.subject, c.column, guard.place);
        else if (v.kind == Value::Kind::number) left = std::to_string(v.number);
        else left = v.text;
        const std::string& right =
            c.value >= 0 ? text_of(c.value) : text_at(c.slot, c.column_name, guard.place);
        if ((left == right) != (c.test == Condition::Test::equal)) return false;
    }
    return true;
}

std::size_t Expansion::choose_fitting(const Choice& choice, Place place) {
    if (!choice.guarded) return choose(choice.weights);
    rows_.clear();
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < choice.pieces.size(); ++i) {
        const Sequence& piece = choice.pieces[i];
        if (!piece.empty() && piece[0].kind == Kind::guard && !holds(piece[0])) continue;
        rows_.emplace_back(i, total += choice.weights.of(i));
    }
    if (total == 0) fail(place, "no alternative fits the world as it is");
    const std::uint32_t r = generator_.below(total);
    const auto at = std::ranges::find_if(rows_, [r](const auto& row) { return row.second > r; });
    bits_ += std::log2(static_cast<double>(total) / choice.weights.of(at->first));
    return at->first;
}

void Expansion::change(const Node& n) {
    cell(n.slot, n.column_name, n.place);  // throws if there is no such column
    std::string text;
    std::swap(text, out_);
    sequence(tree_.choices[index(n.index)].pieces[0]);
    std::swap(text, out_);
    auto& changed = values_[index(n.slot)].changed;
    const auto at = std::ranges::find(changed, n.column_name, &std::pair<int, std::string>::first);
    if (at == changed.end()) changed.emplace_back(n.column_name, std::move(text));
    else at->second = std::move(text);
}

void Expansion::column(const Node& n) {
    out_ += text_at(n.slot, n.column_name, n.place);
    const Table& table = tree_.tables[index(values_[index(n.slot)].table)];
    if (n.column_name != tree_.name_column || tree_.he_column < 0) return;
    if (table.column_of_name[index(tree_.he_column)] >= 0)
        mentioned(n.slot, text_at(n.slot, tree_.he_column, n.place));
}

// From now on the pronoun refers to this variable.
void Expansion::mentioned(int slot, const std::string& pronoun) {
    const auto at = std::ranges::find(mentioned_, pronoun, &Mentioned::pronoun);
    if (at == mentioned_.end()) mentioned_.push_back({pronoun, slot, 0});
    else *at = {pronoun, slot, 0};
}

void Expansion::forget(int slot) {
    std::erase_if(mentioned_, [slot](const Mentioned& m) { return m.slot == slot; });
}

void Expansion::mention(const Node& n) {
    const std::string pronoun = text_at(n.slot, tree_.he_column, n.place);
    const auto at = std::ranges::find(mentioned_, pronoun, &Mentioned::pronoun);
    const bool clear = at != mentioned_.end() && at->slot == n.slot;
    const bool subject = n.column_name == tree_.he_column;
    if (clear && !(n.capital && subject && at->in_a_row >= max_pronouns)) {
        at->in_a_row += n.capital && subject ? 1 : 0;
        out_ += text_at(n.slot, n.column_name, n.place);
        return;
    }
    const std::string& name = text_at(n.slot, tree_.name_column, n.place);
    out_ += name;
    if (tree_.column_names[index(n.column_name)] == "his") out_ += name.ends_with('s') ? "'" : "'s";
    mentioned(n.slot, pronoun);
}

}  // namespace tbt::grammar
