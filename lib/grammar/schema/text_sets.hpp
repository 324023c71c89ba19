// Sets of texts, for keys that may not come twice in an object. Each set is made from an earlier
// set by adding one text. Texts and sets are numbers.
//
// Texts form a tree of bytes (a trie). Sets form a tree too: the parent of a set lacks one text.
// Each text has a list of the sets that added it, and of those that added a text beginning with
// it. A set contains a text if the set, or one of its ancestors, added it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/containers.hpp"

namespace tbt {

class TextSets {
public:
    static constexpr int nowhere = -1;
    // The number of the text "", and of the empty set.
    static constexpr int empty = 0;

    TextSets() { forget(); }

    // The text with one more byte. read() adds it if it is new; find() returns nowhere instead.
    int read(int text, std::uint8_t byte) {
        const int fresh = static_cast<int>(texts_.size());
        const int found = text_index_.find_or_add(word(text, byte), fresh);
        if (found != fresh) return found;
        const int sibling = at(texts_, text).longer;
        texts_.push_back({text, nowhere, nowhere, nowhere, sibling, byte});
        at(texts_, text).longer = fresh;
        return fresh;
    }
    int find(int text, std::uint8_t byte) const { return text_index_.find(word(text, byte)); }

    // Calls visit(byte, longer text) for each byte that was ever read after this text.
    template <class Visit>
    void each_next(int text, Visit&& visit) const {
        for (int t = at(texts_, text).longer; t >= 0; t = at(texts_, t).sibling)
            visit(at(texts_, t).byte, t);
    }

    // The set that has this text too.
    int add(int set, int text) {
        const int fresh = static_cast<int>(sets_.size());
        const int found = set_index_.find_or_add(word(set, text), fresh);
        if (found != fresh) return found;
        const Set& before = at(sets_, set);
        const Set& far = at(sets_, before.jump);
        const bool twice = before.size - far.size == far.size - at(sets_, far.jump).size;
        sets_.push_back({set, twice ? far.jump : set, before.size + 1});
        for (int t = text; t >= 0 && !has_prefix(fresh, t); t = at(texts_, t).before)
            mark(at(texts_, t).begun, fresh);
        mark(at(texts_, text).added, fresh);
        return fresh;
    }
    bool contains(int set, int text) const { return marked(at(texts_, text).added, set); }
    // Does any text of the set begin with this text?
    bool has_prefix(int set, int text) const { return marked(at(texts_, text).begun, set); }

    std::size_t memory() const {
        return texts_.capacity() * sizeof(Text) + sets_.capacity() * sizeof(Set) +
               marks_.capacity() * sizeof(Mark) + text_index_.memory() + set_index_.memory();
    }
    void forget() {
        texts_.assign(1, {});
        sets_.assign(1, {empty, empty, 0});
        marks_.clear(), text_index_.clear(), set_index_.clear();
    }

private:
    struct Text {
        // before: the text without its last byte. begun, added: the newest mark of a set that
        // added a text beginning with this text, and of a set that added this text.
        int before = nowhere, begun = nowhere, added = nowhere;
        // The newest text that is one byte longer; the next older text with the same `before`.
        int longer = nowhere, sibling = nowhere;
        std::uint8_t byte = 0;  // the last byte of this text
    };
    struct Set {
        // before: the set without its last text; jump: a distant ancestor (a skip pointer).
        int before, jump, size;
    };
    struct Mark {  // an entry in a linked list of sets
        int set, before;
    };
    static std::uint64_t word(int a, int b) {
        return std::uint64_t{static_cast<std::uint32_t>(a)} << 32 | static_cast<std::uint32_t>(b);
    }
    void mark(int& last, int set) {
        marks_.push_back({set, last});
        last = static_cast<int>(marks_.size()) - 1;
    }
    bool marked(int last, int set) const {
        for (; last >= 0; last = at(marks_, last).before)
            if (made_from(set, at(marks_, last).set)) return true;
        return false;
    }
    // Is `older` this set or one of its ancestors? Follows skip pointers where it can.
    bool made_from(int set, int older) const {
        const int size = at(sets_, older).size;
        while (at(sets_, set).size > size) {
            const Set& s = at(sets_, set);
            set = at(sets_, s.jump).size >= size ? s.jump : s.before;
        }
        return set == older;
    }

    std::vector<Text> texts_;
    std::vector<Set> sets_;
    std::vector<Mark> marks_;
    WordMap text_index_, set_index_;
};

}  // namespace tbt
