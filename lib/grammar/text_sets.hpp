// Sets of texts, each made from another one by adding a text, for keys that may not come twice.
//
// Texts are a tree of bytes, and sets are a tree too: each is another set and one text more.
// A text knows the sets that added it, or a text that begins with it; it is in every set that is
// made from one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/grammar/flat_map.hpp"

namespace tbt {

class TextSets {
public:
    static constexpr int nowhere = -1;
    // The text "" and the empty set.
    static constexpr int empty = 0;

    TextSets() { forget(); }

    // A text with one more byte. find: nowhere, if that was never read.
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

    // Calls visit(byte, longer text) for each byte that was read after the text.
    template <class Visit>
    void each_next(int text, Visit&& visit) const {
        for (int t = at(texts_, text).longer; t >= 0; t = at(texts_, t).sibling)
            visit(at(texts_, t).byte, t);
    }

    // The set with that text as well.
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
    // Does a text of the set begin with this one?
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
        int before = nowhere, begun = nowhere, added = nowhere;  // begun, added: the last mark
        // The last one that is a byte longer, and the one before it that `before` knows.
        int longer = nowhere, sibling = nowhere;
        std::uint8_t byte = 0;  // the last
    };
    struct Set {
        int before, jump, size;  // jump: a set further back, so that far ones are near
    };
    struct Mark {
        int set, before;
    };
    template <class T>
    static T& at(std::vector<T>& all, int i) {
        return all[static_cast<std::size_t>(i)];
    }
    template <class T>
    static const T& at(const std::vector<T>& all, int i) {
        return all[static_cast<std::size_t>(i)];
    }
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
    // Is `older` the set, or one that it was made from?
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
