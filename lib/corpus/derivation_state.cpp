// The state of a derivation: variables, promises, its position, its output; and how the search
// backtracks.
#include "lib/corpus/derivation.hpp"

#include <algorithm>

#include "lib/core/index.hpp"
#include "lib/corpus/expansion.hpp"

namespace tbt {

using grammar::Node;

Derivation::Derivation(const grammar::Tree& tree, const std::vector<std::vector<int>>& written,
                       const std::string& text, bool prefix, std::uint64_t max_steps)
    : rows_(tree),
      tree_(tree),
      written_(written),
      text_(text),
      prefix_(prefix),
      max_steps_(max_steps),
      variables_(tree.variables.size(), -1) {}

// The binding of a variable. It is −1 if there is none, or if a promise that is not expanded yet
// may set it; then `unkept` is that promise.
int Derivation::resolve(int slot, int& unkept) const {
    int b = variables_[at(slot)];
    while (b >= 0 && bindings_[at(b)].kind == Binding::Kind::promised) {
        const Promise& p = promises_[at(bindings_[at(b)].id)];
        if (!p.kept) {
            unkept = bindings_[at(b)].id;
            return -1;
        }
        const auto found = std::ranges::find(p.written, slot, &std::pair<int, int>::first);
        b = found != p.written.end() ? found->second : bindings_[at(b)].before;
    }
    return b;
}

void Derivation::bind(int slot, Binding binding) {
    bindings_.push_back(binding);
    changes_.push_back({Change::What::variable, slot, variables_[at(slot)]});
    variables_[at(slot)] = count(bindings_) - 1;
}

bool Derivation::draw(const Node& n, int& unkept) {
    const int variable = rows_.add(n);
    if (rows_.nothing(variable)) return false;
    for (const grammar::Condition& c : n.where) {
        if (c.test != grammar::Condition::Test::not_row && c.value >= 0) continue;
        const int other = resolve(c.slot, unkept);
        if (other < 0 || bindings_[at(other)].kind != Binding::Kind::row) return false;
        const int row = bindings_[at(other)].id;
        int column = 0;
        if (c.test != grammar::Condition::Test::not_row) {
            column = tree_.tables[at(rows_.table_of(row))].column_of_name[at(c.column_name)];
            if (column < 0) return false;
        }
        if (!rows_.relate(c.test, variable, c.column, row, column)) return false;
    }
    bind(n.slot, {Binding::Kind::row, variable});
    return true;
}

void Derivation::promise(const Node& n) {
    const int id = count(promises_);
    promises_.push_back({n.index, std::make_shared<const std::vector<int>>(variables_)});
    for (const int slot : written_[at(n.index)])
        bind(slot, {Binding::Kind::promised, id, variables_[at(slot)]});
    bind(n.slot, {Binding::Kind::text, id});
}

// Returns the frame at which to continue so that the promise is expanded before frame `next`.
int Derivation::keep(int id, bool silently, int next, int depth, std::size_t position) {
    const Promise& p = promises_[at(id)];
    Frame end{Frame::Kind::promise_end, next, depth};
    end.id = id;
    end.begin = position;
    end.silent = silent_;
    end.saved = saved_.size();
    end.saved_sink = saved_sinks_.size();
    saved_.push_back(std::move(variables_));
    changes_.push_back({Change::What::variables, 0, 0, end.saved});
    variables_ = *p.variables;
    if (silently) set_sink("", true);
    Frame first{Frame::Kind::sequence, push(end), depth + 1};
    first.sequence = &tree_.choices[at(p.choice)].pieces[0];
    return push(first);
}

void Derivation::end_promise(const Frame& frame, std::size_t position) {
    Promise& p = promises_[at(frame.id)];
    p.kept = true;
    if (silent_) {
        p.text = sink_;
    } else {
        p.text = text_.substr(frame.begin, position - frame.begin);
        // The text as in the grammar, without a capital letter that was required from outside.
        if (lowered_ != nowhere && lowered_ >= frame.begin && lowered_ < position) {
            const std::size_t i = lowered_ - frame.begin;
            const bool accented = p.text[i] == '\xc3';
            char& letter = p.text[accented ? i + 1 : i];
            letter = static_cast<char>(letter + 0x20);
        }
    }
    for (const int slot : written_[at(p.choice)])
        if (variables_[at(slot)] != (*p.variables)[at(slot)])
            p.written.emplace_back(slot, variables_[at(slot)]);
    changes_.push_back({Change::What::promise, frame.id});
    changes_.push_back({Change::What::variables, 0, 0, saved_.size()});
    saved_.push_back(std::move(variables_));
    variables_ = saved_[frame.saved];
    if (silent_) set_sink(saved_sinks_[frame.saved_sink], frame.silent);
}

void Derivation::set_sink(std::string sink, bool silent) {
    changes_.push_back({Change::What::sink, 0, 0, saved_sinks_.size(), 0, silent_});
    saved_sinks_.push_back(std::move(sink_));
    sink_ = std::move(sink);
    silent_ = silent;
}

void Derivation::set_capital(std::size_t capital, std::size_t lowered) {
    changes_.push_back({Change::What::capital, 0, 0, capital_, lowered_});
    capital_ = capital;
    lowered_ = lowered;
}

bool Derivation::write(const std::string& literal, std::size_t& position) {
    if (!silent_) return matches(literal, position);
    changes_.push_back({Change::What::append, 0, 0, sink_.size()});
    sink_ += literal;
    return true;
}

// Compares the literal with the text and moves `position` after it. If the text is a prefix, the
// literal may end after the text.
bool Derivation::matches(const std::string& literal, std::size_t& position) {
    if (capital_ < position || capital_ >= position + literal.size()) {
        const std::size_t left = std::min(literal.size(), text_.size() - position);
        if (text_.compare(position, left, literal, 0, left) != 0) return false;
        position += left;
        return left == literal.size() || prefix_;
    }
    for (std::size_t i = 0; i < literal.size(); ++i, ++position) {
        if (position == text_.size()) return prefix_;
        if (position != capital_) {
            if (text_[position] != literal[i]) return false;
            continue;
        }
        // The grammar's letter, capitalised, must be the letter in the text.
        std::string letter = literal.substr(i, 2);
        grammar::capitalise(letter, 0);
        const std::size_t length = letter[0] == '\xc3' ? letter.size() : 1;
        const std::size_t left = std::min(length, text_.size() - position);
        if (text_.compare(position, left, letter, 0, left) != 0) return false;
        if (left < length) {
            position += left;
            return prefix_;
        }
        if (letter.substr(0, length) != literal.substr(i, length)) set_capital(capital_, position);
        position += length - 1;
        i += length - 1;
    }
    return true;
}

int Derivation::push(Frame frame) {
    frames_.push_back(frame);
    return count(frames_) - 1;
}

Derivation::Mark Derivation::mark() const {
    return {rows_.mark(),        bindings_.size(), numbers_.size(),
            promises_.size(),    frames_.size(),   saved_.size(),
            saved_sinks_.size(), changes_.size(),  bits_};
}

void Derivation::undo(const Mark& mark) {
    for (; changes_.size() > mark.changes; changes_.pop_back()) {
        const Change& c = changes_.back();
        switch (c.what) {
            case Change::What::variable:
                variables_[at(c.index)] = c.before;
                break;
            case Change::What::variables:
                variables_ = std::move(saved_[c.a]);
                break;
            case Change::What::number:
                numbers_[at(c.index)].known = false;
                break;
            case Change::What::promise:
                promises_[at(c.index)].kept = false;
                promises_[at(c.index)].written.clear();
                break;
            case Change::What::capital:
                capital_ = c.a;
                lowered_ = c.b;
                break;
            case Change::What::sink:
                sink_ = std::move(saved_sinks_[c.a]);
                silent_ = c.silent;
                break;
            case Change::What::append:
                sink_.resize(c.a);
                break;
        }
    }
    rows_.undo(mark.rows);
    bindings_.resize(mark.bindings);
    numbers_.resize(mark.numbers);
    promises_.resize(mark.promises);
    frames_.resize(mark.frames, Frame{Frame::Kind::node});
    saved_.resize(mark.saved);
    saved_sinks_.resize(mark.sinks);
    bits_ = mark.bits;
}

}  // namespace tbt
