#include "lib/grammar/schema/host_names.hpp"

#include <cstdio>
#include <map>
#include <utility>
#include <vector>

#include "lib/grammar/automata/character_classes.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/index.hpp"

namespace tbt {

namespace {

// Letters, marks and digits that are not what normalization (NFKC and small letters) makes of them:
// the Unicode database, version 15.
constexpr std::pair<int, int> unstable[] = {
    {0xaa, 0xba},       {0x133, 0x133},     {0x140, 0x140},     {0x149, 0x149},
    {0x17f, 0x17f},     {0x1c6, 0x1cc},     {0x1f3, 0x1f3},     {0x2b0, 0x2b8},
    {0x2e0, 0x2e4},     {0x340, 0x341},     {0x343, 0x345},     {0x374, 0x374},
    {0x37a, 0x37a},     {0x3d0, 0x3d6},     {0x3f0, 0x3f2},     {0x3f5, 0x3f5},
    {0x587, 0x587},     {0x675, 0x678},     {0x958, 0x95f},     {0x9dc, 0x9df},
    {0xa33, 0xa33},     {0xa36, 0xa36},     {0xa59, 0xa5b},     {0xa5e, 0xa5e},
    {0xb5c, 0xb5d},     {0xe33, 0xe33},     {0xeb3, 0xeb3},     {0xedc, 0xedd},
    {0xf43, 0xf43},     {0xf4d, 0xf4d},     {0xf52, 0xf52},     {0xf57, 0xf57},
    {0xf5c, 0xf5c},     {0xf69, 0xf69},     {0xf73, 0xf73},     {0xf75, 0xf79},
    {0xf81, 0xf81},     {0xf93, 0xf93},     {0xf9d, 0xf9d},     {0xfa2, 0xfa2},
    {0xfa7, 0xfa7},     {0xfac, 0xfac},     {0xfb9, 0xfb9},     {0x10fc, 0x10fc},
    {0x13f8, 0x13fd},   {0x1c80, 0x1c88},   {0x1d2c, 0x1d2e},   {0x1d30, 0x1d3a},
    {0x1d3c, 0x1d4d},   {0x1d4f, 0x1d6a},   {0x1d78, 0x1d78},   {0x1d9b, 0x1dbf},
    {0x1e9a, 0x1e9b},   {0x1f71, 0x1f71},   {0x1f73, 0x1f73},   {0x1f75, 0x1f75},
    {0x1f77, 0x1f77},   {0x1f79, 0x1f79},   {0x1f7b, 0x1f7b},   {0x1f7d, 0x1fa7},
    {0x1fb2, 0x1fb4},   {0x1fb7, 0x1fc4},   {0x1fc7, 0x1fc7},   {0x1fd3, 0x1fd3},
    {0x1fe3, 0x1fe3},   {0x1ff2, 0x1ff4},   {0x1ff7, 0x209c},   {0x210a, 0x2149},
    {0x2c7c, 0x2c7d},   {0x2d6f, 0x2d6f},   {0x309f, 0x309f},   {0x30ff, 0x30ff},
    {0x3131, 0x318e},   {0xa69c, 0xa69d},   {0xa770, 0xa770},   {0xa7f2, 0xa7f4},
    {0xa7f8, 0xa7f9},   {0xab5c, 0xab5f},   {0xab69, 0xabbf},   {0xf900, 0xfa0d},
    {0xfa10, 0xfa10},   {0xfa12, 0xfa12},   {0xfa15, 0xfa1e},   {0xfa20, 0xfa20},
    {0xfa22, 0xfa22},   {0xfa25, 0xfa26},   {0xfa2a, 0xfb1d},   {0xfb1f, 0xfdfb},
    {0xfe70, 0xfe72},   {0xfe74, 0xffdc},   {0x10781, 0x107ba}, {0x1d41a, 0x1d7ff},
    {0x1e030, 0x1e06d}, {0x1ee00, 0x1fbf9}, {0x2f800, 0x2fa1d}};
// Viramas: marks of the combining class 9.
constexpr int viramas[] = {
    0x94d,   0x9cd,   0xa4d,   0xacd,   0xb4d,   0xbcd,   0xc4d,   0xccd,   0xd3b,   0xd3c,
    0xd4d,   0xdca,   0xe3a,   0xeba,   0xf84,   0x1039,  0x103a,  0x1714,  0x1715,  0x1734,
    0x17d2,  0x1a60,  0x1b44,  0x1baa,  0x1bab,  0x1bf2,  0x1bf3,  0x2d7f,  0xa806,  0xa82c,
    0xa8c4,  0xa953,  0xa9c0,  0xaaf6,  0xabed,  0x10a3f, 0x11046, 0x11070, 0x1107f, 0x110b9,
    0x11133, 0x11134, 0x111c0, 0x11235, 0x112ea, 0x1134d, 0x11442, 0x114c2, 0x115bf, 0x1163f,
    0x116b6, 0x1172b, 0x11839, 0x1193d, 0x1193e, 0x119e0, 0x11a34, 0x11a47, 0x11a99, 0x11c3f,
    0x11d44, 0x11d45, 0x11d97, 0x11f41, 0x11f42};
// Arabic letters that join on both sides, and to what stands before them only.
constexpr std::pair<int, int> both_sides[] = {
    {0x620, 0x620}, {0x626, 0x626}, {0x628, 0x628}, {0x62a, 0x62e}, {0x633, 0x63f}, {0x641, 0x647},
    {0x649, 0x64a}, {0x66e, 0x66f}, {0x678, 0x687}, {0x69a, 0x6bf}, {0x6c1, 0x6c2}, {0x6cc, 0x6cc},
    {0x6ce, 0x6ce}, {0x6d0, 0x6d1}, {0x6fa, 0x6fc}, {0x6ff, 0x6ff}};
constexpr std::pair<int, int> one_side[] = {
    {0x622, 0x625}, {0x627, 0x627}, {0x629, 0x629}, {0x62f, 0x632}, {0x648, 0x648},
    {0x671, 0x673}, {0x675, 0x677}, {0x688, 0x699}, {0x6c0, 0x6c0}, {0x6c3, 0x6cb},
    {0x6cd, 0x6cd}, {0x6cf, 0x6cf}, {0x6d2, 0x6d3}, {0x6d5, 0x6d5}, {0x6ee, 0x6ef}};
// Not allowed, whatever their category: old Hangul letters, characters that are not seen, marks for
// symbols and music, and the exceptions of RFC 5892, §2.6.
constexpr std::pair<int, int> never_allowed[] = {
    {0x34f, 0x34f},   {0x640, 0x640},   {0x7fa, 0x7fa},   {0x1100, 0x11ff},   {0x17b4, 0x17b5},
    {0x180b, 0x180f}, {0x20d0, 0x20ff}, {0x302e, 0x302f}, {0x3031, 0x3035},   {0x303b, 0x303b},
    {0xa960, 0xa97c}, {0xd7b0, 0xd7fb}, {0xfe00, 0xfe0f}, {0x1d100, 0x1d24f}, {0xe0100, 0xe01ef}};
// Allowed in places: see bad_places.
constexpr std::pair<int, int> by_place[] = {
    {0xb7, 0xb7}, {0x375, 0x375}, {0x5f3, 0x5f4}, {0x200c, 0x200d}, {0x30fb, 0x30fb}};

template <std::size_t n>
CodePointSet set_of(const std::pair<int, int> (&ranges)[n]) {
    CodePointSet set;
    for (const auto& [low, high] : ranges) set.add(low, high);
    return set;
}

// As it stands in brackets.
std::string in_brackets(const CodePointSet& set) {
    std::string text;
    for (const CodePointSet::Range& r : set.ranges()) {
        char range[40];
        std::snprintf(range, sizeof range, "\\u{%x}-\\u{%x}", static_cast<unsigned>(r.low),
                      static_cast<unsigned>(r.high));
        text += range;
    }
    return text;
}

// Sets of thousands of characters make automata slow to work with. One character stands for all
// that no set tells from it, until the automaton is there.
class FewCharacters {
public:
    explicit FewCharacters(const std::vector<CodePointSet>& sets) {
        std::vector<CodePointSet> parts{CodePointSet::all()}, split;
        for (const CodePointSet& set : sets) {
            split.clear();
            for (const CodePointSet& part : parts)
                for (const CodePointSet& half : {part & set, part - set})
                    if (!half.empty()) split.push_back(half);
            parts.swap(split);
        }
        for (const CodePointSet& part : parts) {
            const std::int32_t first = part.ranges()[0].low;
            few_.add(first, first);
            meant_.emplace_back(first, part);
        }
    }
    std::string any_of(const CodePointSet& set) const {
        return "[" + in_brackets(set & few_) + "]";
    }
    std::string none_of(const CodePointSet& set) const {
        return "[^" + in_brackets(set & few_) + "]";
    }
    // The automaton with all that the characters stand for, and no more states than it needs.
    Dfa meant(const Dfa& dfa) const {
        const std::vector<std::vector<int>> steps = steps_of(dfa);
        const std::vector<int> kinds = kinds_of(dfa, steps);
        Dfa whole;
        for (std::size_t s = 0; s < steps.size(); ++s) {
            if (kinds[s] < count(whole.states)) continue;  // one of its kind is there
            std::map<int, CodePointSet> edges;
            for (std::size_t c = 0; c < meant_.size(); ++c)
                if (steps[s][c] >= 0) edges[at(kinds, steps[s][c])].add(meant_[c].second);
            whole.states.push_back({{}, dfa.states[s].accepting});
            for (auto& [to, on] : edges) whole.states.back().edges.push_back({std::move(on), to});
        }
        return whole;
    }

private:
    // By state and character; −1: the text is not in the language.
    std::vector<std::vector<int>> steps_of(const Dfa& dfa) const {
        std::vector<std::vector<int>> steps;
        for (const Dfa::State& state : dfa.states) {
            steps.emplace_back(meant_.size(), -1);
            for (const Dfa::Edge& e : state.edges)
                for (std::size_t c = 0; c < meant_.size(); ++c)
                    if (e.on.contains(meant_[c].first)) steps.back()[c] = e.to;
        }
        return steps;
    }
    // States are of one kind if the same texts lead on from them: kinds fall apart until none has
    // states of which a character leads to different kinds. Numbered as they first occur.
    static std::vector<int> kinds_of(const Dfa& dfa, const std::vector<std::vector<int>>& steps) {
        std::vector<int> kinds;
        for (const Dfa::State& s : dfa.states) kinds.push_back(s.accepting ? 1 : 0);
        for (std::size_t known = 0;;) {
            std::map<std::vector<int>, int> found;
            std::vector<int> next;
            for (std::size_t s = 0; s < steps.size(); ++s) {
                std::vector<int> looks{kinds[s]};
                for (const int to : steps[s]) looks.push_back(to < 0 ? -1 : at(kinds, to));
                next.push_back(found.try_emplace(std::move(looks), count(found)).first->second);
            }
            kinds.swap(next);
            if (found.size() == known) return kinds;
            known = found.size();
        }
    }

