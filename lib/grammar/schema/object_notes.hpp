// A JSON object: its members in the order of the schema, others after them.
//
// The nodes are one tree of all keys (object_graph.hpp), whatever was written before. Beside the
// node a derivation has a note: which member may come next, how many were written, and which keys
// that nobody names, since none may come twice. Only notes that a text comes to are ever made.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/state_annotations.hpp"
#include "lib/grammar/schema/object_costs.hpp"
#include "lib/grammar/schema/object_graph.hpp"
#include "lib/grammar/schema/written_keys.hpp"

namespace tbt {

class ObjectNotes : public StateAnnotations {
public:
    ObjectNotes(ObjectShape shape, Blanks blanks, Spelling spelling);
    ObjectNotes(const ObjectNotes&) = delete;

    // Adds the nodes after the opening brace; returns the first. `index`: of these annotations in
    // the grammar.
    int add_nodes(Grammar& grammar, int index);

    int entry() const override { return graph_.first(); }
    int first_annotation() override { return 1; }
    int read(int note, std::uint8_t byte) override;
    int called(int note, int act) override;
    void keep_like(int note, int byte, int& low, int& high) const override;
    int cost(const Measure& measure, int node, int note) override;
    bool alive(const Measure& bytes, int node, int note) override;
    std::vector<int> rules() const override;
    int abstracted(int node, int note) override;
    int kept(int node, int note) override;
    std::size_t memory() const override;
    void forget() override;

private:
    using Where = ObjectGraph::Where;
    using Acts = std::vector<int>;
    using Lengths = ObjectLengths;
    // What a text may be, where it is none.
    static constexpr int nowhere = -1;    // not in a key that nobody names
    static constexpr int a_new_one = -2;  // in one that was not written before
    static constexpr int stale = -3;      // an abstraction, after such a key: `others` lacks it

    // progress: of the members. others: the keys written that nobody names. text: such a key so
    // far. brief: of an abstraction, where the text is kept only as long as a key that was
    // written begins so.
    struct Note {
        int progress, others, text;
        bool brief = false;
        bool operator==(const Note&) const = default;
    };
    struct NoteHash {
        std::uint64_t operator()(const Note& n) const {
            const auto low = [](int i) { return std::uint64_t{static_cast<std::uint32_t>(i)}; };
            return mixed(mixed(n.brief, low(n.progress) << 32 | low(n.others)), low(n.text));
        }
    };
    // The cost of what must still come, for one version of a measure. [1]: one member at least.
    struct Rest {
        unsigned version[2] = {0, 0};
        int cost[2] = {0, 0};
    };
    struct Progress {
        int next = 0;  // of the named members, those before it cannot come any more
        int last = 0;  // those after it cannot come yet: it is required
        Needs served = 0;
        int written = 0;             // members, as far as their number matters
        std::vector<bool> gone;      // of members that were given a name for their number's sake
        std::array<Rest, 2> rest{};  // in bytes and in tokens
    };

    int note_of(const Note& note);
    const Note& note(int id) const { return notes_[static_cast<std::size_t>(id)]; }
    Progress& at(int progress) { return progress_[static_cast<std::size_t>(progress)]; }
    int progress_of(Progress progress);
    int after(int progress, int act);
    bool possible(const Progress& now, int act) const;
    bool complete(const Progress& now) const;
    // Does only the place in the order matter?
    bool simple() const { return shape_.needs == 0 && shape_.least <= 1 && shape_.most < 0; }

    Lengths& lengths(const Measure& measure);
    const std::vector<int>& key(const Measure& measure, int member);
    int before_key(const Measure& measure, int left);
    int member_cost(const Measure& measure, int act);
    int rest(const Measure& measure, int progress, bool some);
    int rest_counted(const Measure& measure, const Progress& now, int least);
    using Key = std::tuple<int, Needs, int>;  // member, needs served, members added
    int rest_of_needs(const Measure& measure, const Progress& now, int least, Key from,
                      std::map<Key, int>& known);
    int best_of(const Measure& measure, int progress, const Acts& acts);
    int in_key(const Measure& measure, int node, const Note& note);
    int in_tree(const Measure& measure, const ObjectGraph::Position& p, const Note& note);

    // In a key that nobody names: is the text the beginning of one that was written? Is it one?
    bool risky(int others, int text) const { return text >= 0 && keys_.begins(others, text); }
    bool stands(int others, int text) const {
        return text != a_new_one && keys_.stands(others, std::max(text, 0));
    }
    int bytes_to_end(const Grammar& grammar, int node, int others, int text) const;

    ObjectShape shape_;
    Blanks blanks_;
    Spelling spelling_;
    ObjectGraph graph_;
    int named_;                     // members, by the schema: the first ones
    std::vector<int> class_bytes_;  // of the shortest key of a class
    std::array<Lengths, 2> lengths_;
    std::vector<Progress> progress_;
    std::map<std::tuple<int, Needs, int, std::vector<bool>>, int> progress_index_;
    WordMap after_;  // by progress and act
    std::vector<Note> notes_;
    FlatMap<Note, NoteHash> note_index_;
    WrittenKeys keys_;
};

}  // namespace tbt
