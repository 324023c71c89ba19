#include "chapters/19_training/report/recogniser.hpp"

#include <algorithm>
#include <set>

#include "chapters/19_training/report/derivation.hpp"
#include "lib/core/index.hpp"

namespace tbt {

using namespace grammar;

namespace {

// Computes which variables a rule or a choice may set. Rules use each other, so the sets grow until
// nothing is added.
class Written {
public:
    explicit Written(const Tree& tree)
        : tree_(tree), rules_(tree.rules.size()), choices_(tree.choices.size()) {
        for (bool grows = true; grows;) {
            grows = false;
            // The choices inside a choice come before it, so these need no other round.
            for (std::size_t c = 0; c < choices_.size(); ++c) add(tree.choices[c], choices_[c]);
            for (std::size_t r = 0; r < rules_.size(); ++r)
                grows = add(tree.rules[r].choice, rules_[r]) || grows;
        }
    }

    std::vector<std::vector<int>> of_choices() const {
        std::vector<std::vector<int>> result;
        for (const auto& slots : choices_) result.emplace_back(slots.begin(), slots.end());
        return result;
    }

private:
    using Slots = std::set<int>;

    static std::size_t at(int i) { return index(i); }

    bool add(const Choice& choice, Slots& slots) const {
        const std::size_t before = slots.size();
        for (const Sequence& piece : choice.pieces)
            for (const Node& node : piece) add(node, slots);
        return slots.size() > before;
    }

    void add(const Node& n, Slots& slots) const {
        const auto all = [&](const Slots& more) { slots.insert(more.begin(), more.end()); };
        if (n.kind == Kind::draw || n.kind == Kind::integer || n.kind == Kind::calc ||
            n.kind == Kind::keep)
            slots.insert(n.slot);
        if (n.kind == Kind::choice || n.kind == Kind::keep || n.kind == Kind::change)
            all(choices_[at(n.index)]);
        if (n.kind == Kind::rule || n.kind == Kind::repeat) all(rules_[at(n.index)]);
        if (n.kind != Kind::indirect) return;
        for (const Table& table : tree_.tables) {
            const int column = table.column_of_name[at(n.column_name)];
            for (std::size_t row = 0; column >= 0 && row < table.rows.size(); ++row)
                if (const int rule = tree_.rule_of_string[at(table.rows[row][at(column)])];
                    rule >= 0)
                    all(rules_[at(rule)]);
        }
    }

    const Tree& tree_;
    std::vector<Slots> rules_, choices_;
};

}  // namespace

std::vector<std::vector<int>> written_slots(const Tree& tree) { return Written(tree).of_choices(); }

Recogniser::Recogniser(const Corpus& corpus, std::uint64_t max_steps)
    : corpus_(corpus), max_steps_(max_steps), written_(written_slots(corpus.tree())) {}

Recogniser::Answer Recogniser::ask(const std::string& text, int genre, bool prefix) const {
    Answer answer = Answer::no;
    for (int g = 0; g < count(corpus_.genres); ++g) {
        if (genre >= 0 && g != genre) continue;
        try {
            Derivation derivation(corpus_.tree(), written_, text, prefix, max_steps_);
            if (derivation.from(corpus_.tree().genres[index(g)])) return Answer::yes;
        } catch (const Derivation::TooLong&) {
            answer = Answer::undecided;
        }
    }
    return answer;
}

Recogniser::Answer Recogniser::whole(const std::string& text, int genre) const {
    return ask(text, genre, false);
}

Recogniser::Answer Recogniser::beginning(const std::string& text, int genre) const {
    return ask(text, genre, true);
}

}  // namespace tbt