    CodePointSet few_;
    std::vector<std::pair<std::int32_t, CodePointSet>> meant_;  // what each stands for
};

const std::string host_label = "[a-zA-Z0-9](?:[a-zA-Z0-9\\-]{0,61}[a-zA-Z0-9])?";

CodePointSet marks() {
    CodePointSet set = category("Mn");
    set.add(category("Mc"));
    return set;
}

// In a label that is not of ASCII alone: PVALID of RFC 5892, and what is valid in places.
CodePointSet allowed_letters() {
    CodePointSet set = marks();
    for (const char* name : {"Ll", "Lo", "Lm", "Nd"}) set.add(category(name));
    set = set - set_of(unstable) - set_of(never_allowed);
    set.add(0x6fd, 0x6fe), set.add(0xf0b, 0xf0b), set.add(0x3007, 0x3007);
    set.add(set_of(by_place));
    return set;
}

// The sets that the rules of places speak of.
struct Scripts {
    CodePointSet letters = allowed_letters(), mark = marks(), seen_mark = category("Mn"), virama,
                 both = set_of(both_sides), joins = set_of(one_side), greek{0x370, 0x374},
                 hebrew{0x591, 0x5f2}, kana{0x3041, 0x3096}, dots = CodePointSet::of("."),
                 arabic{0x660, 0x669}, extended{0x6f0, 0x6f9};

