#include "lib/chat/jinja_evaluate.hpp"

#include <algorithm>

#include "lib/chat/jinja_filters.hpp"
#include "lib/chat/jinja_methods.hpp"
#include "lib/chat/jinja_operators.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt::jinja {

Evaluator::Evaluator(Scope variables, std::optional<std::int64_t> now) : now_(now) {
    scopes_.push_back(std::move(variables));
}

Evaluator::Deeper::Deeper(int& depth) : depth_(depth) {
    constexpr int deepest = 400;
    if (depth_ >= deepest) throw Error("is nested deeper than " + std::to_string(deepest));
    ++depth_;
}

const Value* Evaluator::find(std::string_view name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        budget_.spend(scope->size());
        for (const auto& [own, value] : *scope)
            if (own == name) return &value;
    }
    return nullptr;
}

void Evaluator::assign(const std::string& name, Value value) {
    for (auto& [own, held] : scopes_.back())
        if (own == name) return void(held = std::move(value));
    scopes_.back().emplace_back(name, std::move(value));
}

Value Evaluator::eval(const Expression& e) {
    const Deeper deeper(depth_);
    budget_.spend();
    switch (e.kind) {
        case Expression::literal:
            if (const MarkedText* text = e.value.text()) budget_.spend(text->text().size());
            return e.value;
        case Expression::variable:
            return variable(e.name);
        case Expression::list:
            return list_of(eval_all(e.parts, 0), e.name == "tuple");
        case Expression::dict:
            return dict(e);
        case Expression::unary:
            return unary(e);
        case Expression::binary:
            return binary(e);
        case Expression::conditional:
            if (is_true(eval(e.parts[1]))) return eval(e.parts[0]);
            return e.parts.size() > 2 ? eval(e.parts[2]) : Value();
        case Expression::attribute:
            return member(eval(e.parts[0]), e.name, budget_);
        case Expression::item:
            return item(eval(e.parts[0]), eval(e.parts[1]), budget_);
        case Expression::slice:
            return slice(eval(e.parts[0]), eval_all(e.parts, 1), budget_);
        case Expression::call:
            return call(e);
        case Expression::filter:
            return filtered(eval(e.parts[0]), e.name, arguments(e), budget_);
        case Expression::test:
            return passes(eval(e.parts[0]), e.name, arguments(e), budget_);
    }
    return {};
}

std::vector<Value> Evaluator::eval_all(const std::vector<Expression>& parts, std::size_t first) {
    std::vector<Value> values;
    for (std::size_t i = first; i < parts.size(); ++i) values.push_back(eval(parts[i]));
    return values;
}

Arguments Evaluator::arguments(const Expression& e) {
    Arguments a{eval_all(e.parts, 1), {}};
    const std::size_t unnamed = a.values.size() - e.names.size();
    for (std::size_t i = 0; i < e.names.size(); ++i)
        a.named.emplace_back(e.names[i], std::move(a.values[unnamed + i]));
    a.values.resize(unnamed);
    return a;
}

Value Evaluator::variable(const std::string& name) {
    const Value* value = find(name);
    if (value && value->text()) budget_.spend(value->text()->text().size());
    if (value) return *value;
    // A value in place of the function, for "strftime_now is defined".
    return name == "strftime_now" && now_ ? Value(true) : Value(Undefined{name});
}

Value Evaluator::dict(const Expression& e) {
    std::vector<std::pair<MarkedText, Value>> members;
    for (std::size_t i = 0; i < e.parts.size(); i += 2) {
        const Value key = eval(e.parts[i]);
        if (!key.text()) throw Error("a key is " + kind_of(key) + ", expected a text");
        const auto known = std::find_if(members.begin(), members.end(), [&](const auto& m) {
            return m.first.text() == key.text()->text();
        });
        budget_.spend(16 * members.size());
        if (known != members.end()) known->second = eval(e.parts[i + 1]);
        else members.emplace_back(*key.text(), eval(e.parts[i + 1]));
    }
    return object_of(std::move(members));
}

Value Evaluator::unary(const Expression& e) {
    const Value value = eval(e.parts[0]);
    if (e.name == "not") return !is_true(value);
    if (!is_number(value))
        throw Error("got " + kind_of(value) + " after a sign, expected a number");
    return combined(std::int64_t{0}, e.name, value, budget_);
}

Value Evaluator::binary(const Expression& e) {
    Value left = eval(e.parts[0]);
    if (e.name == "and") return is_true(left) ? eval(e.parts[1]) : left;
    if (e.name == "or") return is_true(left) ? left : eval(e.parts[1]);
    return combined(left, e.name, eval(e.parts[1]), budget_);
}

Value Evaluator::call(const Expression& e) {
    const Expression& callee = e.parts[0];
    if (callee.kind == Expression::attribute)
        return method(eval(callee.parts[0]), callee.name, arguments(e), budget_);
    if (callee.kind != Expression::variable) throw Error("only a name can be called");
    const Arguments given = arguments(e);
    if (std::optional<Value> written = call_macro(callee.name, given)) return *written;
    if (callee.name == "raise_exception")
        throw Error("the template refuses: " +
                    str(given.bound_to(callee.name, {"message"}, 1)[0], budget_).text());
    if (callee.name == "namespace" || callee.name == "dict") {
        if (!given.values.empty()) throw Error(callee.name + ": expected name=value");
        std::vector<std::pair<MarkedText, Value>> members;
        for (const auto& [name, value] : given.named) members.emplace_back(MarkedText(name), value);
        return object_of(std::move(members), callee.name == "namespace");
    }
    if (callee.name == "range") return range(given, budget_);
    if (callee.name == "strftime_now" && now_) return date(*now_, given);
    throw Error("the function " + callee.name +
                " is not supported, expected dict, namespace, raise_exception, range, "
                "strftime_now or a macro");
}

}  // namespace tbt::jinja
