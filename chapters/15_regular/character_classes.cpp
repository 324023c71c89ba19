#include "chapters/15_regular/character_classes.hpp"

#include <map>

#include <utf8proc.h>

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
    static const std::string groups =
        "L M N P S Z Lu Ll Lt Lm Lo LC Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp "
        "Cc Cf Co Cn ";
    CodePointSet set;
    if (wanted == "ASCII") return {0, 0x7f};
    if (wanted == "Any") return CodePointSet::all();
    if (wanted.empty() || groups.find(wanted + " ") == std::string::npos) return set;
    std::int32_t from = -1;
    for (std::int32_t c = 0; c <= CodePointSet::highest + 1; ++c) {
        const std::string is = c > CodePointSet::highest ? "" : utf8proc_category_string(c);
        const bool in = is == wanted || (wanted.size() == 1 && !is.empty() && is[0] == wanted[0]) ||
                        (wanted == "LC" && (is == "Lu" || is == "Ll" || is == "Lt"));
        if (in && from < 0) from = c;
        if (!in && from >= 0) set.add(from, c - 1), from = -1;
    }
    return set;
}

}  // namespace tbt
