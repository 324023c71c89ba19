#include "chapters/16_json_schema/judged_text.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "chapters/13_json_grammar/json_grammar.hpp"
#include "chapters/15_regular/numbers.hpp"
#include "lib/index.hpp"
#include "lib/machine/json_file.hpp"

namespace tbt {

namespace {

// Every value gets a number, and equal values the same one: 1 and 1.0, "a" and "\u0061",
// members in any order.
class Values {
public:
    int of(const std::string& canonical) {
        return numbers_.try_emplace(canonical, count(numbers_)).first->second;
    }

private:
    std::map<std::string, int> numbers_;
};

struct Open {
    char bracket;
    std::vector<int> items;
    std::map<std::string, int> members;
    std::string key;
    bool has_key = false;
};

std::string number_form(const std::string& text) {
    const Decimal d = Decimal::parse(text);
    return d.text() == "-0" ? "0" : d.text();
}

bool repeats_an_item(std::vector<int> items) {
    std::sort(items.begin(), items.end());
    return std::adjacent_find(items.begin(), items.end()) != items.end();
}

std::string form_of(const Open& o) {
    std::string form(1, o.bracket);
    for (const int item : o.items) form += std::to_string(item) + ",";
    for (const auto& [key, value] : o.members)
        form += json_text(Json(key)) + ":" + std::to_string(value) + ",";
    return form;
}

// The text is JSON, which spares all tests.
std::string with_strings_and_repeats(std::string_view text) {
    std::string read;
    Values values;
    std::vector<Open> open;
    const auto add = [&](const std::string& form) {
        if (open.empty()) return;
        if (open.back().bracket == '[') open.back().items.push_back(values.of(form));
        else open.back().members[open.back().key] = values.of(form), open.back().has_key = false;
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const std::size_t from = i;
        if (c == '[' || c == '{') {
            open.push_back({c, {}, {}, "", false});
            read += c;
        } else if (c == ']' || c == '}') {
            read += c == ']' && repeats_an_item(open.back().items) ? repeats : c;
            const std::string form = form_of(open.back());
            open.pop_back();
            add(form);
        } else if (c == '"') {
            for (++i; text[i] != '"'; ++i) i += text[i] == '\\' ? 1 : 0;
            const Json string = json_value(text.substr(from, i + 1 - from));
            const std::string token = json_text(string);
            const bool key = !open.empty() && open.back().bracket == '{' && !open.back().has_key;
            if (key) open.back().key = string.get<std::string>(), open.back().has_key = true;
            else add(token);
            read += token;
        } else if (std::string_view(" \t\r\n,:").find(c) == std::string_view::npos) {
            const std::size_t end = std::min(text.find_first_of(" \t\r\n,:]}", i), text.size());
            const std::string token(text.substr(from, end - from));
            add(c == '-' || (c >= '0' && c <= '9') ? number_form(token) : token);
            read += token;
            i = end - 1;
        } else {
            read += c;
        }
    }
    return read;
}

}  // namespace

std::string judged_text(std::string_view json) {
    std::string text = without_exponents(json);
    JsonMachine machine({-1, false, false});
    if (accepts_text(machine, text)) return with_strings_and_repeats(text);
    std::replace(text.begin(), text.end(), repeats, '\1');  // such a byte stands in no JSON
    return text;
}

}  // namespace tbt
