// Exercise 17_01: one merge.
#include <sstream>

#include "17_01_join.hpp"
#include "chapters/17_tokenizer/plain_bpe.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex17_01;

namespace {

using Pieces = std::vector<std::string>;

// "t h e": pieces with a space between them.
Pieces pieces_of(const std::string& line) {
    Pieces pieces;
    std::istringstream words(line);
    for (std::string word; words >> word;) pieces.push_back(word);
    return pieces;
}

void check(const std::string& line, const std::string& left, const std::string& right,
           const std::string& expected, const std::string& think) {
    Pieces pieces = pieces_of(line);
    INFO("the pieces after join(pieces, left, right)");
    INPUT(pieces, left, right);
    THINK(think);
    ex17_01::join(pieces, left, right);
    CHECK(pieces == pieces_of(expected));
}

}  // namespace

TEST_CASE("the other: h and e are joined", "[ex17_01]") {
    check("t h e o t h e r", "h", "e", "t he o t he r", "everywhere, and nothing else");
    check("t he o t he r", "t", "he", "the o the r", "pieces may be longer than a letter");
}

TEST_CASE("of three equal pieces the first two", "[ex17_01]") {
    check("a a a", "a", "a", "aa a", "from left to right, and a piece is used once");
    check("a a a a", "a", "a", "aa aa", "go on after the new piece");
    check("a a a a a", "a", "a", "aa aa a", "go on after the new piece");
}

TEST_CASE("at the beginning and at the end, and side by side", "[ex17_01]") {
    check("a b x", "a", "b", "ab x", "the first two");
    check("x a b", "a", "b", "x ab", "the last two");
    check("a b a b a b", "a", "b", "ab ab ab", "no piece between them is skipped");
    check("a a b", "a", "b", "a ab", "a piece that is not joined may begin the next pair");
}

TEST_CASE("both must fit, in this order", "[ex17_01]") {
    check("b a", "a", "b", "b a", "left comes before right");
    check("a c b", "a", "b", "a c b", "directly before it");
    check("a c", "a", "b", "a c", "left alone is not enough");
    check("c b", "a", "b", "c b", "right alone is not enough");
    check("a bc", "ab", "c", "a bc", "these two pieces, not this text");
    check("xa b", "a", "b", "xa b", "the whole piece, not its end");
    check("a bx", "a", "b", "a bx", "the whole piece, not its beginning");
}

TEST_CASE("one piece, and none", "[ex17_01]") {
    check("a", "a", "a", "a", "the last piece has no neighbour");
    check("", "a", "b", "", "nothing to join");
    check("ab", "a", "b", "ab", "joined already");
}

TEST_CASE("any pieces: as the chapter joins their ids", "[ex17_01]") {
    Rng rng(1701);
    const Pieces known = {"a", "b", "ab", "ba", "c"};
    for (int round = 0; round < 600; ++round) {
        std::vector<int> ids;
        std::string line, expected;
        for (std::size_t n = rng.below(11); n > 0; --n) {
            ids.push_back(int(rng.below(1 + std::uint64_t(round) % known.size())));
            line += (line.empty() ? "" : " ") + known[std::size_t(ids.back())];
        }
        const std::size_t left = rng.below(known.size()), right = rng.below(known.size());
        for (const int id : tbt::join(ids, {int(left), int(right)}, -1))
            expected += " " + (id < 0 ? known[left] + known[right] : known[std::size_t(id)]);
        check(line, known[left], known[right], expected,
              "from left to right, and a piece is used once");
    }
}
