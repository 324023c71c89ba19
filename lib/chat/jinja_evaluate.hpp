// Evaluates the expressions of a Jinja template. It has the template's variables.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/chat/jinja_arguments.hpp"
#include "lib/chat/jinja_syntax.hpp"

namespace tbt::jinja {

class Evaluator {
public:
    using Scope = std::vector<std::pair<std::string, Value>>;

    Evaluator(Scope variables, std::optional<std::int64_t> now);
    virtual ~Evaluator() = default;

protected:
    // The value of an expression. Throws Error if something is not defined or not supported.
    Value eval(const Expression& e);
    // The variable with this name in the innermost scope that has one; null if none has.
    const Value* find(std::string_view name);
    void assign(const std::string& name, Value value);
    // The text that a macro writes; none if there is no macro with this name.
    virtual std::optional<Value> call_macro(const std::string& name, const Arguments& given) = 0;

    // Counts the depth of expressions, statements and macros while it lives. The constructor throws
    // Error if they are nested too deeply.
    class Deeper {
    public:
        explicit Deeper(int& depth);
        ~Deeper() { --depth_; }
        Deeper(const Deeper&) = delete;

    private:
        int& depth_;
    };

    std::vector<Scope> scopes_;
    Budget budget_;
    int depth_ = 0;

private:
    std::vector<Value> eval_all(const std::vector<Expression>& parts, std::size_t first);
    Arguments arguments(const Expression& e);
    Value variable(const std::string& name);
    Value dict(const Expression& e);
    Value unary(const Expression& e);
    Value binary(const Expression& e);
    Value call(const Expression& e);

    std::optional<std::int64_t> now_;
};

}  // namespace tbt::jinja
