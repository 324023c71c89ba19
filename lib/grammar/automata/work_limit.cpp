#include "lib/grammar/automata/work_limit.hpp"

namespace tbt {

namespace {

constexpr std::size_t most = 20'000'000, max_together = 40'000'000;  // one and two seconds

thread_local WorkLimit::Together* together = nullptr;

}  // namespace

WorkLimit::Together::Together() : outer_(together) { together = this; }
WorkLimit::Together::~Together() { together = outer_; }

void WorkLimit::spend(std::size_t parts) {
    spent_ += parts;
    if (spent_ > most)
        throw TooLarge(std::string(who_) + ": building its automaton takes more than " +
                       std::to_string(most) +
                       " steps; use smaller repetition counts or fewer alternatives");
    if (together != nullptr && (together->spent_ += parts) > max_together)
        throw TooLarge(std::string(who_) + "s: building their automata takes more than " +
                       std::to_string(max_together) +
                       " steps; use fewer or smaller patterns and lists");
}

}  // namespace tbt
