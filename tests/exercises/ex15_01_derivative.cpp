// Exercise 15_01: the derivative of a regular expression.
#include "15_01_derivative.hpp"
#include "chapters/15_regular/plain_derivative.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex15_01;

namespace {

const Regex a = byte_from('a', 'a'), b = byte_from('b', 'b'), c = byte_from('c', 'c'),
            small = byte_from('a', 'z'), high = byte_from('\x80', '\xff'), epsilon = any_times({});

std::string in_words(const Regex& e) {
    return e.kind == Regex::nothing ? "∅" : e.name.empty() ? "ε" : e.name;
}

void check(const Regex& e, const std::string& text, bool expected, const std::string& think = "") {
    INFO("does " << in_words(e) << " match \"" << text << "\"?");
    THINK((think.empty() ? "the table, line by line" : think));
    Regex rest = e;
    for (const char byte : text) rest = rest_after(rest, static_cast<unsigned char>(byte));
    INFO("left after it: " << in_words(rest));
    CHECK(may_end(rest) == expected);
}

Regex random_regex(Rng& rng, int depth) {
    const std::uint64_t kind = rng.below(depth > 0 ? 8 : 4);
    const auto part = [&] { return random_regex(rng, depth - 1); };
    if (kind == 0) return rng.below(4) ? epsilon : Regex();
    if (kind < 4) return kind == 1 ? a : kind == 2 ? b : byte_from('a', 'b');
    const Regex first = part();
    if (kind == 7) return any_times(first);
    return kind == 6 ? either(first, part()) : then(first, part());
}

}  // namespace

TEST_CASE("a(b|c)*", "[ex15_01]") {
    const Regex e = then(a, any_times(either(b, c)));
    check(e, "a", true);
    check(e, "abcb", true);
    check(e, "", false);
    check(e, "b", false);
    check(e, "aba", false);
    CHECK(rest_after(e, 'a').name == rest_after(rest_after(e, 'a'), 'b').name);
}

TEST_CASE("nothing, the empty text, and a byte", "[ex15_01]") {
    check(Regex(), "", false, "∅ matches no text, not even the empty one");
    check(Regex(), "a", false);
    check(epsilon, "", true);
    check(epsilon, "a", false, "nothing may follow");
    check(a, "a", true);
    check(a, "", false);
    check(a, "b", false);
    check(a, "aa", false, "the byte was used up");
    check(small, "a", true, "low and high belong to it");
    check(small, "z", true, "low and high belong to it");
    check(small, "{", false);
    check(small, "`", false);
    check(high, "\x80", true, "bytes go up to 255");
    check(high, "\xff", true, "bytes go up to 255");
}

TEST_CASE("choices", "[ex15_01]") {
    check(either(a, b), "a", true);
    check(either(a, b), "b", true);
    check(either(either(a, b), c), "c", true, "there may be more than two");
    check(either(a, epsilon), "", true, "one that may be empty is enough");
    check(either(epsilon, b), "b", true);
    check(either(either(a, b), any_times(c)), "", true, "the third may be empty");
    check(either(then(a, b), then(a, c)), "ac", true, "both begin with a");
    check(either(then(a, b), then(a, c)), "aa", false);
}

TEST_CASE("a sequence whose first part may be empty", "[ex15_01]") {
    const Regex optional = either(a, epsilon);
    check(then(optional, b), "ab", true);
    check(then(optional, b), "b", true, "the second part may read the byte");
    check(then(optional, b), "a", false);
    check(then(optional, optional), "", true);
    check(then(optional, optional), "aa", true);
    check(then(optional, b), "", false, "both must be able to be empty");
    check(then(a, optional), "", false, "both must be able to be empty");
    check(then(any_times(a), a), "aaa", true, "the star may end at any time");
    check(then(a, b), "b", false, "the first part must be read");
    check(then(either(a, b), c), "c", false, "a choice that is read cannot be empty");
    check(then(any_times(a), then(any_times(b), c)), "c", true, "two stars may both be empty");
}

TEST_CASE("stars", "[ex15_01]") {
    check(any_times(then(a, b)), "", true);
    check(any_times(then(a, b)), "abab", true, "again and again");
    check(any_times(then(a, b)), "aba", false);
    check(any_times(any_times(a)), "aaa", true);
    check(any_times(either(a, then(b, c))), "abca", true);
}

TEST_CASE("random expressions: as the chapter's, for all texts of a and b up to six letters",
          "[ex15_01]") {
    Rng rng(151);
    for (int round = 0; round < 600; ++round) {
        const Regex e = random_regex(rng, 1 + round / 200);
        for (int i = 0; i < 12; ++i) {
            std::string text;
            for (std::size_t n = rng.below(7); n > 0; --n) text += "ab"[rng.below(2)];
            Regex rest = e;
            for (const char byte : text)
                rest = tbt::derivative(rest, static_cast<unsigned char>(byte));
            check(e, text, may_be_empty(rest), "the table, line by line");
        }
    }
}
