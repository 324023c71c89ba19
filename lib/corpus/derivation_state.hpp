// The state of a derivation (derivation.hpp): variables, promises, its position, its output; and
// the list of changes with which it backtracks.
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

class DerivationState {
protected:
    DerivationState(const grammar::Tree& tree, const std::vector<std::vector<int>>& written,
                    const std::string& text, bool prefix);

    // The state of a variable.
    struct Binding {
        enum class Kind { none, row, number, text, promised } kind = Kind::none;
        int id = -1;      // of the row variable, number, or promise
        int before = -1;  // promised: the binding that remains if the promise does not set it
    };
    // A constant, or a reference to a number, a cell or a text.
    struct Value {
        enum class Kind { constant, number, cell, text } kind = Kind::constant;
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

    static std::size_t at(int i) { return index(i); }
    static constexpr std::size_t nowhere = index(-1);
    static constexpr int nothing_fits = -2;

    static Outcome ended(bool found) { return found ? Outcome::yes : Outcome::no; }

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

    Rows rows_;
    std::vector<int> variables_;  // slot → binding
    std::vector<Binding> bindings_;
    std::vector<Number> numbers_;
    std::vector<Promise> promises_;
    std::vector<Frame> frames_;
    std::vector<std::vector<int>> saved_;  // the variables outside of a promise
    std::vector<std::string> saved_sinks_;
    std::vector<Change> changes_;
    // The byte of the text that must be a capital letter even if the grammar has a small one, and
    // the last such byte for which the grammar has a small letter.
    std::size_t capital_ = nowhere, lowered_ = nowhere;
    bool silent_ = false;  // output goes to the sink
    double bits_ = 0;      // −log2 P of the alternatives and repetitions so far
    std::string sink_;
};

}  // namespace tbt
