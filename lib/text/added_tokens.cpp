#include "lib/text/added_tokens.hpp"

#include <algorithm>
#include <functional>

#include "lib/text/pretokenizer.hpp"

namespace tbt {

namespace {

// The beginning, at or after `least`, of the white space that ends at `end`.
std::size_t white_space_begin(std::string_view text, std::size_t least, std::size_t end) {
    while (end > least) {
        std::size_t last = end - 1;
        while (last > least && (text[last] & 0xc0) == 0x80) --last;
        if (last + white_space_length(text, last) != end) break;
        end = last;
    }
    return end;
}

std::size_t white_space_end(std::string_view text, std::size_t begin) {
    while (begin < text.size()) {
        const std::size_t length = white_space_length(text, begin);
        if (length == 0) break;
        begin += length;
    }
    return begin;
}

}  // namespace

AddedTokens::AddedTokens(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
        const std::string& text = tokens_[i].text;
        by_text_.emplace(text, i);
        lengths_[static_cast<unsigned char>(text[0])].push_back(text.size());
    }
    for (std::vector<std::size_t>& lengths : lengths_) {
        std::sort(lengths.begin(), lengths.end(), std::greater());
        lengths.erase(std::unique(lengths.begin(), lengths.end()), lengths.end());
    }
}

const AddedTokens::Token* AddedTokens::token_at(std::string_view text, std::size_t begin,
                                                const Special& special) const {
    const auto is_allowed = [&](const Token& token) {
        if (!token.special) return true;
        const auto& ranges = special.as_text;
        const auto next = std::partition_point(ranges.begin(), ranges.end(),
                                               [&](const auto& r) { return r.end <= begin; });
        return special.wanted && (next == ranges.end() || next->begin >= begin + token.text.size());
    };
    for (const std::size_t length : lengths_[static_cast<unsigned char>(text[begin])]) {
        const auto found = by_text_.find(text.substr(begin, length));
        if (found != by_text_.end() && is_allowed(tokens_[found->second]))
            return &tokens_[found->second];
    }
    return nullptr;
}

AddedTokens::Match AddedTokens::find(std::string_view text, std::size_t begin,
                                     const Special& special) const {
    for (std::size_t i = begin; i < text.size() && !empty(); ++i) {
        if (lengths_[static_cast<unsigned char>(text[i])].empty()) continue;
        const Token* token = token_at(text, i, special);
        if (!token) continue;
        const std::size_t end = i + token->text.size();
        return {token->lstrip ? white_space_begin(text, begin, i) : i,
                token->rstrip ? white_space_end(text, end) : end, token->id};
    }
    return {text.size(), text.size(), -1};
}

}  // namespace tbt
