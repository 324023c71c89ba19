// Exercise 14_00: a byte is read, and every way to go on is followed.
#include "14_00_byte.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex14_00;

namespace {

const Checker check_after("after(ways, byte)", ex14_00::after);
const Checker check_end("may_end(ways)", ex14_00::may_end);
const Checker check_possible("possible(ways)", ex14_00::possible);

const Ways four = {"+1", "", "+2", "-"};

}  // namespace

TEST_CASE("after a plus two ways are left", "[ex14_00]") {
    check_after(four, '+', {"1", "2"}, "the rest of every way that begins with it");
    check_after(four, '-', {""}, "a way that has nothing left is still a way");
    check_after(four, '*', {}, "no way begins with it: the text is refused");
    check_after(four, '1', {}, "only the first byte of a way may come");
    check_after({}, '+', {}, "no ways, no rests");
    check_after({"", ""}, '+', {}, "ways with nothing left go on with nothing");
    check_after({"", "a"}, '\0', {}, "a way with nothing left has no first byte");
}

TEST_CASE("one byte is taken off, and no way is lost or joined", "[ex14_00]") {
    check_after({"++", "+"}, '+', {"+", ""}, "one byte, not all of them");
    check_after({"b1", "a2", "b0"}, 'b', {"1", "0"}, "in the same order");
    check_after({"ab", "ab"}, 'a', {"b", "b"}, "two ways with the same rest are two ways");
    check_after({"ab", "xab"}, 'a', {"b"}, "a way must begin with it");
    check_after({"abc"}, 'a', {"bc"}, "all of the rest");
}

TEST_CASE("the text may end if one way has nothing left", "[ex14_00]") {
    check_end(four, true, "the second way has nothing left");
    check_end({"1", "2"}, false, "each of them still wants a byte");
    check_end({""}, true, "nothing left");
    check_end({"", ""}, true, "one is enough");
    check_end({}, false, "a text without ways was refused");
    check_end({"a", "b", ""}, true, "wherever it is");
}

TEST_CASE("what may come next", "[ex14_00]") {
    check_possible(four, {'+', '-'}, "the first bytes, each once; the empty way has none");
    check_possible({"b", "a", "b"}, {'a', 'b'}, "each once, ascending");
    check_possible({"ab", "cd"}, {'a', 'c'}, "first bytes only");
    check_possible({""}, {}, "nothing may come");
    check_possible({}, {}, "nothing may come");
}

TEST_CASE("any ways: a byte is possible if something is left after it", "[ex14_00]") {
    Rng rng(1400);
    for (int round = 0; round < 300; ++round) {
        Ways ways;
        for (std::size_t n = rng.below(6); n > 0; --n) {
            ways.emplace_back();
            for (std::size_t m = rng.below(4); m > 0; --m) ways.back() += "abc"[rng.below(3)];
        }
        std::set<char> first;
        bool end = false;
        for (const char byte : {'a', 'b', 'c'}) {
            Ways rest;
            for (const std::string& way : ways) {
                if (way.empty()) end = true;
                else if (way[0] == byte) rest.push_back(way.substr(1)), first.insert(byte);
            }
            check_after(ways, byte, rest, "the rest of every way that begins with it");
        }
        check_end(ways, end, "is a way empty?");
        check_possible(ways, first, "the first bytes of the ways that have one");
    }
}
