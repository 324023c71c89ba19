#include "lib/text/text_splitter.hpp"

namespace tbt {

TextSplitter::TextSplitter(const std::vector<TextRules::Split>& rules,
                           const JoinedCharacters* joined) {
    using Rule = TextRules::Split::Kind;
    for (const TextRules::Split& rule : rules) {
        const Kind kind = rule.kind == Rule::gpt2     ? Kind::gpt2
                          : rule.kind == Rule::cl100k ? Kind::cl100k
                          : rule.kind == Rule::digits ? Kind::digits
                                                      : Kind::pattern;
        steps_.push_back({kind, rule.max_digits, patterns_.size()});
        if (kind == Kind::pattern) patterns_.emplace_back(rule);
    }
    if (!joined) return;
    steps_.push_back({Kind::joined, 0, 0});
    joined_ = *joined;
}

}  // namespace tbt
