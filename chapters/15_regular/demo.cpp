#include "chapters/15_regular/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

#include "chapters/15_regular/plain_derivative.hpp"
#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// "0-9 a": the bytes (or characters) of some ranges.
std::string listed(const std::vector<std::pair<int, int>>& ranges) {
    std::string line;
    for (const auto& [low, high] : ranges) {
        if (!line.empty()) line += ' ';
        line += visible(std::string(1, static_cast<char>(low)));
        if (high > low) line += high > low + 1 ? '-' : ' ';
        if (high > low) line += visible(std::string(1, static_cast<char>(high)));
    }
    return line;
}

// The state of an automaton after a text; −1 if the text is refused.
int after(const Dfa& dfa, const std::string& text) {
    int at = dfa.empty() ? -1 : 0;
    for (const std::int32_t c : code_points_of(text, "the text")) {
        if (at < 0) break;
        const auto& edges = dfa.states[index(at)].edges;
        const auto edge = std::find_if(edges.begin(), edges.end(),
                                       [&](const Dfa::Edge& e) { return e.on.contains(c); });
        at = edge == edges.end() ? -1 : edge->to;
    }
    return at;
}

// Prints for each beginning the characters that may come next, and whether the text may end.
void show_beginnings(const Dfa& dfa, const std::vector<std::string>& beginnings) {
    std::printf("   after         may come next   may end\n");
    for (const std::string& text : beginnings) {
        const int at = after(dfa, text);
        CodePointSet next;
        bool accepting = false;
        if (at >= 0) {
            const Dfa::State& state = dfa.states[index(at)];
            for (const Dfa::Edge& edge : state.edges) next.add(edge.on);
            accepting = state.accepting;
        }
        std::vector<std::pair<int, int>> ranges;
        for (const CodePointSet::Range& r : next.ranges()) ranges.emplace_back(r.low, r.high);
        std::printf("   %s %s %s\n", padded('"' + text + '"', 13).c_str(),
                    padded(at < 0 ? "(refused)" : listed(ranges), 15).c_str(),
                    at < 0      ? ""
                    : accepting ? "yes"
                                : "no");
    }
}

}  // namespace

Regex plain_of(const Expression& e) {
    using Kind = Expression::Kind;
    Regex all = any_times({});
    switch (e.kind) {
        case Kind::text:
            for (const char c : e.text) all = then(all, byte_from(c, c));
            return all;
        case Kind::sequence:
            for (const Expression& part : e.parts) all = then(all, plain_of(part));
            return all;
        case Kind::choice:
            all = {};
            for (const Expression& part : e.parts) all = either(all, plain_of(part));
            return all;
        case Kind::characters:
            all = {};
            for (const ByteSequence& sequence : utf8_sequences(e.set)) {
                Regex bytes = any_times({});
                for (const ByteChoice& choice : sequence) {
                    Regex one;
                    for (const ByteRange& r : choice)
                        one = either(
                            one, byte_from(static_cast<char>(r.low), static_cast<char>(r.high)));
                    bytes = then(bytes, one);
                }
                all = either(all, bytes);
            }
            return all;
        case Kind::repeat: {
            const Regex part = plain_of(e.parts.at(0));
            for (int i = 0; i < e.low; ++i) all = then(all, part);
            if (e.high == Expression::unlimited) return then(all, any_times(part));
            // a{0,2} = (|a(|a))
            Regex rest = any_times({});
            for (int i = e.low; i < e.high; ++i) rest = either(any_times({}), then(part, rest));
            return then(all, rest);
        }
        default:
            throw UsageError(
                "the plain expression: ^, $ and look-around are not supported; a text matches as a "
                "whole");
    }
}

PlainAutomaton automaton_of(const Regex& expression) {
    PlainAutomaton automaton{{{expression, {}}}};
    std::map<std::string, std::size_t> numbers{{expression.name, 0}};
    for (std::size_t at = 0; at < automaton.states.size(); ++at) {
        std::map<std::size_t, std::vector<std::pair<int, int>>> ranges;  // by target
        for (int byte = 0; byte < 256; ++byte) {
            const Regex rest = derivative(automaton.states[at].rest, byte);
            if (rest.kind == Regex::nothing) continue;
            const auto [known, fresh] = numbers.emplace(rest.name, automaton.states.size());
            if (fresh) automaton.states.push_back({rest, {}});
            auto& to = ranges[known->second];
            if (!to.empty() && to.back().second == byte - 1) to.back().second = byte;
            else to.emplace_back(byte, byte);
        }
        if (automaton.states.size() > 100)
            throw UsageError("the plain automaton: more than 100 states; try a smaller expression");
        for (const auto& [to, bytes] : ranges)
            automaton.states[at].edges.push_back({listed(bytes), to});
    }
    return automaton;
}

