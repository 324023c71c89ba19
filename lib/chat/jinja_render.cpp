#include "lib/chat/jinja_parse.hpp"

#include <algorithm>

#include "lib/chat/jinja_functions.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt::jinja {

namespace {

constexpr std::size_t max_output_bytes = std::size_t{1} << 26;

class Renderer {
public:
    Renderer(std::vector<std::pair<std::string, Value>> variables, std::optional<std::int64_t> now)
        : now_(now) {
        scopes_.push_back(std::move(variables));
    }

    MarkedText run(const Body& body) {
        MarkedText out;
        write(body, out);
        return out;
    }

private:
    using Scope = std::vector<std::pair<std::string, Value>>;
    enum class Flow { on, skip, leave };

    // Counts the depth of expressions, statements and macros while it lives. The constructor throws
    // Error if they are nested too deeply.
    class Deeper {
    public:
        explicit Deeper(int& depth) : depth_(depth) {
            constexpr int deepest = 400;
            if (depth_ >= deepest) throw Error("is nested deeper than " + std::to_string(deepest));
            ++depth_;
        }
        ~Deeper() { --depth_; }
        Deeper(const Deeper&) = delete;

    private:
        int& depth_;
    };

    // ---- variables and expressions --------------------------------------------------------------
    const Value* find(std::string_view name) {
        for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
            budget_.spend(scope->size());
            for (const auto& [own, value] : *scope)
                if (own == name) return &value;
        }
        return nullptr;
    }

    void assign(const std::string& name, Value value) {
        for (auto& [own, held] : scopes_.back())
            if (own == name) return void(held = std::move(value));
        scopes_.back().emplace_back(name, std::move(value));
    }

