#include "tests/catch.hpp"

#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/schema/scalars.hpp"

using namespace tbt;

TEST_CASE("of endlessly many numbers those are written that a double holds, of a few all") {
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
    const Dfa one = equal_to(Decimal::parse(pi)) & regex_full_match("[^0]*[0-9]{0,20}");
    CHECK(held_by_a_double(one).accepts(pi));
}

namespace {

// All texts of at most four of these characters, and longer ones that are numbers.
std::vector<std::string> texts_like_numbers() {
    std::vector<std::string> texts = {""};
    for (std::size_t i = 0; i < texts.size(); ++i)
        if (texts[i].size() < 4)
            for (const char c : {'-', '.', '0', '1', '2', '5', '9'}) texts.push_back(texts[i] + c);
    for (const char* sign : {"", "-"})
        for (const char* whole : {"0", "1", "2", "19", "20", "21", "099", "100", "1000"})
            for (const char* fraction : {"", ".0", ".05", ".25", ".250", ".251", ".5", ".9999"})
                texts.push_back(sign + std::string(whole) + fraction);
    return texts;
}

// Numbers as these automata write them: no exponent, no zero that leads.
bool is_number(std::string text) {
    if (text.starts_with('-')) text.erase(0, 1);
    const std::size_t point = std::min(text.find('.'), text.size());
    const auto digits = [](const std::string& s) {
        return !s.empty() && s.find_first_not_of("0123456789") == std::string::npos;
    };
    return digits(text.substr(0, point)) && (text[0] != '0' || point == 1) &&
           (point == text.size() || digits(text.substr(point + 1)));
}

}  // namespace

TEST_CASE("bounds of numbers accept what arithmetic accepts, of all short texts") {
    const std::vector<std::string> texts = texts_like_numbers();
    for (const char* bound : {"0", "1", "1.5", "-1.5", "20", "-20", "2.25", "0.05", "-0.5", "9",
                              "99.9", "100", "-100", "0.25", "21", "10"}) {
        const double b = std::stod(bound);
        const Decimal exact = Decimal::parse(bound);
        for (const bool strictly : {false, true}) {
            const Dfa least = at_least(exact, strictly), most = at_most(exact, strictly);
            for (const std::string& text : texts) {
                // Few digits: a double compares as the decimals do.
                const double x = is_number(text) ? std::stod(text) : std::nan("");
                INFO("'" << text << "' against " << bound << (strictly ? ", strictly" : ""));
                REQUIRE(least.accepts(text) == (strictly ? x > b : x >= b));
                REQUIRE(most.accepts(text) == (strictly ? x < b : x <= b));
            }
        }
    }
}
