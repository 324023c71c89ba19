#include "lib/grammar/schema/written_value.hpp"

#include <algorithm>

#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

namespace {

using Value = WrittenValue;
using Kind = Value::Kind;

constexpr int deepest = 1000;

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    Value value(int depth = 0) {
        if (depth > deepest)
            throw UnsupportedSchema("value", "the instance",
                                    "is nested more than " + std::to_string(deepest) + " deep");
        Value v;
        const char c = next();
        if (c == '[' || c == '{') {
            v.kind = c == '[' ? Kind::array : Kind::object;
            ++at_;
            while (next() != ']' && text_[at_] != '}') {
                if (c == '{') v.keys.push_back(string()), next(), ++at_;
                v.items.push_back(value(depth + 1));
                if (next() == ',') ++at_;
            }
            ++at_;
        } else if (c == '"') {
            v.kind = Kind::string;
            v.text = string();
        } else {
            const std::size_t end = std::min(text_.find_first_of(" \t\r\n,]}", at_), text_.size());
            const std::string_view word = text_.substr(at_, end - at_);
            v.kind = c == 'n'   ? Kind::null
                     : c == 't' ? Kind::yes
                     : c == 'f' ? Kind::no
                                : Kind::number;
            if (v.kind == Kind::number) v.text = without_exponents(word);
            at_ = end;
        }
        return v;
    }

private:
    char next() {
        at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size() - 1);
        return text_[at_];
    }
    std::string string() {
        const std::size_t from = at_++;
        for (; text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1 : 0;
        return json_value(text_.substr(from, ++at_ - from)).get<std::string>();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

}  // namespace

WrittenValue read_value(std::string_view text) { return Reader(text).value(); }

std::string form_of(const Value& v) {
    switch (v.kind) {
        case Kind::null:
            return "null";
        case Kind::yes:
            return "true";
        case Kind::no:
            return "false";
        case Kind::number: {
            const std::string number = Decimal::parse(v.text).text();
            return number == "-0" ? "0" : number;
        }
        case Kind::string:
            return json_text(Json(v.text));
        default:
            break;
    }
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < v.items.size(); ++i)
        parts.push_back((v.keys.empty() ? "" : json_text(Json(v.keys[i])) + ":") +
                        form_of(v.items[i]));
    if (v.kind == Kind::object) std::sort(parts.begin(), parts.end());
    std::string form = v.kind == Kind::object ? "{" : "[";
    for (const std::string& part : parts) form += part + ",";
    return form;
}

}  // namespace tbt
