#include "lib/grammar/automata/effort.hpp"

namespace tbt {

namespace {

constexpr std::size_t most = 20'000'000, most_together = 40'000'000;  // one and two seconds

thread_local Effort::Together* together = nullptr;

}  // namespace

Effort::Together::Together() : outer_(together) { together = this; }
Effort::Together::~Together() { together = outer_; }

void Effort::spend(std::size_t parts) {
    spent_ += parts;
    if (spent_ > most)
        throw TooLarge(std::string(who_) + ": building its automaton takes more than " +
                       std::to_string(most) +
                       " steps; use smaller repetition counts or fewer alternatives");
    if (together != nullptr && (together->spent_ += parts) > most_together)
        throw TooLarge(std::string(who_) + "s: building their automata takes more than " +
                       std::to_string(most_together) +
                       " steps; use fewer or smaller patterns and lists");
}

}  // namespace tbt
