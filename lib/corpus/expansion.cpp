#include "lib/corpus/expansion.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "lib/core/index.hpp"
#include "lib/kernels/hash.hpp"

namespace tbt::grammar {

namespace {

constexpr int max_depth = 200;              // of nested rules
constexpr std::size_t max_bytes = 1 << 20;  // of one document
// Of successive sentences that begin with the pronoun; the next one begins with the name.
constexpr int max_pronouns = 3;

}  // namespace

bool takes_an(const std::string& text, std::size_t at) {
    std::string word;
    while (at < text.size() && word.size() < 8 && static_cast<unsigned char>(text[at]) > ' ')
        word += static_cast<char>(text[at] >= 'A' && text[at] <= 'Z' ? text[at] + 32 : text[at]),
            ++at;
    auto begins = [&](const char* s) { return word.rfind(s, 0) == 0; };
    for (const char* silent_h : {"hour", "honest", "honour", "honor", "heir"})
        if (begins(silent_h)) return true;
    for (const char* glide : {"uni", "use", "usu", "uto", "eu", "ewe", "once"})
        if (begins(glide) && !begins("unin") && !begins("unim")) return false;
    if (word == "one" || begins("one-")) return false;
    if (begins("8") || word == "11" || word == "18") return true;
    return !word.empty() && std::string("aeiou").find(word[0]) != std::string::npos;
}

void capitalise(std::string& text, std::size_t at) {
    while (at < text.size() && (text[at] == '"' || text[at] == '\'' || text[at] == '(')) ++at;
    if (at >= text.size()) return;
    if (text[at] >= 'a' && text[at] <= 'z') text[at] = static_cast<char>(text[at] - 32);
    else if (text[at] == '\xc3' && at + 1 < text.size() &&
             static_cast<unsigned char>(text[at + 1]) >= 0xa0)
        text[at + 1] = static_cast<char>(text[at + 1] - 0x20);
}

std::size_t Expansion::choose(const Weights& weights) {
    if (weights.cumulative.size() == 1) return 0;
    const std::uint32_t r = generator_.below(weights.total());
    const auto it = std::upper_bound(weights.cumulative.begin(), weights.cumulative.end(), r);
    const auto i = index(it - weights.cumulative.begin());
    bits_ += weights.bits[i];
    return i;
}

template <class Fits>
std::optional<std::size_t> Expansion::choose_among(const Weights& weights, Fits fits) {
    fitting_.clear();
    std::uint32_t total = 0;
    for (std::size_t i = 0; i < weights.cumulative.size(); ++i)
        if (fits(i)) fitting_.emplace_back(i, total += weights.of(i));
    if (total == 0) return std::nullopt;
    const std::uint32_t r = generator_.below(total);
    const auto at = std::ranges::find_if(fitting_, [r](const auto& one) { return one.second > r; });
    bits_ += std::log2(static_cast<double>(total) / weights.of(at->first));
    return at->first;
}

std::size_t Expansion::weighted(const std::vector<std::uint32_t>& weights) {
    const std::uint32_t total = std::accumulate(weights.begin(), weights.end(), 0u);
    std::uint32_t r = generator_.below(total);
    std::size_t i = 0;
    while (r >= weights[i]) r -= weights[i++];
    bits_ += std::log2(static_cast<double>(total) / weights[i]);
    return i;
}

Document Expansion::document(int genre) {
    const Genre& g = tree_.genres[index(genre)];
    rule(g.rule, tree_.rules[index(g.rule)].place);
    const bool held = held_out(g);
    return {std::move(out_), genre, bits_, held};
}

void Expansion::rule(int index, Place place) {
    const Rule& r = tree_.rules[static_cast<std::size_t>(index)];
    if (++depth_ > max_depth)
        fail(place,
             "rule '" + r.name + "' goes on without an end (more than 200 rules within rules)");
    sequence(r.choice.pieces[choose_fitting(r.choice, place)]);
    --depth_;
    if (out_.size() > max_bytes)
        fail(place, "rule '" + r.name + "' makes a document of more than 1 MiB");
}

void Expansion::sequence(const Sequence& nodes) {
    for (const Node& n : nodes) {
        if (!n.capital && !n.article) {
            node(n);
            continue;
        }
        const std::size_t at = out_.size();
        node(n);
        if (n.article) out_.insert(at, takes_an(out_, at) ? "an " : "a ");
        if (n.capital) capitalise(out_, at);
    }
}

void Expansion::node(const Node& n) {
    switch (n.kind) {
        case Kind::text:
            out_ += n.text;
            break;
        case Kind::choice: {
            const Choice& c = tree_.choices[index(n.index)];
            sequence(c.pieces[choose_fitting(c, n.place)]);
            break;
        }
        case Kind::rule:
            rule(n.index, n.place);
            break;
        case Kind::draw:
            draw(n);
            break;
        case Kind::column:
            column(n);
            break;
        case Kind::indirect:
            indirect(n);
            break;
        case Kind::keep:
            keep(n);
            break;
        case Kind::variable:
            print(n);
            break;
        case Kind::integer:
            integer(n);
            break;
        case Kind::calc:
            set_number(n.slot, calculate(n));
            break;
        case Kind::repeat:
            repeat(n);
            break;
        case Kind::guard:
            break;  // already tested when this alternative was chosen
        case Kind::change:
            change(n);
            break;
        case Kind::mention:
            mention(n);
            break;
        case Kind::command:
            telling_->run(tree_.commands[index(n.index)], out_);
            break;
    }
}

const std::string& Expansion::text_of(int string) const { return tree_.strings[index(string)]; }

int Expansion::cell(int slot, int column_name, Place place) const {
    const Value& v = values_[index(slot)];
    if (v.kind != Value::Kind::row)
        fail(place, "'" + variable_name(slot) + "' " +
                        (v.kind == Value::Kind::none ? "has not been drawn yet"
                                                     : "is not a row, so it has no columns"));
    const Table& table = tree_.tables[index(v.table)];
    const int column = table.column_of_name[index(column_name)];
    if (column < 0)
        fail(place, "'" + variable_name(slot) + "' is a row of table '" + table.name +
                        "', which has no column '" + tree_.column_names[index(column_name)] + "'");
    return table.rows[v.row][index(column)];
}

void Expansion::indirect(const Node& n) {
    const int string = cell(n.slot, n.column_name, n.place);
    const int index = tree_.rule_of_string[static_cast<std::size_t>(string)];
    if (index < 0) fail(n.place, "no rule named '" + text_of(string) + "'");
    rule(index, n.place);
}

void Expansion::keep(const Node& n) {
    std::string outside;
    std::swap(outside, out_);
    sequence(tree_.choices[index(n.index)].pieces[0]);
    std::swap(outside, out_);
    Value& v = values_[index(n.slot)];
    v.kind = Value::Kind::text;
    v.text = std::move(outside);
}

void Expansion::print(const Node& n) {
    const Value& v = values_[index(n.slot)];
    if (v.kind == Value::Kind::text) out_ += v.text;
    else if (v.kind == Value::Kind::number) out_ += std::to_string(v.number);
    else
        fail(n.place, "'" + variable_name(n.slot) + "' " +
                          (v.kind == Value::Kind::none ? "has no value yet"
                                                       : "is a row; print a column, as in {" +
                                                             variable_name(n.slot) + ".name}"));
}

bool Expansion::fits(const Node& n, const Table& table, std::size_t row) const {
    for (const Condition& c : n.where) {
        if (c.test == Condition::Test::not_row) {
            const Value& v = values_[index(c.slot)];
            if (v.kind != Value::Kind::row)
                fail(n.place, "'" + variable_name(c.slot) + "' has not been drawn yet");
            if (v.table == n.index && v.row == row) return false;
            continue;
        }
        const int here = table.rows[row][index(c.column)];
        const bool equal = c.value >= 0 ? here == c.value
                                        : text_of(here) == text_at(c.slot, c.column_name, n.place);
        if (equal != (c.test == Condition::Test::equal)) return false;
    }
    return true;
}

void Expansion::draw(const Node& n) {
    const Table& table = tree_.tables[index(n.index)];
    const std::size_t row = n.where.empty() ? choose(table.weights) : draw_where(n, table);
    Value& v = values_[index(n.slot)];
    v.kind = Value::Kind::row;
    v.table = n.index;
    v.row = row;
    v.changed.clear();
    forget(n.slot);
}

std::size_t Expansion::draw_where(const Node& n, const Table& table) {
    const auto row = choose_among(table.weights, [&](std::size_t i) { return fits(n, table, i); });
    if (!row) fail(n.place, "no row of table '" + table.name + "' fits" + conditions(n, table));
    return *row;
}

std::string Expansion::conditions(const Node& n, const Table& table) const {
    std::string result;
    for (const Condition& c : n.where) {
        result += result.empty() ? " " : " and ";
        if (c.test == Condition::Test::not_row) {
            result += "not " + variable_name(c.slot);
            continue;
        }
        result += table.columns[index(c.column)] + (c.test == Condition::Test::equal ? "=" : "!=") +
                  "'" +
                  (c.value >= 0 ? text_of(c.value) : text_at(c.slot, c.column_name, n.place)) + "'";
    }
    return result;
}

std::int64_t Expansion::value_of(const Operand& o, Place place) const {
    if (o.slot < 0) return o.constant;
    if (o.column_name >= 0) return number(text_at(o.slot, o.column_name, place), place);
    const Value& v = values_[index(o.slot)];
    if (v.kind == Value::Kind::number) return v.number;
    if (v.kind == Value::Kind::text) return number(v.text, place);
    fail(place, "'" + variable_name(o.slot) + "' is not a number");
}

std::int64_t Expansion::number(const std::string& text, Place place) const {
    std::int64_t result = 0;
    if (!read_whole(text, result)) fail(place, "'" + text + "' is not a whole number");
    return result;
}

void Expansion::set_number(int slot, std::int64_t number) {
    Value& v = values_[index(slot)];
    v.kind = Value::Kind::number;
    v.number = number;
}

std::int64_t Expansion::calculate(const Node& n) const {
    const std::int64_t a = value_of(n.left, n.place), b = value_of(n.right, n.place);
    constexpr std::int64_t large = 1'000'000'000'000;
    if (std::max(std::abs(a), std::abs(b)) > large ||
        (n.op == '*' && a != 0 && std::abs(b) > large / std::abs(a)))
        fail(n.place, "a number above 1000000000000");
    if (b == 0 && (n.op == '/' || n.op == '%')) fail(n.place, "division by zero");
    return calculated(a, n.op, b);
}

std::int64_t Expansion::uniform(std::int64_t low, std::int64_t high, Place place) {
    if (low > high || high - low >= 0xffffffff)
        fail(place, "cannot draw a whole number from " + std::to_string(low) + " to " +
                        std::to_string(high));
    const auto n = static_cast<std::uint32_t>(high - low + 1);
    bits_ += std::log2(static_cast<double>(n));
    return low + (n == 1 ? 0 : generator_.below(n));
}

void Expansion::integer(const Node& n) {
    const std::int64_t low = value_of(n.left, n.place), high = value_of(n.right, n.place);
    set_number(n.slot, uniform(low, high, n.place));
}

void Expansion::repeat(const Node& n) {
    const std::int64_t times =
        uniform(value_of(n.left, n.place), value_of(n.right, n.place), n.place);
    for (std::int64_t i = 0; i < times; ++i) {
        if (i > 0) out_ += n.text;
        rule(n.index, n.place);
    }
}

bool Expansion::held_out(const Genre& genre) const {
    const std::string told = telling_ ? telling_->key() : "";
    if (genre.hold.empty() && told.empty()) return false;
    const Rule& r = tree_.rules[index(genre.rule)];
    Hash hash;
    hash.add(r.name);
    if (genre.hold.empty()) hash.add("|").add(told);
    for (std::size_t i = 0; i < genre.hold.size(); ++i) {
        const auto& [slot, column] = genre.hold[i];
        const Value& v = values_[index(slot)];
        std::string text;
        if (v.kind == Value::Kind::row && column >= 0) text = text_at(slot, column, r.place);
        else if (v.kind == Value::Kind::text && column < 0) text = v.text;
        else if (v.kind == Value::Kind::number && column < 0) text = std::to_string(v.number);
        else
            fail(r.place, "genre '" + r.name + "' holds '" + genre.hold_names[i] +
                              "', but a document of it ended without that value: \"" +
                              out_.substr(0, 60) + "...\"");
        hash.add("|").add(text);
    }
    return mix(hash.value()) % 32 == 0;
}

// ---- the simulated world ------------------------------------------------------------------------

const std::string& Expansion::text_at(int slot, int column_name, Place place) const {
    for (const auto& [name, text] : values_[index(slot)].changed)
        if (name == column_name) return text;
    return text_of(cell(slot, column_name, place));
}

bool Expansion::holds(const Node& guard) const {
    for (const Condition& c : guard.where) {
        const Value& v = values_[index(c.subject)];
        std::string left;  // empty if the variable has no value yet
        if (c.column >= 0 && v.kind != Value::Kind::none)
            left = text_at(c.subject, c.column, guard.place);
        else if (v.kind == Value::Kind::number) left = std::to_string(v.number);
        else left = v.text;
        const std::string& right =
            c.value >= 0 ? text_of(c.value) : text_at(c.slot, c.column_name, guard.place);
        if ((left == right) != (c.test == Condition::Test::equal)) return false;
    }
    return true;
}

std::size_t Expansion::choose_fitting(const Choice& choice, Place place) {
    if (!choice.guarded) return choose(choice.weights);
    const auto piece = choose_among(choice.weights, [&](std::size_t i) {
        const Sequence& nodes = choice.pieces[i];
        return nodes.empty() || nodes[0].kind != Kind::guard || holds(nodes[0]);
    });
    if (!piece) fail(place, "no alternative fits the world as it is");
    return *piece;
}

void Expansion::change(const Node& n) {
    cell(n.slot, n.column_name, n.place);  // throws if there is no such column
    std::string text;
    std::swap(text, out_);
    sequence(tree_.choices[index(n.index)].pieces[0]);
    std::swap(text, out_);
    auto& changed = values_[index(n.slot)].changed;
    const auto at = std::ranges::find(changed, n.column_name, &std::pair<int, std::string>::first);
    if (at == changed.end()) changed.emplace_back(n.column_name, std::move(text));
    else at->second = std::move(text);
}

void Expansion::column(const Node& n) {
    out_ += text_at(n.slot, n.column_name, n.place);
    const Table& table = tree_.tables[index(values_[index(n.slot)].table)];
    if (n.column_name != tree_.name_column || tree_.he_column < 0) return;
    if (table.column_of_name[index(tree_.he_column)] >= 0)
        mentioned(n.slot, text_at(n.slot, tree_.he_column, n.place));
}

// From now on the pronoun refers to this variable.
void Expansion::mentioned(int slot, const std::string& pronoun) {
    const auto at = std::ranges::find(mentioned_, pronoun, &Mentioned::pronoun);
    if (at == mentioned_.end()) mentioned_.push_back({pronoun, slot, 0});
    else *at = {pronoun, slot, 0};
}

void Expansion::forget(int slot) {
    std::erase_if(mentioned_, [slot](const Mentioned& m) { return m.slot == slot; });
}

void Expansion::mention(const Node& n) {
    const std::string pronoun = text_at(n.slot, tree_.he_column, n.place);
    const auto at = std::ranges::find(mentioned_, pronoun, &Mentioned::pronoun);
    const bool clear = at != mentioned_.end() && at->slot == n.slot;
    const bool subject = n.column_name == tree_.he_column;
    if (clear && !(n.capital && subject && at->in_a_row >= max_pronouns)) {
        at->in_a_row += n.capital && subject ? 1 : 0;
        out_ += text_at(n.slot, n.column_name, n.place);
        return;
    }
    const std::string& name = text_at(n.slot, tree_.name_column, n.place);
    out_ += name;
    if (tree_.column_names[index(n.column_name)] == "his") out_ += name.ends_with('s') ? "'" : "'s";
    mentioned(n.slot, pronoun);
}

}  // namespace tbt::grammar