void show_derivatives(const std::string& pattern, const std::string& text) {
    std::printf("1. %s, after each byte of \"%s\"\n\n   byte   what may still come\n",
                pattern.c_str(), visible(text).c_str());
    Regex rest = plain_of(parse_regex(pattern));
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i > 0) rest = derivative(rest, static_cast<unsigned char>(text[i - 1]));
        std::printf("   %s %s%s\n", padded(i == 0 ? "" : visible(text.substr(i - 1, 1)), 6).c_str(),
                    rest.kind == Regex::nothing ? "nothing: refused"
                    : rest.name.empty()         ? "the end"
                                                : visible(rest.name).c_str(),
                    may_be_empty(rest) && !rest.name.empty() ? "   (or the end)" : "");
        if (rest.kind == Regex::nothing) break;
    }
}

void show_states(const std::string& pattern) {
    const PlainAutomaton automaton = automaton_of(plain_of(parse_regex(pattern)));
    std::printf("2. The automaton of %s: %zu states (the fast automaton has %zu)\n\n",
                pattern.c_str(), automaton.states.size(), regex_full_match(pattern).states.size());
    std::printf("   state  may still come            may end  reads → state\n");
    for (std::size_t i = 0; i < automaton.states.size(); ++i) {
        const PlainAutomaton::State& state = automaton.states[i];
        const std::string rest = state.rest.kind == Regex::nothing ? "nothing: refused"
                                 : state.rest.name.empty()         ? "(the end)"
                                                                   : visible(state.rest.name);
        std::printf("   %5zu  %s %s ", i, padded(rest, 25).c_str(),
                    padded(may_be_empty(state.rest) ? "yes" : "no", 7).c_str());
        const char* comma = "";
        for (const PlainAutomaton::Edge& edge : state.edges) {
            std::printf("%s %s → %zu", comma, edge.on.c_str(), edge.to);
            comma = ",";
        }
        std::printf("\n");
    }
}

void show_range(const std::string& low, const std::string& high) {
    const Dfa range = plain_integers() & at_least(Decimal::parse(low), false) &
                      at_most(Decimal::parse(high), false);
    std::printf("3. Whole numbers from %s to %s: %zu states\n\n", low.c_str(), high.c_str(),
                range.states.size());
    std::vector<std::string> beginnings{""};
    for (const std::string& bound : {low, high}) {
        for (std::size_t i = 1; i <= bound.size(); ++i) {
            if (std::find(beginnings.begin(), beginnings.end(), bound.substr(0, i)) ==
                beginnings.end())
                beginnings.push_back(bound.substr(0, i));
        }
    }
    show_beginnings(range, beginnings);
}

void show_dates() {
    const Dfa dates = *format_language("date", false);
    std::printf("4. Dates that exist, as one expression: %zu states\n\n", dates.states.size());
    show_beginnings(dates, {"20", "2023-", "2023-1", "2023-02-", "2023-02-2", "2024-02-2",
                            "1900-02-2", "2000-02-2", "2024-04-3"});
}

void show_sets() {
    const Dfa word = regex_full_match("[a-z]+"), length = regex_full_match(".{2,3}"),
              taken = regex_full_match("id|name");
    const auto row = [](const char* what, const Dfa& dfa) {
        std::printf("   %s %6zu ", padded(what, 44).c_str(), dfa.states.size());
        for (const char* text : {"a", "id", "ids", "name"})
            std::printf("  %-4s", dfa.accepts(text) ? text : "-");
        std::printf("\n");
    };
    std::printf(
        "5. Intersection and difference:\n\n   language                                     states "
        "  accepts\n");
    row("[a-z]+", word);
    row("… and two or three characters", word & length);
    row("… but not id or name", (word & length) - taken);
}

}  // namespace tbt
