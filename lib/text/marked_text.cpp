#include "lib/text/marked_text.hpp"

#include <algorithm>

#include "lib/core/error.hpp"

namespace tbt {

MarkedText MarkedText::slice(std::size_t begin, std::size_t end) const {
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

void MarkedText::append(const MarkedText& other) {
    const std::size_t before = text_.size();
    text_ += other.text_;
    for (const Range& r : other.ranges_) {
        if (!ranges_.empty() && ranges_.back().end == before + r.begin)
            ranges_.back().end = before + r.end;
        else ranges_.push_back({before + r.begin, before + r.end});
    }
}

}  // namespace tbt
