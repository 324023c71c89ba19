// Exercise 15_1: dates, near-dates, and every prefix there is.
#include "15_1_date.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex15_1;

namespace {

std::string verdict(const std::string& text) {
    const Verdict v = validate(text);
    return v == Verdict::dead ? "dead" : v == Verdict::alive ? "alive" : "complete";
}

const Checker check_verdict("validate(text)", verdict);

// Tries all bytes after an alive prefix; counts the dates, and fails where an alive
// prefix leads to none.
long count_dates(std::string& text) {
    long dates = 0;
    for (const char byte : std::string("0123456789-")) {
        text.push_back(byte);
        const Verdict v = validate(text);
        if (v == Verdict::complete) ++dates;
        if (v == Verdict::alive) {
            const long more = count_dates(text);
            EXPECT(more > 0, "dead: no date begins like this", "alive, for \"" + text + "\"");
            dates += more;
        }
        text.pop_back();
    }
    return dates;
}

}  // namespace

TEST_CASE("a date is complete, its beginnings are alive", "[ex15_1]") {
    THINK("fewer than 10 right characters are alive");
    const std::string date = "2031-04-30";
    for (std::size_t n = 0; n < date.size(); ++n) check_verdict(date.substr(0, n), "alive");
    check_verdict(date, "complete");
    check_verdict(date + "0", "dead");
    check_verdict(date + "T", "dead");
}

TEST_CASE("months have their lengths", "[ex15_1]") {
    THINK("30 days have the fourth, sixth, ninth and eleventh; February has its own rule");
    const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (int month = 1; month <= 12; ++month) {
        INPUT(month);
        CHECK(days_in(2023, month) == days[month - 1]);
    }
}

TEST_CASE("leap years: by 4, not by 100, but by 400", "[ex15_1]") {
    THINK("by 4; not by 100; but by 400");
    for (const int year : {2024, 2000, 1600, 0, 4, 2400}) {
        INPUT(year);
        CHECK(days_in(year, 2) == 29);
    }
    for (const int year : {2023, 1900, 2100, 100, 1, 9999}) {
        INPUT(year);
        CHECK(days_in(year, 2) == 28);
    }
    check_verdict("2024-02-29", "complete");
    check_verdict("2023-02-29", "dead");
    check_verdict("1900-02-29", "dead");
    check_verdict("2000-02-29", "complete");
    check_verdict("0000-02-29", "complete");
}

TEST_CASE("a prefix that no digit can save is dead at once", "[ex15_1]") {
    INFO("think about: which days does the first digit leave?");
    check_verdict("2023-2", "dead");
    check_verdict("2023-1", "alive");
    check_verdict("2023-13", "dead");
    check_verdict("2023-00", "dead");
    check_verdict("2023-02-3", "dead");
    check_verdict("2024-02-2", "alive");
    check_verdict("2023-04-3", "alive");
    check_verdict("2023-04-31", "dead");
    check_verdict("2023-12-4", "dead");
    check_verdict("2023-01-00", "dead");
    check_verdict("2023-01-0", "alive");
}

TEST_CASE("other bytes are dead wherever they come", "[ex15_1]") {
    THINK("digits and dashes have their places");
    for (const char* text : {"a", "-", " ", "20a", "2023/", "20231", "2023-1-", "2023-01/",
                             "2023-01-1 ", "+", "\xC3", "2023-01-\xFF"}) {
        check_verdict(text, "dead");
    }
}

TEST_CASE("four hundred years have 146,097 dates, and nothing alive leads nowhere", "[ex15_1]") {
    THINK("a prefix is alive when at least one date begins with it");
    long dates = 0;
    for (std::string century : {"20", "21", "22", "23"}) dates += count_dates(century);
    CHECK(dates == 146097);
}

TEST_CASE("chapter 15 comes to the same verdict, on dates with a byte changed", "[ex15_1]") {
    THINK("is there a date that begins like this?");
    GrammarRecognizer recognizer(compile_schema(R"({"type": "string", "format": "date"})"));
    const Recognizer::State quote = recognizer.next(recognizer.start(), '"');
    Rng rng(14);
    for (int round = 0; round < 3000; ++round) {
        std::string text = std::to_string(1000 + rng.below(9000)) + (rng.below(9) ? "-0" : "-1") +
                           std::to_string(rng.below(10)) + "-" + std::to_string(rng.below(4)) +
                           std::to_string(rng.below(10));
        if (rng.below(2)) text[rng.below(text.size())] = "0123456789-/ "[rng.below(13)];
        text.resize(rng.below(12), '1');
        const Recognizer::State state = read_bytes(recognizer, quote, text);
        const bool complete =
            state != Recognizer::dead && recognizer.next(state, '"') != Recognizer::dead;
        check_verdict(text, complete ? "complete" : state == Recognizer::dead ? "dead" : "alive");
    }
}

TEST_CASE("every byte at every place of a date", "[ex15_1]") {
    const std::string date = "2024-12-24";
    for (std::size_t place = 0; place < date.size(); ++place) {
        for (int byte = 0; byte < 256; ++byte) {
            std::string text = date;
            text[place] = static_cast<char>(byte);
            const bool digit = byte >= '0' && byte <= '9';
            if (place == 4 || place == 7 ? byte == '-' : digit) continue;
            check_verdict(text, "dead");
            check_verdict(text.substr(0, place + 1), "dead");
        }
    }
}
