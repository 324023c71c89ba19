// A step of a text asks for no memory once its states are known.
#include "tests/catch.hpp"

#include <new>

#include "lib/machine/files.hpp"
#include "tests/support/counted_new.hpp"
#include "tests/support/schemas.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

// The calls of operator new in all steps of one text: mask and advance.
std::size_t in_steps(const std::shared_ptr<CompiledGrammar>& language, int budget,
                     std::uint64_t seed) {
    Rng rng(seed);
    GrammarMatcher constraint(language, budget);
    std::size_t count = 0;
    while (!constraint.ended() && constraint.remaining() > 0) {
        const std::size_t before = allocations;
        const TokenMask& mask = constraint.mask();
        count += allocations - before;
        const int id = random_token(mask, rng);
        if (id < 0) break;
        const std::size_t then = allocations;
        constraint.advance(id);
        count += allocations - then;
    }
    REQUIRE(constraint.complete());
    return count;
}

}  // namespace

TEST_CASE("a step whose states are known asks for no memory, near the budget neither") {
    const auto trie =
        vocabulary_with({"{\"", "\":\"", "\",\"", "name", "items", "\"}", "},{", ", \"", "00"});
    for (const std::string name : {"order", "person", "tree", "weather"}) {
        const auto shared = language_of(read_file("data/schemas/" + name + ".json"), trie);
        const int least = stated(*shared);
        for (const int budget : {least, least + 15, least + 300}) {
            INFO(name << ", budget " << budget);
            const std::size_t first = in_steps(shared, budget, 5);
            if (budget == least) CHECK(first > 0);  // the first time there is much to note
            // Two arrays near the end of the budget, for its mask and for the words that may begin
            // there, whatever the number of steps.
            CHECK(in_steps(shared, budget, 5) <= 2);
        }
    }
}
