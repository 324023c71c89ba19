// Exercise 16_01: what an object still lacks.
#include "16_01_missing.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex16_01;

namespace {

void check(const Names& required, const Names& written, const Names& lacks, const char* think) {
    INPUT(required, written);
    THINK(think);
    CHECK(missing(required, written) == lacks);
    CHECK(may_close(required, written) == lacks.empty());
}

}  // namespace

TEST_CASE("a person of whom age and likes are written", "[ex16_01]") {
    check({"name", "age", "job"}, {"age", "likes"}, {"name", "job"},
          "ask of each required name: is it written, anywhere? likes changes nothing");
    check({"name", "age", "job"}, {"age", "likes", "name", "job"}, {}, "all three are there");
    check({"name", "age", "job"}, {"likes", "pet", "shoe"}, {"name", "age", "job"},
          "three members, and none of the three that must be there");
}

TEST_CASE("at the beginning all are missing", "[ex16_01]") {
    check({"b", "a"}, {}, {"b", "a"}, "in the order of required");
    check({"b"}, {}, {"b"}, "one is enough to keep it open");
}

TEST_CASE("where nothing is required nothing is missing", "[ex16_01]") {
    check({}, {}, {}, "{} may close at once");
    check({}, {"a", "b"}, {}, "and after any members");
}

TEST_CASE("the order of what is written means nothing", "[ex16_01]") {
    check({"a", "b", "c", "d"}, {"d", "b"}, {"a", "c"}, "look at all that is written");
    check({"d", "c", "b", "a"}, {"a"}, {"d", "c", "b"}, "in the order of required");
    check({"a", "b"}, {"b", "a"}, {}, "both are there");
}

TEST_CASE("a name is its bytes, all of them", "[ex16_01]") {
    check({"age"}, {"Age"}, {"age"}, "\"Age\" is not \"age\"");
    check({"age"}, {"ag", "aged", "eag"}, {"age"}, "no part of a name, and nothing more than it");
    check({"age", "ago"}, {"ago"}, {"age"}, "all letters count");
    check({""}, {"a"}, {""}, "the empty text is a name, too");
    check({"größe"}, {"grosse", "größe"}, {}, "whatever the letters");
}

TEST_CASE("any members in any order: a name is missing or written", "[ex16_01]") {
    Rng rng(161);
    const Names all = {"a", "b", "c", "d", "e", "f"};
    for (int round = 0; round < 500; ++round) {
        Names required, written, lacks;
        for (const std::string& name : all) {
            const bool must = rng.below(2) == 0, there = rng.below(2) == 0;
            if (must) required.push_back(name);
            if (there) written.insert(written.begin() + long(rng.below(written.size() + 1)), name);
            if (must && !there) lacks.push_back(name);
        }
        check(required, written, lacks, "a name is missing if it is required and not written");
    }
}
