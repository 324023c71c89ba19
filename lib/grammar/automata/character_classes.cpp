#include "lib/grammar/automata/character_classes.hpp"

#include <map>
#include <string_view>

#include "lib/core/unicode.hpp"

namespace tbt {

CodePointSet digits() { return {'0', '9'}; }
CodePointSet word() {
    CodePointSet s('a', 'z');
    s.add('A', 'Z');
    s.add('0', '9');
    s.add('_', '_');
    return s;
}
CodePointSet line_ends() {
    CodePointSet s = CodePointSet::of("\n\r");
    s.add(0x2028, 0x2029);
    return s;
}
CodePointSet space() {
    CodePointSet s = line_ends();
    s.add(CodePointSet::of("\t\v\f "));
    constexpr std::pair<int, int> blanks[] = {{0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200a},
                                              {0x202f, 0x202f}, {0x205f, 0x205f}, {0x3000, 0x3000},
                                              {0xfeff, 0xfeff}};
    for (const auto& [low, high] : blanks) s.add(low, high);
    return s;
}

namespace {

// The characters of each category by its short name, computed once.
const std::map<std::string_view, CodePointSet>& categories() {
    static const std::map<std::string_view, CodePointSet> all = [] {
        std::map<std::string_view, CodePointSet> sets;
        std::int32_t from = 0;
        for (std::int32_t c = 1; c <= CodePointSet::highest + 1; ++c) {
            if (c <= CodePointSet::highest && category_of(c) == category_of(from)) continue;
            sets[name_of(category_of(from))].add(from, c - 1);
            from = c;
        }
        return sets;
    }();
    return all;
}

}  // namespace

CodePointSet category(const std::string& name) {
    static const std::map<std::string, std::string> shorts = {{"Letter", "L"},
                                                              {"Cased_Letter", "LC"},
                                                              {"Uppercase_Letter", "Lu"},
                                                              {"Lowercase_Letter", "Ll"},
                                                              {"Titlecase_Letter", "Lt"},
                                                              {"Modifier_Letter", "Lm"},
                                                              {"Other_Letter", "Lo"},
                                                              {"Mark", "M"},
                                                              {"Combining_Mark", "M"},
                                                              {"Nonspacing_Mark", "Mn"},
                                                              {"Spacing_Mark", "Mc"},
                                                              {"Enclosing_Mark", "Me"},
                                                              {"Number", "N"},
                                                              {"Decimal_Number", "Nd"},
                                                              {"digit", "Nd"},
                                                              {"Letter_Number", "Nl"},
                                                              {"Other_Number", "No"},
                                                              {"Punctuation", "P"},
                                                              {"punct", "P"},
                                                              {"Symbol", "S"},
                                                              {"Math_Symbol", "Sm"},
                                                              {"Currency_Symbol", "Sc"},
                                                              {"Separator", "Z"},
                                                              {"Space_Separator", "Zs"},
                                                              {"Control", "Cc"},
                                                              {"cntrl", "Cc"},
                                                              {"Format", "Cf"}};
    const auto long_name = shorts.find(name);
    const std::string wanted = long_name == shorts.end() ? name : long_name->second;
    if (wanted == "ASCII") return {0, 0x7f};
    if (wanted == "Any") return CodePointSet::all();
    CodePointSet set;
    for (const auto& [is, characters] : categories())
        if (is == wanted || (wanted.size() == 1 && is[0] == wanted[0]) ||
            (wanted == "LC" && (is == "Lu" || is == "Ll" || is == "Lt")))
            set.add(characters);
    return set;
}

}  // namespace tbt
