// A JSON object: its members in the order of the schema, others after them.
//
// The nodes are one tree of all keys (object_graph.hpp), whatever was written before. Beside the
// node a derivation has an annotation: which member may come next, how many were written, and
// which keys that nobody names, since none may come twice. Only annotations that a text comes to
// are ever made.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "lib/grammar/flat_map.hpp"
#include "lib/grammar/recognizer/state_annotations.hpp"
#include "lib/grammar/schema/object_graph.hpp"
#include "lib/grammar/text_sets.hpp"

namespace tbt {

class ObjectAnnotations : public StateAnnotations {
public:
    ObjectAnnotations(ObjectShape shape, Blanks blanks);
    ObjectAnnotations(const ObjectAnnotations&) = delete;

    // Adds the nodes after the opening brace; returns the first. `index`: of these annotations in
    // the grammar.
    int add_nodes(Grammar& grammar, int index);

    int entry() const override { return graph_.first(); }
    int first_annotation() override { return 1; }
    int read(int annotation, std::uint8_t byte) override;
    int called(int annotation, int label) override;
    void keep_like(int annotation, int byte, int& low, int& high) const override;
    // What must still come is added up: required members, and others until there are enough.
    int cost(const Measure& measure, int node, int annotation) override;
    bool alive(const Measure& bytes, int node, int annotation) override;
    std::vector<int> rules() const override;
    int abstracted(int node, int annotation) override;
    int kept(int node, int annotation) override;
    std::size_t memory() const override;
    void forget() override;

private:
    using Where = ObjectGraph::Where;
    // What a text may be, where it is none.
    static constexpr int nowhere = -1;    // not in a key that nobody names
    static constexpr int a_new_one = -2;  // in one that was not written before
    static constexpr int stale = -3;      // an abstraction, after such a key: `others` lacks it

    struct Annotation {
        int next = 0;        // of the members, those before it cannot come any more
        int written = 0;     // members, as far as their number matters
        int others = 0;      // the keys written that nobody names
        int text = nowhere;  // such a key so far
        // Of an abstraction: the text is kept only as long as a key that was written begins so.
        bool brief = false;
        bool operator==(const Annotation&) const = default;
    };
    struct Hash {
        std::uint64_t operator()(const Annotation& a) const {
            const auto pair = [](int high, int low) {
                return std::uint64_t{static_cast<std::uint32_t>(high)} << 32 |
                       static_cast<std::uint32_t>(low);
            };
            return mixed(mixed(a.brief, pair(a.next, a.written)), pair(a.others, a.text));
        }
    };
    // What the parts of an object cost, by one measure.
    struct Costs {
        unsigned id = 0, version = 0;
        int open = 0;
        std::vector<int> before_key, colon, close;  // texts between values, by the bytes read
        std::vector<std::vector<int>> keys;         // by member; empty: not asked for yet
        // Sums over the members from each on, with their commas: those that are required; the
        // least of one.
        std::vector<int> required, any;
        WordMap counted;  // what must still come, where members are counted
    };

    int number_of(const Annotation& annotation) {
        const int found = numbers_.find_or_add(annotation, static_cast<int>(all_.size()));
        if (found == static_cast<int>(all_.size())) all_.push_back(annotation);
        return found;
    }
    const Annotation& at(int number) const { return all_[static_cast<std::size_t>(number)]; }
    int members() const { return static_cast<int>(shape_.members.size()); }
    int rule_of(int label) const;
    // The last member that may come now: the first one that is required.
    int last(int next) const { return last_[static_cast<std::size_t>(next)]; }
    bool complete(const Annotation& now) const {
        return last(now.next) == members() && now.written >= shape_.least;
    }
    bool possible(const Annotation& now, int label) const {
        if (shape_.most >= 0 && now.written >= shape_.most) return false;
        return label <= members() ? label > now.next && label <= last(now.next) + 1
                                  : last(now.next) == members();
    }
    Annotation after(Annotation now, int label) const {
        now.next = std::min(label, members());
        if (shape_.most >= 0 || now.written < shape_.least) ++now.written;
        return now;
    }
    // Does only the place in the order matter?
    bool simple() const { return shape_.least <= 1 && shape_.most < 0; }

    Costs& costs(const Measure& measure);
    void add_texts(const Measure& measure, Costs& costs) const;
    const std::vector<int>& key(const Measure& measure, int member);
    int before_key(const Costs& costs, int left) const;
    int member_cost(const Measure& measure, int label);
    int rest(const Measure& measure, const Annotation& now, bool some);
    int rest_counted(const Measure& measure, const Annotation& now, int least);
    int value_and_rest(const Measure& measure, const Annotation& now, int label);
    int in_tree(const Measure& measure, const ObjectGraph::Position& p, const Annotation& now);
    int in_key(const Measure& measure, int node, const Annotation& now);

    // In a key that nobody names: does one that was written begin so? Is it one?
    bool risky(int others, int text) const { return text >= 0 && keys_.has_prefix(others, text); }
    bool known(int others, int text) const {
        return text != a_new_one && keys_.contains(others, text < 0 ? 0 : text);
    }

    ObjectShape shape_;
    Blanks blanks_;
    ObjectGraph graph_;
    std::vector<int> last_;         // by the next member
    std::vector<int> class_bytes_;  // of the shortest key of a class
    Costs costs_[2];                // in bytes and in tokens
    std::vector<Annotation> all_;
    FlatMap<Annotation, Hash> numbers_;
    TextSets keys_;
};

}  // namespace tbt
