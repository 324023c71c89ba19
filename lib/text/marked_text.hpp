// A text that records which of its bytes come from the messages of a conversation and which from
// the chat template. Only the template may write special tokens; an "<|im_end|>" in a message is
// encoded as ordinary characters (Tokenizer::encode_marked). This prevents prompt injection by
// special tokens.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tbt {

class MarkedText {
public:
    struct Range {
        std::size_t begin, end;  // bytes; begin < end
        bool operator==(const Range&) const = default;
    };

    MarkedText() = default;
    explicit MarkedText(std::string text, bool from_message = false) : text_(std::move(text)) {
        if (from_message && !text_.empty()) ranges_ = {{0, text_.size()}};
    }

    const std::string& text() const { return text_; }
    // The parts that come from messages, in ascending order, with gaps between them.
    std::span<const Range> from_messages() const { return ranges_; }

    // The bytes begin … end − 1 with their marks; begin ≤ end ≤ size.
    MarkedText slice(std::size_t begin, std::size_t end) const;
    void append(const MarkedText& other);
    void append(std::string_view text) { text_ += text; }

private:
    std::string text_;
    std::vector<Range> ranges_;
};

}  // namespace tbt
