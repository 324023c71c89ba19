#include "chapters/19_training/report/derivation_numbers.hpp"

#include <cstdlib>

#include "lib/core/index.hpp"

namespace tbt {

using grammar::Kind;
using grammar::Node;
using grammar::Operand;

namespace {

constexpr std::int64_t widest = 20'000;  // the maximum number of values that are tried one by one

// Reads the text of a cell as an integer. Returns false if it is none.
bool whole(const std::string& text, std::int64_t& value) {
    const bool negative = text.starts_with('-');
    const std::string digits = text.substr(negative ? 1 : 0);
    if (digits.empty() || digits.size() > 12 ||
        digits.find_first_not_of("0123456789") != std::string::npos)
        return false;
    value = std::atoll(text.c_str());
    return true;
}

}  // namespace

DerivationNumbers::Value DerivationNumbers::value_of(const Operand& o, int& unkept) const {
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
        else if (whole(p.text, value.constant)) unkept = -1;
    }
    return value;
}

// {x=int a b}, {x=calc a + b} and {a..b of rule}
DerivationNumbers::Outcome DerivationNumbers::number(const Step& now, Here& here) {
    const Node& n = now.node;
    int unkept = -1;
    Number number;
    number.left = value_of(n.left, unkept);
    if (unkept == -1) number.right = value_of(n.right, unkept);
    if (unkept == nothing_fits) return Outcome::no;
    if (unkept >= 0) {
        here.k = keep(unkept, true, now.self, now.depth, here.position);
        return Outcome::on;
    }
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

DerivationNumbers::Outcome DerivationNumbers::print_number(int id, const Step& now, Here& here) {
    const Number& n = numbers_[at(id)];
    if (n.known) {
        if (!write(std::to_string(n.value), here.position)) return Outcome::no;
        here.k = now.next;
        return Outcome::on;
    }
    const bool ranged = n.op == 0 && !silent_ &&
                        (n.left.kind != Value::Kind::number || is_known(n.left)) &&
                        (n.right.kind != Value::Kind::number || is_known(n.right));
    const std::size_t end = text_.find_first_not_of("-0123456789", here.position);
    if (ranged && (!prefix_ || end != std::string::npos)) return read_number(id, now, here);
    return ended(try_number(id, {now.self, here.position}));
}

// Tries the digits at this position of the text, first all, then fewer: "80" may be 8 and a 0 that
// belongs to the following text.
DerivationNumbers::Outcome DerivationNumbers::read_number(int id, const Step& now, Here here) {
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

bool DerivationNumbers::is_known(const Value& v) const {
    if (v.kind == Value::Kind::number) return numbers_[at(v.id)].known;
    return v.kind != Value::Kind::cell || rows_.cells(v.id, v.column).size() == 1;
}

std::int64_t DerivationNumbers::known(const Value& v) const {
    if (v.kind == Value::Kind::constant) return v.constant;
    if (v.kind == Value::Kind::number) return numbers_[at(v.id)].value;
    std::int64_t value = 0;
    whole(tree_.strings[at(rows_.cells(v.id, v.column)[0])], value);
    return value;
}

bool DerivationNumbers::within(const Value& bound, std::int64_t number, bool lower) {
    const auto fits = [&](std::int64_t b) { return lower ? b <= number : number <= b; };
    if (bound.kind != Value::Kind::cell) return fits(known(bound));
    const auto& table = tree_.tables[at(rows_.table_of(bound.id))];
    return rows_.keep_if(bound.id, [&](std::size_t row) {
        std::int64_t b = 0;
        return whole(tree_.strings[at(table.rows[row][at(bound.column)])], b) && fits(b);
    });
}

void DerivationNumbers::set_number(int id, std::int64_t value) {
    numbers_[at(id)].known = true;
    numbers_[at(id)].value = value;
    changes_.push_back({Change::What::number, id});
}

bool DerivationNumbers::try_value(const Value& v, Here here) {
    if (v.kind == Value::Kind::number) return try_number(v.id, here);
    for (const int text : rows_.cells(v.id, v.column)) {
        const Mark before = mark();
        if (rows_.keep_cell(v.id, v.column, text) && go(here)) return true;
        undo(before);
    }
    return false;
}

bool DerivationNumbers::try_number(int id, Here here) {
    const Number n = numbers_[at(id)];
    for (const Value* value : {&n.left, &n.right})
        if (!is_known(*value)) return try_value(*value, here);
    const std::int64_t a = known(n.left), b = known(n.right);
    if (n.op != 0) {
        if ((n.op == '/' || n.op == '%') && b == 0) return false;
        set_number(id, n.op == '+'   ? a + b
                       : n.op == '-' ? a - b
                       : n.op == '*' ? a * b
                       : n.op == '/' ? a / b
                                     : a % b);
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

}  // namespace tbt
