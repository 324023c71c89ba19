// What an object remembers of the members that were written, each such memory by a number.
#pragma once

#include <cstdint>
#include <vector>

#include "chapters/13_json_grammar/flat_map.hpp"
#include "chapters/14_grammar/notebook.hpp"
#include "chapters/16_json_schema/object_plan.hpp"
#include "chapters/16_json_schema/written_keys.hpp"

namespace tbt {

class ObjectMemory {
public:
    static constexpr int nowhere = -1;    // a text: not in a key that nobody names
    static constexpr int a_new_one = -2;  // one that does not stand there yet

    // members: a set of them was written. others: keys that nobody names. text: of such a key,
    // so far. brief: the text is kept only while it is the beginning of a key that stands there,
    // and behind a further key nothing is known.
    struct Note {
        int members, others, text;
        bool brief = false;
        bool operator==(const Note&) const = default;
    };

    ObjectMemory(const ObjectShape& shape, ObjectPlanner& planner);

    static constexpr int first_note = 1;
    const Note& note(int id) const { return notes_[static_cast<std::size_t>(id)]; }
    int note_of(const Note& note);
    // Behind a byte of a key that nobody names, and behind a member.
    int read(int note, std::uint8_t byte);
    int called(int note, int act);
    // As Notebook::keep_like.
    void keep_like(int note, int byte, int& low, int& high) const;

    // May this be the next member behind those?
    bool possible(int members, int act) const;
    bool complete(int members) const;
    bool gone(int members, int member) const {
        return members_[static_cast<std::size_t>(members)].gone[static_cast<std::size_t>(member)];
    }
    // These were written, or count as if they were; nothing else matters.
    int members_with(const std::vector<bool>& gone);
    int behind(int members, int act);
    const ObjectWay& rest(const Grammar& grammar, int members, bool some);
    // A place to keep the tokens of that, −1 at first.
    int& tokens(int members, bool some) {
        return members_[static_cast<std::size_t>(members)].tokens[some];
    }

    // Is the text the beginning of a key that stands there already? Is it one?
    bool risky(int others, int text) const { return text >= 0 && keys_.begins(others, text); }
    bool stands(int others, int text) const {
        return text != a_new_one && keys_.stands(others, std::max(text, 0));
    }
    // Others with the same keys that begin with the text.
    int of_those(int others, int text) const {
        return text < 0 ? others : keys_.of_those(others, text);
    }
    // The text with one more byte; nowhere: no key that stands there begins so.
    int known_behind(int text, std::uint8_t byte) const {
        return keys_.behind(std::max(text, 0), byte);
    }

    std::size_t memory() const;
    void forget();
    // The costs of rules have changed.
    void plan_anew();
    // Another vocabulary.
    void count_anew();

private:
    struct Members {
        std::vector<bool> gone;  // written, or passed over where members are in order
        Needs served = 0;
        int count = 0;      // as far as it matters
        int limit = 0;      // in order: members up to this one may come
        ObjectWay rest[2];  // what must still come; [1]: at least one
        bool known[2] = {false, false};
        int tokens[2] = {-1, -1};
        int alike = -1;  // others with the same hash
    };
    struct NoteHash {
        std::uint64_t operator()(const Note& n) const {
            const auto word = [](int a, int b) {
                return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 |
                       static_cast<std::uint32_t>(b);
            };
            return mixed(mixed(n.brief, word(n.members, n.others)), word(n.text, 0));
        }
    };
    int members_of(const std::vector<bool>& gone, Needs served, int count);

    const ObjectShape* shape_;
    ObjectPlanner* planner_;
    int named_;  // the first members, by the schema
    std::vector<Members> members_;
    WordMap members_index_;   // by their hashes, the last ones
    std::vector<bool> gone_;  // scratch
    WordMap behind_;          // by members and act
    std::vector<Note> notes_;
    FlatMap<Note, NoteHash> note_index_;
    WrittenKeys keys_;
};

}  // namespace tbt
