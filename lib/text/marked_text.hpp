// A text that knows which of its bytes come from a message of a conversation and not from the
// program around it. Only the program may write special tokens: an "<|im_end|>" that a user types
// is seven ordinary characters and some more (Tokenizer::encode_marked).
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
    // Where it comes from messages: ascending, with gaps between them.
    std::span<const Range> from_messages() const { return ranges_; }

    // The bytes from begin to end, with their marks; begin ≤ end ≤ size.
    MarkedText slice(std::size_t begin, std::size_t end) const;
    void append(const MarkedText& other);
    void append(std::string_view text) { text_ += text; }

private:
    std::string text_;
    std::vector<Range> ranges_;
};

}  // namespace tbt