    Value eval(const Expression& e) {
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
                return item_of(eval(e.parts[0]), eval(e.parts[1]), budget_);
            case Expression::slice:
                return slice_of(eval(e.parts[0]), eval_all(e.parts, 1), budget_);
            case Expression::call:
                return call(e);
            case Expression::filter:
                return filtered(eval(e.parts[0]), e.name, arguments(e), budget_);
            case Expression::test:
                return passes(eval(e.parts[0]), e.name, arguments(e), budget_);
        }
        return {};
    }

    std::vector<Value> eval_all(const std::vector<Expression>& parts, std::size_t first) {
        std::vector<Value> values;
        for (std::size_t i = first; i < parts.size(); ++i) values.push_back(eval(parts[i]));
        return values;
    }

    Arguments arguments(const Expression& e) {
        Arguments a{eval_all(e.parts, 1), {}};
        const std::size_t unnamed = a.values.size() - e.names.size();
        for (std::size_t i = 0; i < e.names.size(); ++i)
            a.named.emplace_back(e.names[i], std::move(a.values[unnamed + i]));
        a.values.resize(unnamed);
        return a;
    }

    Value variable(const std::string& name) {
        const Value* value = find(name);
        if (value && value->text()) budget_.spend(value->text()->text().size());
        if (value) return *value;
        // A value in place of the function, for "strftime_now is defined".
        return name == "strftime_now" && now_ ? Value(true) : Value(Undefined{name});
    }

    Value dict(const Expression& e) {
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

    Value unary(const Expression& e) {
        const Value value = eval(e.parts[0]);
        if (e.name == "not") return !is_true(value);
        if (!is_number(value))
            throw Error("got " + kind_of(value) + " after a sign, expected a number");
        return combined(std::int64_t{0}, e.name, value, budget_);
    }

    Value binary(const Expression& e) {
        Value left = eval(e.parts[0]);
        if (e.name == "and") return is_true(left) ? eval(e.parts[1]) : left;
        if (e.name == "or") return is_true(left) ? left : eval(e.parts[1]);
        return combined(left, e.name, eval(e.parts[1]), budget_);
    }

    Value call(const Expression& e) {
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
            for (const auto& [name, value] : given.named)
                members.emplace_back(MarkedText(name), value);
            return object_of(std::move(members), callee.name == "namespace");
        }
        if (callee.name == "range") return range(given, budget_);
        if (callee.name == "strftime_now" && now_) return date(*now_, given);
        throw Error("the function " + callee.name +
                    " is not supported, expected dict, namespace, raise_exception, range, "
                    "strftime_now or a macro");
    }

    // ---- statements -----------------------------------------------------------------------------
    Flow write(const Body& body, MarkedText& out) {
        const Deeper deeper(depth_);
        for (const Statement& s : body) {
            Flow flow = Flow::on;
            try {
                budget_.spend();
                flow = write(s, out);
            } catch (const Error& e) {
                const std::string what = e.what();
                if (what.starts_with("line ")) throw;
                fail_at(s.line, what);
            }
            if (flow != Flow::on) return flow;
        }
        return Flow::on;
    }

    Flow write(const Statement& s, MarkedText& out) {
        switch (s.kind) {
            case Statement::text:
                append(out, s.value);
                break;
            case Statement::print:
                append(out, str(eval(s.expressions[0]), budget_));
                break;
            case Statement::branches:
                return write_branch(s, out);
            case Statement::loop:
                return write_loop(s, out);
            case Statement::set:
                set(s, eval(s.expressions[0]));
                break;
            case Statement::capture: {
                MarkedText text;
                const Flow flow = write(s.bodies[0], text);
                assign(s.names[0], std::move(text));
                return flow;
            }
            case Statement::macro:
                define(s);
                break;
            case Statement::skip:
                return Flow::skip;
            case Statement::leave:
                return Flow::leave;
        }
        return Flow::on;
    }

    void append(MarkedText& out, const MarkedText& text) {
        budget_.spend(text.text().size());
        if (out.text().size() + text.text().size() > max_output_bytes)
            throw Error("writes more than " + std::to_string(max_output_bytes) + " bytes");
        out.append(text);
    }

    Flow write_branch(const Statement& s, MarkedText& out) {
        for (std::size_t i = 0; i < s.expressions.size(); ++i)
            if (is_true(eval(s.expressions[i]))) return write(s.bodies[i], out);
        return s.bodies.size() > s.expressions.size() ? write(s.bodies.back(), out) : Flow::on;
    }

    void set(const Statement& s, Value value) {
        if (s.names.size() == 1) return assign(s.names[0], std::move(value));
        const Value* held = find(s.names[0]);
        Object* object = held ? held->object() : nullptr;
        if (!object || !object->is_namespace)
            throw Error(s.names[0] + " is not a namespace; only members of a namespace can be set");
        check_member(value);
        for (auto& [name, old] : object->members)
            if (name.text() == s.names[1]) return void(old = std::move(value));
        budget_.spend(16 * object->members.size());
        object->members.emplace_back(MarkedText(s.names[1]), std::move(value));
    }

    // Assigns one item to the variables of a loop.
    void unpack(const Statement& s, const Value& one) {
        if (s.names.size() == 1) return assign(s.names[0], one);
        const List* list = one.list();
        if (!list || list->items.size() != s.names.size())
            throw Error("a loop with " + std::to_string(s.names.size()) + " variables got " +
                        (list ? std::to_string(list->items.size()) + " values" : kind_of(one)));
        for (std::size_t i = 0; i < s.names.size(); ++i) assign(s.names[i], list->items[i]);
    }

    static Value loop_of(const std::vector<Value>& items, std::size_t i) {
        const auto number = [](std::size_t n) { return Value(static_cast<std::int64_t>(n)); };
        std::vector<std::pair<MarkedText, Value>> members;
        const auto add = [&](const char* name, Value value) {
            members.emplace_back(MarkedText(name), std::move(value));
        };
        add("index0", number(i)), add("index", number(i + 1));
        add("first", i == 0), add("last", i + 1 == items.size());
        add("length", number(items.size()));
        add("revindex", number(items.size() - i)), add("revindex0", number(items.size() - i - 1));
        if (i > 0) add("previtem", items[i - 1]);
        if (i + 1 < items.size()) add("nextitem", items[i + 1]);
        auto loop = std::make_shared<Object>();
        loop->members = std::move(members);
        loop->is_namespace = true;  // so it cannot be stored in other values
        return loop;
    }

    Flow write_loop(const Statement& s, MarkedText& out) {
        std::vector<Value> items = items_of(eval(s.expressions[0]), budget_);
        if (s.expressions.size() > 1) {
            std::vector<Value> kept;
            for (const Value& one : items) {
                scopes_.emplace_back();
                unpack(s, one);
                if (is_true(eval(s.expressions[1]))) kept.push_back(one);
                scopes_.pop_back();
            }
            items = std::move(kept);
        }
        if (items.empty() && s.bodies.size() > 1) return write(s.bodies[1], out);
        for (std::size_t i = 0; i < items.size(); ++i) {
            budget_.spend(1600);  // making the loop object takes much work
            scopes_.emplace_back();
            unpack(s, items[i]);
            assign("loop", loop_of(items, i));
            const Flow flow = write(s.bodies[0], out);
            scopes_.pop_back();
            if (flow == Flow::leave) break;
        }
        return Flow::on;
    }

    // ---- macros ---------------------------------------------------------------------------------
    void define(const Statement& s) {
        for (auto& [name, macro] : macros_)
            if (name == s.names[0]) return void(macro = &s);
        macros_.emplace_back(s.names[0], &s);
    }

    // The text that a macro writes; none if there is no macro with this name.
    std::optional<Value> call_macro(const std::string& called, const Arguments& given) {
        const auto found = std::find_if(macros_.begin(), macros_.end(),
                                        [&](const auto& macro) { return macro.first == called; });
        if (found == macros_.end()) return std::nullopt;
        const Statement& macro = *found->second;
        const std::size_t parameters = macro.names.size() - 1;
        if (given.values.size() > parameters)
            throw Error(macro.names[0] + ": got " + std::to_string(given.values.size()) +
                        " arguments, expected at most " + std::to_string(parameters));
        // A macro sees only the template's global variables and its own parameters.
        std::vector<Scope> inside = {scopes_.front(), {}};
        budget_.spend(64 * scopes_.front().size());
        inside.swap(scopes_);
        for (std::size_t i = 0; i < parameters; ++i) {
            const std::string& name = macro.names[i + 1];
            const std::size_t required = parameters - macro.expressions.size();
            const auto named = std::find_if(given.named.begin(), given.named.end(),
                                            [&](const auto& pair) { return pair.first == name; });
            assign(name, i < given.values.size()      ? given.values[i]
                         : named != given.named.end() ? named->second
                         : i >= required              ? eval(macro.expressions[i - required])
                                                      : Value(Undefined{name}));
        }
        MarkedText text;
        write(macro.bodies[0], text);
        inside.swap(scopes_);
        return Value(std::move(text));
    }

    std::optional<std::int64_t> now_;
    std::vector<Scope> scopes_;  // the innermost last
    std::vector<std::pair<std::string, const Statement*>> macros_;
    Budget budget_;
    int depth_ = 0;
};

}  // namespace

MarkedText rendered(const Body& body, std::vector<std::pair<std::string, Value>> variables,
                    std::optional<std::int64_t> now) {
    return Renderer(std::move(variables), now).run(body);
}

}  // namespace tbt::jinja
