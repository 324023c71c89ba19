// What is written where a schema leaves it open: everyday values within limits, or everything.
#include "tests/catch.hpp"

#include "tests/support/budget.hpp"

using namespace tbt;
using namespace tbt::testing;
using namespace tbt::testing::budget;

namespace {

SchemaOptions everyday(std::vector<std::string>* told = nullptr) {
    SchemaOptions options;
    options.everyday = true;
    options.warn = [told](const std::string& line) {
        if (told != nullptr) told->push_back(line);
    };
    return options;
}
std::string letters(std::size_t n) { return '"' + std::string(n, 'a') + '"'; }

}  // namespace

TEST_CASE("an everyday string has at most 200 characters, unless the schema says how many") {
    const std::string open = R"({"type":"string"})";
    CHECK(writes(open, letters(200), everyday()));
    CHECK_FALSE(writes(open, letters(201), everyday()));
    CHECK(writes(open, letters(5000)));
    CHECK(writes(R"({"maxLength":300})", letters(300), everyday()));
    CHECK(writes(R"({"minLength":300})", letters(300), everyday()));
    CHECK(writes(R"({"pattern":"^a{250}"})", letters(250), everyday()));
    CHECK_FALSE(writes(R"({"pattern":"^a{150}"})", letters(201), everyday()));
    // The shortest text from 202 characters on has 204.
    const std::string fours = R"({"pattern":"^([a-z]{4})*$","minLength":202})";
    CHECK(writes(fours, letters(204), everyday()));
    CHECK_FALSE(writes(fours, letters(208), everyday()));
    CHECK(writes(R"({"enum":[)" + letters(300) + "]}", letters(300), everyday()));
    // Listed beside any other: the others have the limit.
    CHECK_FALSE(
        writes(R"({"anyOf":[{"enum":["b"]},{"type":"string"}]})", letters(201), everyday()));
    SchemaOptions shorter = everyday();
    shorter.max_characters = 7;
    CHECK(writes(open, letters(7), shorter));
    CHECK_FALSE(writes(open, letters(8), shorter));
    shorter.max_characters = -1;
    CHECK(writes(open, letters(5000), shorter));
}

TEST_CASE("a whole number of draft 4 has neither a point nor an exponent, with bounds or without") {
    const std::string draft = R"({"$schema":"http://json-schema.org/draft-04/schema#",)";
    for (const char* bound : {"", R"(,"minimum":1)", R"(,"minimum":1,"maximum":200000)"}) {
        INFO(bound);
        const std::string whole = draft + R"("type":"integer")" + bound + "}";
        CHECK(writes(whole, "100000"));
        CHECK_FALSE(writes(whole, "1e5"));
        CHECK_FALSE(writes(whole, "100000.0"));
    }
    CHECK(writes(R"({"type":"integer","minimum":1})", "1e5"));
}

TEST_CASE("a limit that the schema does not set is told once, when a string comes to it") {
    std::vector<std::string> told;
    const auto recognizer = writer_of(R"({"items":{"type":"string"}})", everyday(&told));
    CHECK(accepts_text(*recognizer, "[" + letters(100) + "]"));
    CHECK(told.empty());
    CHECK_FALSE(accepts_text(*recognizer, "[" + letters(201) + "," + letters(201) + "]"));
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Catch::Contains("200 characters") && Catch::Contains("--max-string"));
    // --max-string does not lift what a format sets.
    told.clear();
    SchemaOptions longer = everyday(&told);
    longer.max_characters = 300;
    CHECK_FALSE(writes(R"({"format":"uri","pattern":"^ftp://"})",
                       "\"ftp://" + letters(100).substr(1), longer));
    REQUIRE(told.size() == 1);
    CHECK_THAT(told[0], Catch::Contains("60 characters") && Catch::Contains("maxLength, or"));
}

