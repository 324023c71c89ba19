#include "tests/catch.hpp"

#include <string>

#include "chapters/15_regular/held_numbers.hpp"
#include "chapters/15_regular/numbers.hpp"
#include "chapters/15_regular/regex.hpp"

using namespace tbt;

TEST_CASE("of endlessly many numbers those are written that a double holds, of a few all",
          "[ch15]") {
    const std::string digits(15, '7');
    const Dfa halves = multiple_of(Decimal::parse("0.5")), held = held_by_a_double(halves);
    CHECK(held.accepts(digits));
    CHECK(held.accepts("-" + digits));
    CHECK(held.accepts("77777777777777.5"));
    CHECK(!held.accepts("777777777777777.5"));
    CHECK(!held.accepts("-" + digits + "7"));
    CHECK(!held.accepts("0.25"));
    CHECK((held - halves).empty());
    // Where rounding cannot lead elsewhere.
    const Dfa whole = at_least(Decimal::parse("5"), false) & plain_integers();
    CHECK(held_by_a_double(whole).accepts("1" + std::string(20, '7')));
    CHECK(
        !held_by_a_double(whole & multiple_of(Decimal::parse("3"))).accepts(std::string(18, '3')));
    CHECK(
        !held_by_a_double(at_most(Decimal::parse("1"), true)).accepts("0." + std::string(18, '9')));
    for (const bool strictly : {false, true})
        CHECK(held_by_a_double(at_least(Decimal(), strictly)).accepts("0." + std::string(18, '9')));
    // Where there is no shorter one, or only a few.
    const Dfa large = at_least(Decimal::parse("1e20"), false);
    CHECK(held_by_a_double(large).accepts("1" + std::string(20, '0')));
    const std::string pi = "3.14159265358979323846";
    const Dfa one = equal_to(Decimal::parse(pi)) & regex_whole("[^0]*[0-9]{0,20}");
    CHECK(held_by_a_double(one).accepts(pi));
}