    Scripts() {
        for (const int v : viramas) virama.add(v, v);
        joins.add(both);
        greek.add(0x376, 0x3ff), greek.add(0x1f00, 0x1fff);
        kana.add(0x309d, 0x309f), kana.add(0x30a1, 0x30fa), kana.add(0x30fd, 0x30ff);
        kana.add(0x31f0, 0x31ff), kana.add(0x3005, 0x3007), kana.add(0x3400, 0x9fff);
        kana.add(0x20000, 0x323af);
        dots.add(0x3002, 0x3002), dots.add(0xff0e, 0xff0e), dots.add(0xff61, 0xff61);
    }
    std::vector<CodePointSet> all() const {
        std::vector<CodePointSet> sets{letters, mark,   seen_mark, virama, both,   joins,
                                       greek,   hebrew, kana,      dots,   arabic, extended};
        for (const char* ascii : {"l", "x", "X", "n", "N", "-", "."})
            sets.push_back(CodePointSet::of(ascii));
        sets.emplace_back('a', 'z'), sets.emplace_back('A', 'Z'), sets.emplace_back('0', '9');
        sets.emplace_back(0, 0x7f);
        for (const auto& [low, high] : by_place)
            for (int c = low; c <= high; ++c) sets.emplace_back(c, c);
        return sets;
    }
};

// Names in which a character stands where it must not [RFC 5892, appendix A; RFC 5891, §4.2.3.1].
std::vector<std::string> bad_places(const Scripts& s, const FewCharacters& few) {
    CodePointSet joined = s.both, held = s.both, behind = s.joins;
    joined.add(s.seen_mark), held.add(s.seen_mark), held.add(s.virama), behind.add(s.seen_mark);
    const std::string any = "[^]*", dot = few.any_of(s.dots), inside = few.none_of(s.dots),
                      begin = "(?:" + any + dot + ")?", end = "(?:" + dot + any + ")?";
    CodePointSet kana_or_dot = s.kana, but_x = s.dots, but_n = s.dots, ascii(0, 0x7f);
    kana_or_dot.add(s.dots);
    but_x.add(CodePointSet::of("xX")), but_n.add(CodePointSet::of("nN")), ascii.add(s.dots);
    const std::string no_kana = few.none_of(kana_or_dot) + "*",
                      last_mark = "(?:" + few.any_of(s.seen_mark) + "*" +
                                  few.any_of(s.seen_mark - s.virama) + ")?";
    return {// A middle dot that is not between two l.
            "(?:" + any + "[^l])?\\u{b7}" + any + "|" + any + "\\u{b7}(?:[^l]" + any + ")?",
            // A keraia, a geresh.
            any + "\\u{375}(?:" + few.none_of(s.greek) + any + ")?",
            "(?:" + any + few.none_of(s.hebrew) + ")?[\\u{5f3}\\u{5f4}]" + any,
            // A middle dot of Katakana in a label without any.
            begin + no_kana + "\\u{30fb}" + no_kana + end,
            // Two kinds of digits.
            any + few.any_of(s.arabic) + inside + "*" + few.any_of(s.extended) + any + "|" + any +
                few.any_of(s.extended) + inside + "*" + few.any_of(s.arabic) + any,
            // A joiner that is not behind a virama.
            "(?:" + any + few.none_of(s.virama) + ")?\\u{200d}" + any,
            // A non-joiner that parts letters which would not join.
            "(?:" + any + few.none_of(held) + ")?" + last_mark + "\\u{200c}" + any,
            any + few.any_of(s.both) + last_mark + "\\u{200c}" + few.any_of(s.seen_mark) +
                "*(?:" + few.none_of(behind) + any + ")?",
            // Two hyphens in the third and fourth place.
            begin + "(?:" + few.none_of(but_x) + inside + "|[xX]" + few.none_of(but_n) + ")--" +
                any + "|" + begin + "[xX][nN]--" + inside + "*" + few.none_of(ascii) + any};
}

Dfa international_names() {
    const Scripts scripts;
    const FewCharacters few(scripts.all());
    CodePointSet first = scripts.letters - scripts.mark, inner = scripts.letters;
    for (CodePointSet* set : {&first, &inner}) set->add('a', 'z'), set->add('0', '9');
    CodePointSet middle = inner;
    middle.add('-', '-');
    const std::string ascii = "[a-zA-Z0-9](?:[a-zA-Z0-9\\-]*[a-zA-Z0-9])?";
    const std::string label = "(?:" + ascii + "|" + few.any_of(first) + "(?:" + few.any_of(middle) +
                              "*" + few.any_of(inner) + ")?)";
    Dfa names = regex_whole(label + "(?:" + few.any_of(scripts.dots) + label + ")*");
    for (const std::string& bad : bad_places(scripts, few)) names = names - regex_whole(bad);
    return few.meant(names);
}

// Without "xn--": what follows would have to be made by Punycode.
Dfa written_names() {
    return regex_whole(host_label + "(?:\\." + host_label + "){0,2}") -
           regex_whole("(?:[^]*\\.)?[^.]{2}--[^]*");
}

// Behind a text of the first language an @ and one of the second. No text of the first goes on
// with an @.
Dfa joined_by_at(const Dfa& first, const Dfa& second) {
    Dfa joined = first;
    const int offset = count(first.states);
    for (Dfa::State& state : joined.states) {
        if (state.accepting) state.edges.push_back({CodePointSet::of("@"), offset});
        state.accepting = false;
    }
    for (Dfa::State state : second.states) {
        for (Dfa::Edge& e : state.edges) e.to += offset;
        joined.states.push_back(std::move(state));
    }
    return joined;
}

}  // namespace

Dfa host_names(bool judging) {
    if (!judging) return written_names();
    return regex_whole(host_label + "(?:\\." + host_label + ")*");
}

Dfa international_host_names(bool judging) {
    return judging ? international_names() : written_names();
}

Dfa international_addresses(const std::string& local, bool judging) {
    return joined_by_at(regex_whole(local), international_host_names(judging));
}

}  // namespace tbt
