// How many tokens the texts between the values of an object take, each by itself: `,"` and
// `name":` and `}`.
#pragma once

#include <string>
#include <vector>

#include "chapters/14_grammar/token_bound.hpp"
#include "chapters/15_regular/spelling.hpp"
#include "chapters/16_json_schema/object_shape.hpp"

namespace tbt {

class ObjectLengths {
public:
    ObjectLengths(const ObjectShape& shape, const Blanks& blanks, Spelling spelling)
        : shape_(&shape), blanks_(&blanks), spelling_(spelling) {}

    // With the tokens of this bound; false: as before.
    bool measure_by(const TokenBound& bound);

    // Up to the quote of a key: behind a member, behind the brace, and from inside the blanks,
    // `left` bytes before the quote.
    int comma() const { return before_key_[0]; }
    int open() const { return open_; }
    int before_key(int left) const;
    // In the key of a member behind so many bytes, with the quote, the colon and blanks; these
    // alone, of which `left` bytes are left.
    int key(int member, int bytes);
    int colon(int left) const { return colon_[colon_.size() - 1 - index(left)]; }
    int colon() const { return colon_[0]; }
    // The blanks and the brace, `left` bytes.
    int close(int left) const { return close_[close_.size() - 1 - index(left)]; }
    int close() const { return close_[0]; }

private:
    const ObjectShape* shape_;
    const Blanks* blanks_;
    Spelling spelling_;
    const TokenBound* bound_ = nullptr;
    unsigned id_ = 0;
    int open_ = 0;
    std::vector<int> before_key_, colon_, close_;  // by the bytes that are read
    // Of the keys that were asked for, one after the other: where a member's begin (−1: not yet).
    std::vector<int> keys_, first_;
    std::string text_;
    std::vector<bool> cut_;
};

}  // namespace tbt
