// Regular languages over code points, as deterministic finite automata (DFA). In this form
// languages can be intersected and subtracted, as JSON Schema often needs: a pattern and a length,
// or any key but these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/grammar/automata/expression.hpp"

namespace tbt {

struct Dfa {
    struct Edge {
        CodePointSet on;  // the edges of a state are disjoint
        int to;
        bool operator==(const Edge&) const = default;
    };
    struct State {
        std::vector<Edge> edges;  // a code point without an edge: the text is rejected
        bool accepting = false;
        bool operator==(const State&) const = default;
    };
    std::vector<State> states;  // the first is the start; no states: the empty language

    bool empty() const { return states.empty(); }
    // Equal states and edges. Automata that compare unequal may still accept the same language.
    bool operator==(const Dfa&) const = default;
    // The text must be UTF-8: throws UsageError otherwise.
    bool accepts(std::string_view text) const;

    // All texts; the texts of an expression without rules; exactly these texts (UTF-8). Throws
    // TooLarge if the automaton would need too many states or too much work.
    static Dfa anything();
    static Dfa of(const Expression& expression);
    static Dfa of(const std::vector<std::string>& texts);
};

// No automaton has more states.
inline constexpr int max_dfa_states = 20000;
// Drops states that lead to no accepting state, and the edges to them.
Dfa trimmed(Dfa dfa);

// Intersection, union, difference and complement. These throw TooLarge too.
Dfa operator&(const Dfa& a, const Dfa& b);
Dfa operator|(const Dfa& a, const Dfa& b);
Dfa operator-(const Dfa& a, const Dfa& b);
Dfa complement(const Dfa& a);

// An automaton that copies share, or nothing: all texts.
class SharedDfa {
public:
    SharedDfa() = default;
    SharedDfa(Dfa dfa) : dfa_(std::make_shared<const Dfa>(std::move(dfa))) {}
    explicit operator bool() const { return dfa_ != nullptr; }
    const Dfa& operator*() const { return *dfa_; }
    const Dfa* operator->() const { return dfa_.get(); }
    bool operator==(const SharedDfa& other) const {
        return dfa_ == other.dfa_ || (dfa_ && other.dfa_ && *dfa_ == *other.dfa_);
    }

private:
    std::shared_ptr<const Dfa> dfa_;
};

// ---- lengths of the texts, in characters (code points) ----

// The length of the shortest text; −1 if the language is empty.
long long shortest_length(const Dfa& dfa);
// The length of the longest text; −1 if lengths are unbounded or the language is empty.
long long longest_length(const Dfa& dfa);
// Is there a text of least to most characters? most −1: no upper limit.
bool has_length(const Dfa& dfa, long long least, long long most);

// The smallest n such that at least `texts` texts have at most n characters, all of them printable
// ASCII that JSON does not escape. −1 if there is no such n up to 1000.
int enough_characters(const Dfa& dfa, long long texts);

// A limit for the work of building automata. A few characters of an expression can ask for more
// than an hour of work; after some seconds building stops with a clear message.
class WorkLimit {
public:
    // who: what is built, for the message. The pointer must stay valid.
    explicit WorkLimit(const char* who) : who_(who) {}
    // Counts the parts of states that were just processed. Throws TooLarge above the limit.
    void spend(std::size_t parts);

    // While an object of this class lives, all automata built by its thread share one more limit.
    class Together {
    public:
        Together();
        ~Together();
        Together(const Together&) = delete;

    private:
        friend class WorkLimit;
        std::size_t spent_ = 0;
        Together* outer_;
    };

private:
    const char* who_;
    std::size_t spent_ = 0;
};

}  // namespace tbt