TEST_CASE(
    "emails, addresses and names of hosts are everyday ones, unless a pattern asks for more") {
    struct Case {
        const char *format, *yes, *no;
    };
    for (const auto& [format, yes, no] : {Case{"email", "ada.lovelace@example.org", "a{b}?c@f"},
                                          Case{"uri", "https://example.org/tea-time/2", "x:%20"},
                                          Case{"hostname", "mail.example.org", "x1"}}) {
        const std::string schema = std::string(R"({"type":"string","format":")") + format + "\"}";
        INFO(schema);
        const std::string plain = std::string("\"") + yes + '"', odd = std::string("\"") + no + '"';
        for (const std::string& text : {plain, odd}) {
            CHECK(valid(schema, text));
            CHECK(writes(schema, text));
        }
        CHECK(writes(schema, plain, everyday()));
        CHECK_FALSE(writes(schema, odd, everyday()));
        const std::string both =
            schema.substr(0, schema.size() - 1) + R"(,"enum":[)" + plain + "," + odd + "]}";
        for (const std::string& text : {plain, odd}) CHECK(writes(both, text, everyday()));
    }
    CHECK(writes(R"({"format":"email","pattern":"[{]"})", R"("a{b@c.de")", everyday()));
    CHECK_FALSE(writes(R"({"format":"email","pattern":"^a"})", R"("a{b@c.de")", everyday()));
    CHECK(writes(R"({"format":"email","pattern":"^a"})", R"("ab@c.de")", everyday()));
    const std::string a(15, 'a'), at = "@" + a + ".org\"", email = R"({"format":"email"})";
    CHECK(writes(email, '"' + a + ".aaaa" + at, everyday()));
    CHECK_FALSE(writes(email, '"' + a + ".aaaaa" + at, everyday()));
}

// Without limits of words a small model wrote "boti@joma.net.net.nabaraquekeepernear.ce", and
// moments of the year 226 with ten thousandths of a second.
TEST_CASE("everyday names have short words, years four digits, identifiers one case") {
    const std::string long_word(21, 'a');
    for (const auto& [format, yes, no] : std::vector<std::array<std::string, 3>>{
             {"email", "boti@joma.net", "boti@joma.net.netis.em"},
             {"email", "ada@mail.example.org", "ada@" + long_word + ".org"},
             {"email", "ada-lovelace@example.info", "ada@example.ustard"},
             {"hostname", "db-1.example.org", "wana.netsearchersix.ustard"},
             {"hostname", "example.org", "7.50.example.org"},
             {"uri", "http://www.example.org/a_1/b.html", "https://room.25.50.oolair.org"},
             {"uri", "https://example.org", "https://example.org/" + long_word},
             {"date", "1815-12-10", "0226-12-15"},
             {"date", "2099-01-31", "2100-01-31"},
             {"time", "08:30:15Z", "08:30:15.5Z"},
             {"date-time", "1999-12-31T23:59:59.999+05:30", "7500-06-28T18:30:30Z"},
             {"date-time", "2026-02-28T08:30:15Z", "2026-02-28T08:30:15-19:30"},
             {"duration", "P1DT12H", "PT0455S"},
             {"duration", "PT0S", "PT9068S"},
             {"uuid", "c332cade-08ce-048c-0588-288888dadaba",
              "c332Cade-08ce-048c-0588-288888dadaba"},
             {"uuid4", "c332cade-08ce-448c-8588-288888dadaba",
              "c332Cade-08ce-448c-8588-288888dadaba"},
             {"uuid", "C332CADE-08CE-048C-0588-288888DADABA",
              "C332CADe-08CE-048C-0588-288888DADABA"},
             {"ipv6", "::ffff:10.0.0.1", "Adde:450b:300b:450b:000b:150b:000b:000b"}}) {
        const std::string schema = R"({"type":"string","format":")" + format + "\"}";
        for (const std::string& text : {'"' + yes + '"', '"' + no + '"'}) {
            INFO(schema << " " << text);
            CHECK(valid(schema, text));
            CHECK(writes(schema, text, everyday()) == (text == '"' + yes + '"'));
        }
    }
    // Of version 0.
    CHECK_FALSE(valid(R"({"format":"uuid4"})", R"("c332cade-08ce-048c-8588-288888dadaba")"));
    // What a pattern or a length asks for is written all the same.
    CHECK(writes(R"({"format":"date","pattern":"^0"})", R"("0226-12-15")", everyday()));
    CHECK(writes(R"({"format":"hostname","minLength":35})",
                 R"("aaaaaaaaaaaaaaaaaaaa-aaaaaaaaaa.org")", everyday()));
    CHECK(writes(R"({"format":"hostname","minLength":90})",
                 '"' + std::string(63, 'a') + '.' + std::string(26, 'a') + '"', everyday()));
}

TEST_CASE("everyday numbers have fifteen digits at most, others every spelling that is valid") {
    const std::string whole = R"({"type":"integer"})", any = R"({"type":"number"})";
    CHECK(writes(whole, std::string(15, '7'), everyday()));
    CHECK_FALSE(writes(whole, std::string(16, '7'), everyday()));
    CHECK(writes(R"({"const":1234567890123456})", "1234567890123456", everyday()));
    CHECK(writes(any, "-0.5", everyday()));
    CHECK_FALSE(writes(any, "1e5", everyday()));
    CHECK_FALSE(writes(whole, "2.0", everyday()));
    for (const auto& [schema, texts] :
         std::vector<std::array<std::string, 2>>{{whole, "2.0 1E5 -0"},
                                                 {any, "1e-06 1E+5"},
                                                 {R"({"minimum":0})", "1e-06"},
                                                 {R"({"minimum":0,"maximum":1})", "2.5e-7"},
                                                 {R"({"exclusiveMinimum":0})", "1e22"},
                                                 {R"({"minimum":-1})", "-5E-01"},
                                                 {R"({"type":"integer","minimum":1})", "3e8"},
                                                 {R"({"enum":[2,0.1]})", "0.10 2.0"},
                                                 {R"({"type":"integer","maximum":20})", "20.0"},
                                                 {R"({"multipleOf":0.05})", "0.10"},
                                                 {R"({"const":5})", "5.0"}})
        for (const std::string& text : test::words_of(texts)) {
            INFO(schema << " " << text);
            CHECK(valid(schema, text));
            CHECK(writes(schema, text));
        }
    for (const auto& [schema, text] :
         std::vector<std::array<std::string, 2>>{{R"({"minimum":0})", "-1e-06"},
                                                 {R"({"maximum":1})", "1e5"},
                                                 {R"({"minimum":0.5})", "1e-06"},
                                                 {R"({"minimum":2})", "1e0"},
                                                 {whole, "1e-06"},
                                                 {R"({"multipleOf":7})", "1e5"},
                                                 {R"({"enum":[2,0.1]})", "2e0"}}) {
        INFO(schema << " " << text);
        CHECK_FALSE(writes(schema, text));
    }
}

TEST_CASE("a listed number has one spelling, whatever stands beside it") {
    const auto spellings = [](const std::string& schema) {
        const auto recognizer = writer_of(schema, everyday());
        std::string all;
        for (const std::string& text : test::words_of("1.5 1.50 1.500 2 2.0 -0 0 0.0 -0.5 -0.50"))
            if (accepts_text(*recognizer, text)) all += text + " ";
        return all;
    };
    CHECK(spellings(R"({"enum":[1.5]})") == "1.5 ");
    CHECK(spellings(R"({"enum":[1.50,2.0,0.0,-0.5]})") == "1.5 2 0 -0.5 ");
    CHECK(spellings(R"({"anyOf":[{"const":1.5},{"enum":[2.0]},{"type":"string"}]})") == "1.5 2 ");
    CHECK(spellings(R"({"type":"number","enum":[1.5,"a"],"minimum":0})") == "1.5 ");
    CHECK(spellings(R"({"enum":[1.5,2],"not":{"const":2}})") == "1.5 ");
    // All numbers: what a model means by 2.0 must not become 2.01.
    CHECK_THAT(spellings(R"({"type":"number"})"),
               Catch::Contains("1.50 ") && Catch::Contains("2.0 "));
}

TEST_CASE("a limit on the length is counted beside a pattern or format") {
    Rng rng(4);
    const auto trie = vocabulary_with({"aa", "aaaa", "@a", ".org", "example", "\"}", "://"});
    for (const std::string schema :
         {R"({"type":"string","format":"email","maxLength":50})",
          R"({"type":"string","format":"uri","maxLength":2000})",
          R"({"type":"string","pattern":"^a+(?:-a+)*$","maxLength":100000})",
          R"({"type":"string","pattern":"^[a-z]{2,}@","minLength":9,"maxLength":60})",
          R"({"type":"string","minLength":30,"maxLength":40})"}) {
        INFO(schema);
        const auto shared = language_of(schema, trie);
        CHECK(shared->recognizer().closing_bytes(shared->recognizer().start()) < 40);
        const int enough = stated(*shared);
        SchemaValidator validator(schema);
        for (const int budget : {enough, enough + 1, enough + 7, 150})
            for (int i = 0; i < 5; ++i) CHECK(validator.valid(random_text(shared, budget, rng)));
    }
    const std::string email = R"({"format":"email","maxLength":50})", at = "@example.org\"";
    CHECK(writes(email, '"' + std::string(38, 'a') + at));
    CHECK_FALSE(writes(email, '"' + std::string(39, 'a') + at));
    CHECK_FALSE(writes(R"({"pattern":"^a*$","maxLength":1000})", letters(1001)));
    CHECK(writes(R"({"pattern":"^a*$","maxLength":1000})", letters(1000)));
    CHECK(writes(R"({"pattern":"^\\p{L}{3}$|x","maxLength":300})", "\"\xc3\xa9\xc3\xa9\xc3\xa9\""));
}

// Each mask of a string whose alternatives had limits of their own took tens of milliseconds.
TEST_CASE("far from their limits counted strings have one mask, however many there are") {
    std::string schema = R"({"anyOf":[)";
    for (int i = 0; i < 60; ++i)
        schema +=
            (i == 0 ? "" : ",") + (R"({"type":"array","items":{"type":"string","maxLength":)" +
                                   std::to_string(1000 + i) + "}}");
    const auto trie = vocabulary_with({"ab", "abc", " ab", "\",", std::string(40, 'a')});
    const auto recognizer = writer_of(schema + "]}");
    MaskCache masks(recognizer, trie);
    auto state = read_bytes(*recognizer, recognizer->start(), "[\"");
    for (int i = 0; i < 300; ++i) {
        const TokenMask mask = masks.of(state).mask;
        if (i % 100 == 0) CHECK(mask == brute_force_mask(*recognizer, *trie, state));
        state = recognizer->next(state, 'a');
    }
    CHECK(masks.partial_masks() < 5);
    // Where limits are near, each count has its own.
    while (read_bytes(*recognizer, state, std::string(1, 'a')) != Recognizer::dead) {
        CHECK(masks.of(state).mask == brute_force_mask(*recognizer, *trie, state));
        for (int i = 0; i < 13 && recognizer->next(state, 'a') != Recognizer::dead; ++i)
            state = recognizer->next(state, 'a');
    }
}

// The first mask of two hundred such strings took 9 ms: each count of characters was a state.
TEST_CASE("characters are counted only where a token may reach the limit") {
    const auto recognizer = writer_of(R"({"type":"string","maxLength":400})");
    const auto short_words = vocabulary_with({"ab", "\"", std::string(40, 'a')});
    MaskCache masks(recognizer, short_words);
    const auto after = [&](int letters) {
        return read_bytes(*recognizer, recognizer->start(),
                          "\"" + std::string(index(letters), 'a'));
    };
    const std::size_t before = (after(1), recognizer->states());
    masks.of(after(1));
    CHECK(recognizer->states() < before + 30);
    masks.of(after(300));
    // A vocabulary of longer words: what the shorter ones need not know is worked out anew.
    std::vector<std::string> longer_words;
    for (const std::size_t n : {64, 65, 70, 130}) longer_words.emplace_back(n, 'a');
    const auto words = vocabulary_with(longer_words);
    MaskCache longer(recognizer, words);
    for (int letters = 1; letters <= 400; letters += letters < 250 ? 20 : 1)
        CHECK(longer.of(after(letters)).mask ==
              brute_force_mask(*recognizer, *words, after(letters)));
}

TEST_CASE("names of hosts are written without codes, and are valid") {
    Rng rng(221);
    const std::string schema = R"({"type":"string","format":"hostname"})";
    hold_to_budget(schema, words(), rng);
    CHECK(writes(schema, "\"www.elm-tree.com\""));
    for (const char* odd : {"\"xn--bcher-kva.com\"", "\"www.xn--bcher-kva\"", "\"bücher.com\"",
                            "\"a.b.c.d\"", "\"ab--c\""})
        CHECK_FALSE(writes(schema, odd));
}

TEST_CASE("a key that is a valid date is one under not, though no such date is written") {
    const std::string schema = R"({"properties":{"0000-01-01":{},"x":{}},
        "additionalProperties":false,"not":{"propertyNames":{"format":"date"}}})";
    CHECK_FALSE(writes(schema, R"({"0000-01-01":0})"));
    CHECK(writes(schema, R"({"x":0})"));
}

TEST_CASE("names in letters of other scripts are a format that is not enforced") {
    for (const char* format : {"idn-hostname", "idn-email"}) {
        const std::string schema = R"({"format":")" + std::string(format) + R"("})";
        SchemaOptions options;
        std::string said;
        options.warn = [&](const std::string& line) { said += line; };
        SchemaValidator validator(schema, options);
        CHECK(validator.valid("\"bücher.de\""));
        CHECK_THAT(said, Catch::Contains(format) && Catch::Contains("not a format"));
        options.strict = true;
        CHECK_THROWS_AS(compile_schema(schema, options), UnsupportedSchema);
    }
}
