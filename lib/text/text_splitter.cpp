#include "lib/text/text_splitter.hpp"

#include <algorithm>

#include "lib/text/pieces.hpp"

namespace tbt {

TextSplitter::TextSplitter(const std::vector<TextRules::Split>& rules, bool words) {
    using Rule = TextRules::Split::Kind;
    for (const TextRules::Split& rule : rules) {
        const Kind kind = rule.kind == Rule::gpt2     ? Kind::gpt2
                          : rule.kind == Rule::cl100k ? Kind::cl100k
                          : rule.kind == Rule::digits ? Kind::digits
                                                      : Kind::pattern;
        steps_.push_back({kind, rule.most_digits, patterns_.size()});
        if (kind == Kind::pattern) patterns_.emplace_back(rule);
    }
    if (words) steps_.push_back({Kind::words, 0, 0});
}

std::size_t TextSplitter::word_end(std::string_view text, std::size_t begin) {
    std::size_t i = begin;
    while (text.substr(i).starts_with(written_space)) i += written_space.size();
    return std::min(text.find(written_space, i), text.size());
}

}  // namespace tbt
