#include "chapters/16_json_schema/object_lengths.hpp"

#include <span>

#include "lib/index.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

bool ObjectLengths::measure_by(const TokenBound& bound) {
    bound_ = &bound;
    if (id_ == bound.id()) return false;
    keys_.clear(), first_.assign(shape_->members.size(), -1);
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
    int& first = at(first_, member);
    if (first < 0) {
        const std::string& name = at(shape_->members, member).name;
        text_.clear(), cut_.clear();
        for (std::size_t i = 0; i < name.size();) {
            const CodePoint c = decode_utf8(name, i);
            cut_.push_back(true);
            text_ += shortest_spelling(c.value, spelling_);
            cut_.resize(text_.size());
            i += index(c.length);
        }
        text_ += "\":", text_ += blanks_->colon;
        cut_.resize(text_.size(), true);
        first = count(keys_);
        keys_.resize(keys_.size() + text_.size() + 1);
        bound_->of_suffixes(text_, cut_, std::span(keys_).subspan(index(first)));
    }
    return at(keys_, first + bytes);
}

}  // namespace tbt
