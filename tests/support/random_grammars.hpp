// Grammars at random, and what they derive, found the slow way.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/machine/files.hpp"
#include "tests/catch.hpp"
#include "tests/support/guided.hpp"

namespace tbt::testing {

inline bool derives(const std::string& grammar, std::string_view text) {
    GrammarRecognizer recognizer(compile_gbnf(grammar));
    return accepts_text(recognizer, text);
}

struct Case {
    const char* grammar;
    std::vector<std::string> yes, no;
};

inline std::shared_ptr<GrammarRecognizer> recognizer_of(const std::string& grammar) {
    return std::make_shared<GrammarRecognizer>(compile_gbnf(grammar));
}

// A text is derived from an expression in every way that its definition allows:
// the ends that a text from `at` may have.
inline std::set<std::size_t> ends_of(const Expression& e, const NamedRules& rules,
                                     const std::string& text, std::size_t at) {
    using Kind = Expression::Kind;
    std::set<std::size_t> ends;
    switch (e.kind) {
        case Kind::characters:
            if (at < text.size() && e.set.contains(text[at])) ends.insert(at + 1);
            break;
        case Kind::text:
            if (text.compare(at, e.text.size(), e.text) == 0) ends.insert(at + e.text.size());
            break;
        case Kind::rule:
            return ends_of(rules.bodies[static_cast<std::size_t>(e.rule)], rules, text, at);
        case Kind::choice:
            for (const Expression& part : e.parts) ends.merge(ends_of(part, rules, text, at));
            break;
        case Kind::sequence: {
            std::set<std::size_t> now{at};
            for (const Expression& part : e.parts) {
                std::set<std::size_t> next;
                for (const std::size_t n : now) next.merge(ends_of(part, rules, text, n));
                now.swap(next);
            }
            return now;
        }
        case Kind::repeat: {
            std::set<std::size_t> now{at};
            for (int i = 0; !now.empty(); ++i) {
                if (i >= e.low) ends.insert(now.begin(), now.end());
                if (e.high != Expression::unlimited && i >= e.high) break;
                std::set<std::size_t> next;
                for (const std::size_t n : now) {
                    for (const std::size_t m : ends_of(e.parts[0], rules, text, n)) {
                        if (m > n || i < e.low) next.insert(m);
                    }
                }
                if (i > static_cast<int>(text.size()) + e.low) break;
                now.swap(next);
            }
            break;
        }
        default:
            break;
    }
    return ends;
}

// Random rules that read a letter before they call a rule that is not below them.
inline NamedRules random_rules(Rng& rng) {
    NamedRules rules;
    const int count = 1 + static_cast<int>(rng.below(4));
    const auto letter = [&] {
        return Expression::literal(std::string(1, static_cast<char>('a' + rng.below(2))));
    };
    std::function<Expression(int, int, bool)> any = [&](int rule, int depth,
                                                        bool may_call_all) -> Expression {
        switch (rng.below(depth > 2 ? 3 : 7)) {
            case 0:
                return letter();
            case 1:
                return Expression::characters(
                    CodePointSet('a', static_cast<std::int32_t>('a' + rng.below(3))));
            case 2: {
                if (may_call_all)
                    return Expression::of_rule(
                        static_cast<int>(rng.below(static_cast<std::uint64_t>(count))));
                return rule + 1 < count
                           ? Expression::of_rule(rule + 1 +
                                                 static_cast<int>(rng.below(
                                                     static_cast<std::uint64_t>(count - rule - 1))))
                           : letter();
            }
            case 3:
                return Expression::repeat(any(rule, depth + 1, may_call_all),
                                          static_cast<int>(rng.below(3)),
                                          rng.below(2) == 0 ? Expression::unlimited : 2);
            case 4:
                return Expression::choice(
                    {any(rule, depth + 1, may_call_all), any(rule, depth + 1, may_call_all)});
            case 5:
                return Expression::sequence({});
            default: {
                // After a letter every rule may be called.
                std::vector<Expression> parts{letter()};
                for (std::uint64_t n = 1 + rng.below(3); n > 0; --n)
                    parts.push_back(any(rule, depth + 1, true));
                return Expression::sequence(std::move(parts));
            }
        }
    };
    for (int r = 0; r < count; ++r) {
        rules.names.push_back("rule" + std::to_string(r));
        rules.bodies.push_back(Expression::choice({any(r, 0, false), any(r, 0, false)}));
    }
    return rules;
}

// A recognizer of such rules; none where they have no text, or a rule calls itself through nothing.
inline std::shared_ptr<GrammarRecognizer> random_recognizer(Rng& rng) {
    try {
        const auto recognizer =
            std::make_shared<GrammarRecognizer>(compile_rules(random_rules(rng)));
        return recognizer->start() == Recognizer::dead ? nullptr : recognizer;
    } catch (const UsageError&) {
        return nullptr;
    }
}

inline std::vector<std::string> all_texts(std::size_t longest, const std::string& letters) {
    std::vector<std::string> texts{""};
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (texts[i].size() == longest) break;
        for (const char c : letters) texts.push_back(texts[i] + c);
    }
    return texts;
}

}  // namespace tbt::testing
