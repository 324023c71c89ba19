#include "tests/catch.hpp"

#include "tests/support/random_grammars.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing;

TEST_CASE("the grammars that ship accept what they are for") {
    const auto yes = [](const char* file, std::string_view text) {
        INFO(file << ": " << text);
        CHECK(derives(read_file(std::string("data/grammars/") + file), text));
    };
    const auto no = [](const char* file, std::string_view text) {
        INFO(file << ": " << text);
        CHECK_FALSE(derives(read_file(std::string("data/grammars/") + file), text));
    };
    yes("arithmetic.gbnf", "3 * (4 + 5) = 27");
    no("arithmetic.gbnf", "3 * (4 + 5 = 27");
    yes("date.gbnf", "2031-04-30");
    no("date.gbnf", "2031-04-31");
    yes("date.gbnf", "29 February 2031");
    no("date.gbnf", "31 June 2001");
    yes("email.gbnf", "ada.lovelace@mail.example.org");
    no("email.gbnf", "ada..lovelace@example.org");
    no("email.gbnf", "ada@-example.org");
    yes("sql.gbnf",
        "SELECT name, COUNT(*) AS n FROM people WHERE (age >= 30 OR NOT home IS NULL) AND job IN "
        "('baker', 'it''s') GROUP BY name ORDER BY n DESC LIMIT 5;");
    no("sql.gbnf", "SELECT FROM people;");
    no("sql.gbnf", "SELECT * FROM people WHERE;");
    yes("chess.gbnf", "1. e4 e5\n2. Nf3 Nc6\n3. Bb5 a6\n4. O-O exd8=Q+\n5. Rfe1 Nbd7");
    yes("chess.gbnf", "1. e4 e5\n2. Qxf7#");
    no("chess.gbnf", "1. e9 e5");
}

TEST_CASE(
    "texts written from the shipped grammars by a model that knows nothing are derived from them, "
    "within any budget") {
    Rng rng(23);
    for (const char* file : {"arithmetic", "date", "email", "sql", "chess", "json"}) {
        const std::string grammar = read_file("data/grammars/" + std::string(file) + ".gbnf");
        const auto recognizer = recognizer_of(grammar);
        const auto shared = language(
            recognizer,
            vocabulary_with({"SELECT", " FROM", "the", "e4", "Nf3", "\n", "1. ", ".com", "er", "20",
                             "19", "-0", " = ", "\":", "\"}", "\", \"", "[[", "]]"}));
        GrammarMatcher first(shared);
        const int least = shared->closing().enough(first.state());
        REQUIRE_THROWS_WITH(GrammarMatcher(shared, least - 1),
                            Catch::Contains("allow " + std::to_string(least)));
        for (int i = 0; i < 60; ++i) {
            const std::string text = random_text(shared, least + to_int(rng.below(40)), rng);
            INFO(file << ": " << text);
            REQUIRE(derives(grammar, text));
        }
    }
}
