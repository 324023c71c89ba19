#include "lib/chat/jinja_render.hpp"

#include <algorithm>

#include "lib/chat/jinja_evaluate.hpp"
#include "lib/chat/jinja_lexer.hpp"
#include "lib/chat/jinja_operators.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt::jinja {

namespace {

constexpr std::size_t max_output_bytes = std::size_t{1} << 26;

class Renderer : Evaluator {
public:
    using Evaluator::Evaluator;

    MarkedText run(const Body& body) {
        MarkedText out;
        write(body, out);
        return out;
    }

private:
    enum class Flow { on, skip, leave };

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
            case Statement::group:
                return write(s.bodies[0], out);
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

    std::optional<Value> call_macro(const std::string& called, const Arguments& given) override {
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

    std::vector<std::pair<std::string, const Statement*>> macros_;
};

}  // namespace

MarkedText rendered(const Body& body, std::vector<std::pair<std::string, Value>> variables,
                    std::optional<std::int64_t> now) {
    return Renderer(std::move(variables), now).run(body);
}

}  // namespace tbt::jinja
