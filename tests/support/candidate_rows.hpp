// What is left of candidates, as a row over the whole vocabulary.
#pragma once

#include "chapters/06_combining/candidates.hpp"
#include "tests/support/logits.hpp"

namespace tbt::test {

// A token that is no candidate any more is masked.
inline Row as_row(const Candidates& c) {
    Row row(c.vocab_size(), masked);
    for (std::size_t i = 0; i < c.size(); ++i) row[index(c.id(i))] = c.logits()[i];
    return row;
}

}  // namespace tbt::test
