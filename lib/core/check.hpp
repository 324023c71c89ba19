// Checks of the arguments of public functions: what came, and what was expected.
#pragma once

#include <cstddef>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt {

// ---- ids: token i of a vocabulary of V is value i of a row ----
inline bool is_id(int id, std::size_t vocab_size) {
    return index(id) < vocab_size;  // a negative id becomes a huge index
}
inline std::string no_such_id(const std::string& who, int id, std::size_t vocab_size) {
    return who + ": token " + std::to_string(id) + " is not in the vocabulary, expected " +
           (vocab_size == 0 ? "none, for the vocabulary is empty"
                            : "an id from 0 to " + std::to_string(vocab_size - 1));
}
// The id as an index. Throws Error when there is no such token.
inline std::size_t checked_id(const char* who, int id, std::size_t vocab_size) {
    if (!is_id(id, vocab_size)) throw Error(no_such_id(who, id, vocab_size));
    return index(id);
}
template <class Ids>
void check_ids(const char* who, const Ids& ids, std::size_t vocab_size) {
    for (const int id : ids) checked_id(who, id, vocab_size);
}

// ---- counts and sizes ----
// A place in a list of `size`, as an index. Throws Error if it is out of range.
inline std::size_t checked_place(const char* what, long long place, std::size_t size) {
    if (place >= 0 && static_cast<unsigned long long>(place) < size) return index(place);
    throw Error(std::string(what) + ": index " + std::to_string(place) +
                " is out of range, expected " +
                (size == 0 ? "none, for the list is empty" : "0 to " + std::to_string(size - 1)));
}
// Throws Error unless the sizes agree.
inline void check_size(const char* what, std::size_t got, std::size_t expected) {
    if (got == expected) return;
    throw Error(std::string(what) + " has size " + std::to_string(got) + ", expected " +
                std::to_string(expected));
}
// Throws UsageError unless got >= least.
inline void check_at_least(const char* who, long long got, long long least) {
    if (got >= least) return;
    throw UsageError(std::string(who) + ": got " + std::to_string(got) + ", expected " +
                     std::to_string(least) + " or more");
}

}  // namespace tbt
