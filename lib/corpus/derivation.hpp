// Searches for an expansion of the grammar that gives a text. It walks the grammar's tree like
// expansion.hpp, but where the expansion draws, the search tries all possibilities that fit
// the text.
//
//     {p=person}        p may be any row (rows.hpp); nothing is tried
//     {p.name}          tries each name that is at this position of the text
//     {x=int 1 9}       x may be any of these; {x} reads it from the text
//     {a|b}             tries a, then b
//     {s:=rule}         a promise: the rule is expanded only when {s} reads it from the text, or
//                       earlier if a variable is needed that the rule may draw
//
// Alternatives are tried depth first. A list of changes allows backtracking. The remaining work is
// a list of frames (a continuation), so that the end of a rule knows what follows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/corpus/rows.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt {

// The slots that a kept rule may write to, for each choice of the tree.
std::vector<std::vector<int>> written_slots(const grammar::Tree& tree);

class Derivation {
public:
    struct TooLong {};  // thrown after too many steps, or if a number has too many values

    Derivation(const grammar::Tree& tree, const std::vector<std::vector<int>>& written,
               const std::string& text, bool prefix, std::uint64_t max_steps);
    virtual ~Derivation() = default;

    // Can the genre write the text (or, for a prefix, a text that begins with it)?
    bool from(const grammar::Genre& genre);

protected:
    // The state of a variable.
    struct Binding {
        enum class Kind { none, row, number, text, promised } kind = Kind::none;
        int id = -1;      // of the row variable, number, or promise
        int before = -1;  // promised: the binding that remains if the promise does not set it
    };
    // A constant, or a reference to a number or a cell.
    struct Value {
        enum class Kind { constant, number, cell } kind = Kind::constant;
        std::int64_t constant = 0;
        int id = -1, column = -1;
    };
    struct Number {
        bool known = false;
        std::int64_t value = 0;
        char op = 0;  // 0: between left and right; else left op right
        Value left, right;
    };
    struct Promise {
        int choice = -1;
        std::shared_ptr<const std::vector<int>> variables;  // when it was made
        bool kept = false;
        std::string text = {};
        std::vector<std::pair<int, int>> written = {};  // (slot, binding)
    };
    // A part of the remaining work: the rest of a sequence, one node without its % and ^, or the
    // work at the end of a node, of a kept rule or of a repetition.
    struct Frame {
        enum class Kind { sequence, node, capital_end, article_end, promise_end, repeat } kind;
        int next = -1;
        int depth = 0;  // rules within rules
        const grammar::Sequence* sequence = nullptr;
        const grammar::Node* node = nullptr;
        std::size_t index = 0;  // into the sequence
        // Where the node began (in the text, or in the sink), and the state to restore.
        std::size_t begin = 0, saved = 0, saved_sink = 0;
        int id = -1;  // article_end: 1 for "an"; promise_end: which
        std::int64_t times = 0, least = 0, most = 0;
        bool silent = false;
    };
    struct Change {
        enum class What { variable, variables, number, promise, capital, sink, append } what;
        int index = 0, before = 0;
        std::size_t a = 0, b = 0;
        bool silent = false;
    };
    struct Mark {
        Rows::Mark rows;
        std::size_t bindings, numbers, promises, frames, saved, sinks, changes;
        double bits;
    };
    enum class Outcome { on, yes, no };  // continue, or the result of the search from here
    // Where the search is: the next frame and the byte of the text.
    struct Here {
        int k = -1;
        std::size_t position = 0;
    };
    // The node being processed, its own frame (to return to it), and the frame after it.
    struct Step {
        const grammar::Node& node;
        int self, next, depth;
    };

    // Called when a derivation is complete. True ends the search; false continues with the next
    // one.
    virtual bool finish() { return rows_.satisfiable(); }

    Rows rows_;
    std::vector<Number> numbers_;
    std::vector<Frame> frames_;
    double bits_ = 0;  // −log2 P of the alternatives and repetitions so far
    std::uint64_t steps_ = 0;

private:
    static std::size_t at(int i) { return index(i); }
    static constexpr std::size_t nowhere = index(-1);
    static constexpr int nothing_fits = -2;

    static Outcome ended(bool found) { return found ? Outcome::yes : Outcome::no; }

    // Continues the search; returns true if it found the text.
    bool go(Here here);
    Outcome step(const Step& step, Here& here);
    Outcome keep_first(int promise, const Step& step, Here& here);
    Outcome read(const std::string& literal, const Step& step, Here& here);
    Outcome end_of(const Frame& frame, Here& here);
    Outcome alternatives(const grammar::Choice& choice, const Step& step, int depth, Here here);
    Outcome modified(const Step& step, Here here);
    Outcome repeat(const Frame& frame, Here here);
    Outcome with_row(const Step& step, Here& here);
    Outcome variable(const Step& step, Here& here);

    // Numbers: x in {x=int 1 9} may be any of these until the text contains it or a calculation
    // needs it.
    // {x=int a b}, {x=calc a + b}, {a..b of rule}; and {x} where x is a number.
    Outcome number(const Step& step, Here& here);
    Outcome print_number(int id, const Step& step, Here& here);
    Outcome read_number(int id, const Step& step, Here here);

    // try_… continue at `here` once for each value that the number may have.
    bool try_value(const Value& value, Here here);
    bool try_number(int id, Here here);
    bool is_known(const Value& value) const;
    std::int64_t known(const Value& value) const;
    // The value of an operand. `unkept` is set to a promise that must be expanded first, or to
    // nothing_fits.
    Value value_of(const grammar::Operand& operand, int& unkept) const;
    bool within(const Value& bound, std::int64_t number, bool lower);
    void set_number(int id, std::int64_t value);

    // ---- the state of the search, and the list of changes with which it backtracks
    // Output is compared with the text, or written to the sink.
    bool write(const std::string& literal, std::size_t& position);
    bool matches(const std::string& literal, std::size_t& position);
    void set_capital(std::size_t capital, std::size_t lowered);
    void set_sink(std::string sink, bool silent);

    // Variables.
    int resolve(int slot, int& unkept) const;
    bool draw(const grammar::Node& n, int& unkept);
    void bind(int slot, Binding binding);
    void promise(const grammar::Node& n);
    int keep(int id, bool silently, int next, int depth, std::size_t position);
    void end_promise(const Frame& frame, std::size_t position);

    int push(Frame frame);
    Mark mark() const;
    void undo(const Mark& mark);

    const grammar::Tree& tree_;
    const std::vector<std::vector<int>>& written_;
    const std::string& text_;
    bool prefix_;
    std::uint64_t max_steps_;

    std::vector<int> variables_;  // slot → binding
    std::vector<Binding> bindings_;
    std::vector<Promise> promises_;
    std::vector<std::vector<int>> saved_;  // the variables outside of a promise
    std::vector<std::string> saved_sinks_;
    std::vector<Change> changes_;
    // The byte of the text that must be a capital letter even if the grammar has a small one, and
    // the last such byte for which the grammar has a small letter.
    std::size_t capital_ = nowhere, lowered_ = nowhere;
    bool silent_ = false;  // output goes to the sink
    std::string sink_;
};

}  // namespace tbt
