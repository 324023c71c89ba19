#include "lib/corpus/derivation.hpp"

#include <cmath>
#include <cstdlib>

#include "lib/core/index.hpp"
#include "lib/corpus/expansion.hpp"

namespace tbt {

using grammar::Choice;
using grammar::Kind;
using grammar::Node;
using grammar::Operand;

namespace {

constexpr int deepest = 200;             // the maximum depth of nested rules, as in the expansion
constexpr std::int64_t widest = 20'000;  // the maximum number of values that are tried one by one

}  // namespace

Derivation::Value Derivation::value_of(const Operand& o, int& unkept) const {
    Value value;
    value.constant = o.constant;
    if (o.slot < 0) return value;
    const int b = resolve(o.slot, unkept);
    if (unkept >= 0) return value;
    unkept = nothing_fits;
    if (b < 0) return value;
    const Binding& binding = bindings_[at(b)];
    value.id = binding.id;
    if (binding.kind == Binding::Kind::row && o.column_name >= 0) {
        value.kind = Value::Kind::cell;
        value.column =
            tree_.tables[at(rows_.table_of(binding.id))].column_of_name[at(o.column_name)];
        unkept = value.column < 0 ? nothing_fits : -1;
    } else if (binding.kind == Binding::Kind::number) {
        value.kind = Value::Kind::number;
        unkept = -1;
    } else if (binding.kind == Binding::Kind::text) {
        const Promise& p = promises_[at(binding.id)];
        if (!p.kept) unkept = binding.id;
        else if (grammar::read_whole(p.text, value.constant)) unkept = -1;
    }
    return value;
}

// {x=int a b}, {x=calc a + b} and {a..b of rule}
Derivation::Outcome Derivation::number(const Step& now, Here& here) {
    const Node& n = now.node;
    int unkept = -1;
    Number number;
    number.left = value_of(n.left, unkept);
    if (unkept == -1) number.right = value_of(n.right, unkept);
    if (unkept == nothing_fits) return Outcome::no;
    if (unkept >= 0) return keep_first(unkept, now, here);
    here.k = now.next;
    if (n.kind == Kind::repeat) {
        for (const Value* value : {&number.left, &number.right})
            if (!is_known(*value)) return ended(try_value(*value, {now.self, here.position}));
        Frame frame{Frame::Kind::repeat, now.next, now.depth};
        frame.node = &n;
        frame.least = known(number.left);
        frame.most = known(number.right);
        here.k = push(frame);
        return Outcome::on;
    }
    number.op = n.kind == Kind::calc ? n.op : '\0';
    numbers_.push_back(number);
    bind(n.slot, {Binding::Kind::number, count(numbers_) - 1});
    return Outcome::on;
}

Derivation::Outcome Derivation::print_number(int id, const Step& now, Here& here) {
    const Number& n = numbers_[at(id)];
    if (n.known) return read(std::to_string(n.value), now, here);
    const bool ranged = n.op == 0 && !silent_ &&
                        (n.left.kind != Value::Kind::number || is_known(n.left)) &&
                        (n.right.kind != Value::Kind::number || is_known(n.right));
    const std::size_t end = text_.find_first_not_of("-0123456789", here.position);
    if (ranged && (!prefix_ || end != std::string::npos)) return read_number(id, now, here);
    return ended(try_number(id, {now.self, here.position}));
}

// Tries the digits at this position of the text, first all, then fewer: "80" may be 8 and a 0 that
// belongs to the following text.
Derivation::Outcome Derivation::read_number(int id, const Step& now, Here here) {
    const bool negative = here.position < text_.size() && text_[here.position] == '-';
    const std::size_t first = here.position + (negative ? 1 : 0);
    std::size_t last = first;
    while (last < text_.size() && last - first < 12 && text_[last] >= '0' && text_[last] <= '9')
        ++last;
    for (std::size_t end = last; end > first; --end) {
        if (text_[first] == '0' && (end > first + 1 || negative)) continue;
        const std::int64_t value =
            std::atoll(text_.substr(here.position, end - here.position).c_str());
        const Mark before = mark();
        const Value left = numbers_[at(id)].left, right = numbers_[at(id)].right;
        if (within(left, value, true) && within(right, value, false)) {
            set_number(id, value);
            if (go({now.next, end})) return Outcome::yes;
        }
        undo(before);
    }
    return Outcome::no;
}

bool Derivation::is_known(const Value& v) const {
    if (v.kind == Value::Kind::number) return numbers_[at(v.id)].known;
    return v.kind != Value::Kind::cell || rows_.cells(v.id, v.column).size() == 1;
}

std::int64_t Derivation::known(const Value& v) const {
    if (v.kind == Value::Kind::constant) return v.constant;
    if (v.kind == Value::Kind::number) return numbers_[at(v.id)].value;
    std::int64_t value = 0;
    grammar::read_whole(tree_.strings[at(rows_.cells(v.id, v.column)[0])], value);
    return value;
}

bool Derivation::within(const Value& bound, std::int64_t number, bool lower) {
    const auto fits = [&](std::int64_t b) { return lower ? b <= number : number <= b; };
    if (bound.kind != Value::Kind::cell) return fits(known(bound));
    const auto& table = tree_.tables[at(rows_.table_of(bound.id))];
    return rows_.keep_if(bound.id, [&](std::size_t row) {
        std::int64_t b = 0;
        return grammar::read_whole(tree_.strings[at(table.rows[row][at(bound.column)])], b) &&
               fits(b);
    });
}

void Derivation::set_number(int id, std::int64_t value) {
    numbers_[at(id)].known = true;
    numbers_[at(id)].value = value;
    changes_.push_back({Change::What::number, id});
}

bool Derivation::try_value(const Value& v, Here here) {
    if (v.kind == Value::Kind::number) return try_number(v.id, here);
    for (const int text : rows_.cells(v.id, v.column)) {
        const Mark before = mark();
        if (rows_.keep_cell(v.id, v.column, text) && go(here)) return true;
        undo(before);
    }
    return false;
}

bool Derivation::try_number(int id, Here here) {
    const Number n = numbers_[at(id)];
    for (const Value* value : {&n.left, &n.right})
        if (!is_known(*value)) return try_value(*value, here);
    const std::int64_t a = known(n.left), b = known(n.right);
    if (n.op != 0) {
        if ((n.op == '/' || n.op == '%') && b == 0) return false;
        set_number(id, grammar::calculated(a, n.op, b));
        return go(here);
    }
    if (b - a > widest) throw TooLong();
    for (std::int64_t value = a; value <= b; ++value) {
        const Mark before = mark();
        set_number(id, value);
        if (go(here)) return true;
        undo(before);
    }
    return false;
}

bool Derivation::from(const grammar::Genre& genre) {
    Node start;
    start.kind = Kind::rule;
    start.index = genre.rule;
    Frame frame{Frame::Kind::node};
    frame.node = &start;
    return go({push(frame), 0});
}

bool Derivation::go(Here here) {
    for (;;) {
        if (++steps_ > max_steps_) throw TooLong();
        if (prefix_ && here.position == text_.size()) return finish();
        if (here.k < 0) return here.position == text_.size() && finish();
        const Frame frame = frames_[at(here.k)];
        Outcome outcome = Outcome::on;
        if (frame.kind == Frame::Kind::sequence) {
            if (frame.index == frame.sequence->size()) {
                here.k = frame.next;
                continue;
            }
            Frame rest = frame;
            ++rest.index;
            const int next = rest.index == frame.sequence->size() ? frame.next : push(rest);
            const Step now{(*frame.sequence)[frame.index], here.k, next, frame.depth};
            const bool plain = !now.node.capital && !now.node.article;
            outcome = plain ? step(now, here) : modified(now, here);
        } else if (frame.kind == Frame::Kind::node) {
            outcome = step({*frame.node, here.k, frame.next, frame.depth}, here);
        } else {
            outcome = end_of(frame, here);
        }
        if (outcome != Outcome::on) return outcome == Outcome::yes;
    }
}

Derivation::Outcome Derivation::step(const Step& now, Here& here) {
    const Node& n = now.node;
    switch (n.kind) {
        case Kind::text:
            return read(n.text, now, here);
        case Kind::choice:
            return alternatives(tree_.choices[at(n.index)], now, now.depth, here);
        case Kind::rule:
            return alternatives(tree_.rules[at(n.index)].choice, now, now.depth + 1, here);
        case Kind::keep:
            promise(n);
            here.k = now.next;
            return Outcome::on;
        case Kind::draw: {
            int unkept = -1;
            if (draw(n, unkept)) {
                here.k = now.next;
                return Outcome::on;
            }
            return unkept < 0 ? Outcome::no : keep_first(unkept, now, here);
        }
        case Kind::column:
        case Kind::indirect:
            return with_row(now, here);
        case Kind::variable:
            return variable(now, here);
        case Kind::guard:
        case Kind::change:
        case Kind::mention:
        case Kind::command:
            throw TooLong();  // a simulated world: texts cannot be recognised, only generated
        default:
            return number(now, here);
    }
}

// Expands a promise silently, and then comes back to this node.
Derivation::Outcome Derivation::keep_first(int promise, const Step& now, Here& here) {
    here.k = keep(promise, true, now.self, now.depth, here.position);
    return Outcome::on;
}

Derivation::Outcome Derivation::read(const std::string& literal, const Step& now, Here& here) {
    here.k = now.next;
    return write(literal, here.position) ? Outcome::on : Outcome::no;
}

Derivation::Outcome Derivation::alternatives(const Choice& choice, const Step& now, int depth,
                                             Here here) {
    if (depth > deepest) return Outcome::no;
    for (std::size_t i = 0; i < choice.pieces.size(); ++i) {
        const grammar::Sequence& piece = choice.pieces[i];
        if (choice.weights.of(i) == 0) continue;
        std::size_t ahead = here.position;
        if (!silent_ && !piece.empty() && piece[0].kind == Kind::text && capital_ == nowhere &&
            !matches(piece[0].text, ahead))
            continue;
        const Mark before = mark();
        bits_ += choice.weights.bits[i];
        Frame frame{Frame::Kind::sequence, now.next, depth};
        frame.sequence = &piece;
        if (go({push(frame), here.position})) return Outcome::yes;
        undo(before);
    }
    return Outcome::no;
}

// {%x} and {x^}: processes the node without its marks, with the effects of the marks before and
// after it.
Derivation::Outcome Derivation::modified(const Step& now, Here here) {
    Frame end{now.node.article ? Frame::Kind::article_end : Frame::Kind::capital_end, now.next};
    end.node = &now.node;
    end.silent = silent_;
    end.begin = silent_ ? sink_.size() : here.position;
    Frame node{Frame::Kind::node, -1, now.depth};
    node.node = &now.node;
    if (silent_ || !now.node.article) {
        if (!silent_) {
            end.saved = capital_;
            std::size_t first = here.position;
            while (first < text_.size() &&
                   (text_[first] == '"' || text_[first] == '\'' || text_[first] == '('))
                ++first;
            set_capital(first, lowered_);
        }
        node.next = push(end);
        return ended(go({push(node), here.position}));
    }
    for (const bool an : {false, true}) {
        const Mark before = mark();
        std::size_t position = here.position;
        const std::string article = std::string(now.node.capital ? "A" : "a") + (an ? "n " : " ");
        if (matches(article, position)) {
            end.id = an;
            end.begin = position;
            node.next = push(end);
            if (go({push(node), position})) return Outcome::yes;
        }
        undo(before);
    }
    return Outcome::no;
}

Derivation::Outcome Derivation::end_of(const Frame& frame, Here& here) {
    here.k = frame.next;
    if (frame.kind == Frame::Kind::repeat) return repeat(frame, here);
    if (frame.kind == Frame::Kind::promise_end) {
        end_promise(frame, here.position);
    } else if (frame.silent) {
        std::string sink = sink_;
        if (frame.node->article)
            sink.insert(frame.begin, grammar::takes_an(sink, frame.begin) ? "an " : "a ");
        if (frame.node->capital) grammar::capitalise(sink, frame.begin);
        set_sink(std::move(sink), true);
    } else if (frame.kind == Frame::Kind::capital_end) {
        set_capital(frame.saved, lowered_);
    } else {
        const std::string words = text_.substr(frame.begin, here.position - frame.begin);
        if (grammar::takes_an(words, 0) != (frame.id == 1)) return Outcome::no;
    }
    return Outcome::on;
}

Derivation::Outcome Derivation::repeat(const Frame& frame, Here here) {
    if (frame.times < frame.most) {
        const Mark before = mark();
        Here inside = here;
        Frame again = frame;
        ++again.times;
        if (frame.times == 0 || write(frame.node->text, inside.position)) {
            const int next = push(again);
            if (alternatives(tree_.rules[at(frame.node->index)].choice,
                             {*frame.node, -1, next, frame.depth}, frame.depth + 1,
                             inside) == Outcome::yes)
                return Outcome::yes;
        }
        undo(before);
    }
    if (frame.times < frame.least) return Outcome::no;
    bits_ += std::log2(static_cast<double>(frame.most - frame.least + 1));
    return ended(go(here));
}

// {x.col} and {>x.col}: tries each cell that the possible rows have.
Derivation::Outcome Derivation::with_row(const Step& now, Here& here) {
    const Node& n = now.node;
    int unkept = -1;
    const int b = resolve(n.slot, unkept);
    if (unkept >= 0) return keep_first(unkept, now, here);
    if (b < 0 || bindings_[at(b)].kind != Binding::Kind::row) return Outcome::no;
    const int row = bindings_[at(b)].id;
    const int column = tree_.tables[at(rows_.table_of(row))].column_of_name[at(n.column_name)];
    if (column < 0) return Outcome::no;
    for (const int text : rows_.cells(row, column)) {
        const Mark before = mark();
        Here there{now.next, here.position};
        if (n.kind == Kind::column) {
            if (write(tree_.strings[at(text)], there.position) &&
                rows_.keep_cell(row, column, text) && go(there))
                return Outcome::yes;
        } else if (const int rule = tree_.rule_of_string[at(text)];
                   rule >= 0 && rows_.keep_cell(row, column, text)) {
            if (alternatives(tree_.rules[at(rule)].choice, now, now.depth + 1, there) ==
                Outcome::yes)
                return Outcome::yes;
        }
        undo(before);
    }
    return Outcome::no;
}

// {x}
Derivation::Outcome Derivation::variable(const Step& now, Here& here) {
    int unkept = -1;
    const int b = resolve(now.node.slot, unkept);
    if (b < 0 && unkept < 0) return Outcome::no;
    if (unkept < 0 && bindings_[at(b)].kind == Binding::Kind::number)
        return print_number(bindings_[at(b)].id, now, here);
    if (unkept < 0 && bindings_[at(b)].kind != Binding::Kind::text) return Outcome::no;
    const int id = unkept >= 0 ? unkept : bindings_[at(b)].id;
    if (unkept >= 0 || (!promises_[at(id)].kept && silent_)) return keep_first(id, now, here);
    if (!promises_[at(id)].kept) {
        here.k = keep(id, false, now.next, now.depth, here.position);
        return Outcome::on;
    }
    return read(promises_[at(id)].text, now, here);
}

}  // namespace tbt
