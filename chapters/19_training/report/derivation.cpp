#include "chapters/19_training/report/derivation.hpp"

#include <cmath>

#include "chapters/19_training/corpus/corpus_wording.hpp"

namespace tbt {

using grammar::Choice;
using grammar::Kind;
using grammar::Node;

namespace {

constexpr int deepest = 200;  // the maximum depth of nested rules, as in the expansion

}  // namespace

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
            if (!write(n.text, here.position)) return Outcome::no;
            here.k = now.next;
            return Outcome::on;
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
            if (unkept < 0) return Outcome::no;
            here.k = keep(unkept, true, now.self, now.depth, here.position);
            return Outcome::on;
        }
        case Kind::column:
        case Kind::indirect:
            return with_row(now, here);
        case Kind::variable:
            return variable(now, here);
        case Kind::guard:
        case Kind::change:
        case Kind::mention:
            throw TooLong();  // a simulated world: texts cannot be recognised, only generated
        default:
            return number(now, here);
    }
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
    if (unkept >= 0) {
        here.k = keep(unkept, true, now.self, now.depth, here.position);
        return Outcome::on;
    }
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
    if (unkept >= 0 || (!promises_[at(id)].kept && silent_)) {
        here.k = keep(id, true, now.self, now.depth, here.position);
    } else if (!promises_[at(id)].kept) {
        here.k = keep(id, false, now.next, now.depth, here.position);
    } else {
        if (!write(promises_[at(id)].text, here.position)) return Outcome::no;
        here.k = now.next;
    }
    return Outcome::on;
}

}  // namespace tbt
