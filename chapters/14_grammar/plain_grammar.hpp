// A plain recognizer for grammars: keeps all derivations that fit the text so far, side by side.
//
// A derivation is stored as what may still come: a row of symbols, the next one last. If the next
// symbol is a rule, each of its alternatives gives a new derivation. If it is a byte, the text must
// go on with this byte. The fast version, GrammarRecognizer, shares the common parts of
// derivations; it accepts the same texts.
#pragma once

#include <set>
#include <vector>

#include "lib/core/error.hpp"

namespace tbt {

// If rule is −1: one byte from low to high. Else: any text of that rule.
struct Symbol {
    int low = 0, high = 0, rule = -1;
    auto operator<=>(const Symbol&) const = default;
};
using Symbols = std::vector<Symbol>;
using PlainGrammar = std::vector<std::vector<Symbols>>;  // by rule: its alternatives; 0: root
using Derivations = std::set<Symbols>;

// Replaces rules by their alternatives until each derivation begins with a byte or is empty.
inline Derivations unfolded(const PlainGrammar& rules, std::vector<Symbols> derivations) {
    Derivations seen, ready;
    while (!derivations.empty()) {
        Symbols rest = derivations.back();
        derivations.pop_back();
        if (!seen.insert(rest).second) continue;
        if (rest.size() > 1000)
            throw Error(
                "plain grammar: more than 1000 symbols are pending; is a rule left-recursive?");
        if (rest.empty() || rest.back().rule == -1) {
            ready.insert(rest);
            continue;
        }
        const auto& alternatives = rules.at(static_cast<std::size_t>(rest.back().rule));
        rest.pop_back();
        for (const Symbols& alternative : alternatives) {
            derivations.push_back(rest);
            derivations.back().insert(derivations.back().end(), alternative.rbegin(),
                                      alternative.rend());
        }
    }
    return ready;
}

// The derivations after one more byte; none if the text is refused. Begin with the unfolded root.
inline Derivations plain_step(const PlainGrammar& rules, const Derivations& now, int byte) {
    std::vector<Symbols> after;
    for (const Symbols& rest : now) {
        if (!rest.empty() && rest.back().low <= byte && byte <= rest.back().high)
            after.emplace_back(rest.begin(), rest.end() - 1);
    }
    return unfolded(rules, after);
}

}  // namespace tbt
