#include "chapters/16_json_schema/object_lengths.hpp"

#include <algorithm>
#include <string>

#include "lib/index.hpp"

namespace tbt {

bool ObjectLengths::measure_by(const TokenBound& bound) {
    bound_ = &bound;
    if (id_ == bound.id()) return false;
    keys_.assign(shape_->members.size(), {});
    before_key_ = bound.of_suffixes("," + blanks_->comma + "\"");
    colon_ = bound.of_suffixes("\":" + blanks_->colon);
    close_ = bound.of_suffixes(blanks_->close + "}");
    // The nodes inside the blanks do not know what they stand behind.
    open_ = blanks_->open == blanks_->comma ? before_key(count(blanks_->open))
                                            : 1 + count(blanks_->open);
    id_ = bound.id();
    return true;
}

int ObjectLengths::before_key(int left) const {
    return index(left) + 2 > before_key_.size() ? left + 1
                                                : before_key_[before_key_.size() - 2 - index(left)];
}

// Tokens end and begin between letters: inside the spelling of one, a node does not know which.
int ObjectLengths::key(int member, int bytes) {
    std::vector<int>& known = at(keys_, member);
    if (known.empty()) {
        std::string text;
        std::vector<bool> cut;
        for (const std::int32_t c : code_points_of(at(shape_->members, member).name, "key")) {
            const std::vector<ByteSequence> ways = spell(CodePointSet(c, c), spelling_);
            const auto shortest = std::min_element(
                ways.begin(), ways.end(),
                [](const ByteSequence& a, const ByteSequence& b) { return a.size() < b.size(); });
            for (const ByteChoice& byte : *shortest) {
                cut.push_back(&byte == &shortest->front());
                text += static_cast<char>(byte[0].low);
            }
        }
        text += "\":" + blanks_->colon;
        cut.resize(text.size(), true);
        known = bound_->of_suffixes(text, cut);
    }
    return at(known, bytes);
}

}  // namespace tbt
