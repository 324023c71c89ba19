// Splits a text into the pieces that are encoded one by one. It carries out the steps of
// TextRules::Split; each step splits the pieces of the step before it.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lib/text/joined_characters.hpp"
#include "lib/text/pretokenizer.hpp"
#include "lib/text/split_pattern.hpp"
#include "lib/text/text_rules.hpp"

namespace tbt {

class TextSplitter {
public:
    TextSplitter() = default;
    // joined: also cut where no merge joins the characters. That keeps pieces short and changes no
    // ids, unless a whole piece can be a token without merges. Null: no cuts. Throws the errors of
    // SplitPattern.
    TextSplitter(const std::vector<TextRules::Split>& rules, const JoinedCharacters* joined);

    // Calls visit(piece) for each piece, in order.
    template <class Visit>
    void split(std::string_view text, Visit&& visit) const {
        split_from(0, text, visit);
    }

private:
    enum class Kind { gpt2, cl100k, digits, pattern, joined };
    struct Step {
        Kind kind;
        int max_digits;
        std::size_t pattern;  // index in patterns_
    };

    template <class Visit>
    void split_from(std::size_t step, std::string_view text, Visit& visit) const {
        if (step == steps_.size()) {
            if (!text.empty()) visit(text);
            return;
        }
        const Step& s = steps_[step];
        const auto each = [&](auto&& end_of) {
            for (std::size_t begin = 0; begin < text.size();) {
                const std::size_t end = end_of(begin);
                split_from(step + 1, text.substr(begin, end - begin), visit);
                begin = end;
            }
        };
        switch (s.kind) {
            case Kind::gpt2:
                each([&](std::size_t i) { return pretoken_end(text, i); });
                break;
            case Kind::cl100k:
                each([&](std::size_t i) { return cl100k_pretoken_end(text, i, s.max_digits); });
                break;
            case Kind::digits:
                each([&](std::size_t i) { return digits_end(text, i, s.max_digits); });
                break;
            case Kind::joined:
                each([&](std::size_t i) { return joined_.part_end(text, i); });
                break;
            case Kind::pattern:
                for (const std::string_view piece : patterns_[s.pattern].split(text))
                    split_from(step + 1, piece, visit);
        }
    }

    std::vector<Step> steps_;
    std::vector<SplitPattern> patterns_;
    JoinedCharacters joined_;
};

}  // namespace tbt
