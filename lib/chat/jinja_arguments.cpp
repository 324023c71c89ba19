#include "lib/chat/jinja_arguments.hpp"

#include <algorithm>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt::jinja {

std::vector<Value> Arguments::bound_to(const std::string& who,
                                       std::initializer_list<std::string_view> parameters,
                                       std::size_t least) const {
    if (values.size() > parameters.size())
        throw Error(who + ": got " + std::to_string(values.size()) +
                    " arguments, expected at most " + std::to_string(parameters.size()));
    std::vector<Value> bound = values;
    bound.resize(parameters.size());
    std::vector<bool> given(parameters.size());
    std::fill_n(given.begin(), values.size(), true);
    for (const auto& [name, value] : named) {
        const auto* found = std::find(parameters.begin(), parameters.end(), name);
        if (found == parameters.end())
            throw Error(who + ": the argument " + shown(name) + " is not supported");
        const std::size_t place = index(found - parameters.begin());
        if (given[place]) throw Error(who + ": the argument " + shown(name) + " is given twice");
        bound[place] = value, given[place] = true;
    }
    for (std::size_t i = 0; i < least; ++i)
        if (!given[i])
            throw Error(who + ": the argument " + std::string(parameters.begin()[i]) +
                        " is missing");
    return bound;
}

const MarkedText& text_from(const std::string& who, const Value& value) {
    if (!value.text()) throw Error(who + ": got " + kind_of(value) + ", expected a text");
    return *value.text();
}
std::int64_t integer_from(const std::string& who, const Value& value, std::int64_t otherwise) {
    if (value.is_undefined() || value.is_none()) return otherwise;
    if (const auto* i = value.as<std::int64_t>()) return *i;
    throw Error(who + ": got " + kind_of(value) + ", expected an integer");
}
bool flag_from(const Value& value, bool otherwise) {
    return value.is_undefined() ? otherwise : is_true(value);
}
std::optional<std::string> optional_text(const std::string& who, const Value& value) {
    if (value.is_undefined() || value.is_none()) return std::nullopt;
    return text_from(who, value).text();
}

}  // namespace tbt::jinja
