// A text that records which of its bytes come from the messages of a conversation and which from
// the chat template. Only the template may write special tokens; an "<|im_end|>" in a message is
// encoded as ordinary characters (Tokenizer::encode_marked). This prevents prompt injection by
// special tokens.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/core/error.hpp"

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
    MarkedText slice(std::size_t begin, std::size_t end) const {
        if (begin > end || end > text_.size())
            throw Error("a text of " + std::to_string(text_.size()) + " bytes has no part from " +
                        std::to_string(begin) + " to " + std::to_string(end));
        MarkedText part(text_.substr(begin, end - begin));
        auto range = std::partition_point(ranges_.begin(), ranges_.end(),
                                          [&](const Range& r) { return r.end <= begin; });
        for (; range != ranges_.end() && range->begin < end; ++range)
            part.ranges_.push_back(
                {std::max(range->begin, begin) - begin, std::min(range->end, end) - begin});
        return part;
    }
    void append(const MarkedText& other) {
        const std::size_t before = text_.size();
        text_ += other.text_;
        for (const Range& r : other.ranges_) {
            if (!ranges_.empty() && ranges_.back().end == before + r.begin)
                ranges_.back().end = before + r.end;
            else ranges_.push_back({before + r.begin, before + r.end});
        }
    }
    void append(std::string_view text) { text_ += text; }

private:
    std::string text_;
    std::vector<Range> ranges_;
};

}  // namespace tbt
