#include "tests/catch.hpp"

#include "lib/grammar/recognizer/recognizer.hpp"
#include "tests/support/random_grammars.hpp"
#include "tests/support/takes.hpp"

using namespace tbt;
using namespace tbt::testing;

TEST_CASE("repetitions of repetitions add what they are written in, not its double") {
    const auto nodes = [](int times) {
        const std::string pluses(index(times), '+');
        return compile_gbnf("root ::= \"a\" ." + pluses).nodes();
    };
    REQUIRE(nodes(30) - nodes(29) == nodes(2) - nodes(1));
    REQUIRE(nodes(30) < 200);
}

TEST_CASE("GBNF: literals, classes, groups, repetitions and rules mean what llama.cpp says") {
    const std::vector<Case> cases = {
        {"root ::= \"a\"", {"a"}, {"", "b", "aa", "A"}},
        {"root ::= \"a\" \"b\" | \"c\"", {"ab", "c"}, {"a", "ac", "abc", "b"}},
        {"root ::= [a-c0-9_]", {"a", "c", "5", "_"}, {"d", "-", "", "ab"}},
        {"root ::= [^a-c]",
         {"d", "\n", "\xc3\xa9", "\xf0\x9f\x98\x80"},
         {"a", "b", "", "dd", "\xc3", "\xff"}},
        {"root ::= [a-]", {"a", "-"}, {"b"}},
        {"root ::= [\\]\\[\\\\\\n\\x41\\u00e9\\U0001F600-]",
         {"]", "[", "\\", "\n", "A", "\xc3\xa9", "\xf0\x9f\x98\x80", "-"},
         {"B", "x", "u"}},
        {"root ::= .", {"a", "\n", "\xe2\x82\xac"}, {"", "ab", "\x80"}},
        {"root ::= .{2}", {"ab", "\xc3\xa9\xf0\x9f\x98\x80"}, {"a", "abc", "\xf0\x9f\x98\x80"}},
        {"root ::= \"a\"*", {"", "a", "aaaaaaaa"}, {"b", "ab"}},
        {"root ::= \"ab\"+", {"ab", "abab"}, {"", "a", "aba"}},
        {"root ::= \"a\"? \"b\"", {"b", "ab"}, {"a", "aab"}},
        {"root ::= [ab]{3}", {"aba"}, {"ab", "abab"}},
        {"root ::= [ab]{2,}", {"ab", "ababab"}, {"a", ""}},
        {"root ::= [ab]{1,3}", {"a", "aba"}, {"", "abab"}},
        {"root ::= [ab]{\n1\n,\n3\n}", {"a", "aba"}, {"", "abab"}},
        {"root ::= [ab]{0}", {""}, {"a"}},
        {"root ::= \"a\"{ 2 , 3 }", {"aa", "aaa"}, {"a", "aaaa"}},
        {"root ::= (\"a\" | \"b\" \"c\")+", {"a", "bc", "abca"}, {"b", "ab", ""}},

        {"root ::= item (\",\" item)*\nitem ::= [0-9]+", {"1", "12,3"}, {"1,", ",1"}},
        {"root ::=\n  \"a\" |\n  \"b\" # why\n", {"a", "b"}, {"c"}},
        {"a-b1 ::= \"x\"\nroot ::= a-b1 a-b1", {"xx"}, {"x"}},
        {"root ::= ", {""}, {"a"}},
        {"root ::= | \"a\"", {"", "a"}, {"aa"}},
        {"root ::= \"\"", {""}, {"a"}},
        {"root ::= \"\xc3\xa9\"{2}", {"\xc3\xa9\xc3\xa9"}, {"\xc3\xa9"}},
        {"root ::= \"(\" root \")\" | \"\"", {"", "()", "((()))"}, {"(", "(()", "())"}},
        {"root ::= \"a\" root \"b\" | \"a\" root \"c\" | \"\"",
         {"", "ab", "aacb", "aaabcb"},
         {"a", "aab", "abb"}},
        {"root ::= \"a\" root | \"b\"", {"b", "aaab"}, {"a", "", "ba"}},
        {"root ::= x y\nx ::= \"a\"*\ny ::= \"a\"* \"b\"", {"b", "aaab"}, {"aaa", ""}},
        {"root ::= (\"a\"?)*", {"", "aaa"}, {"b"}},
        {"root ::= (x y)* \"z\"\nx ::= \"a\"?\ny ::= \"b\"?", {"z", "abaz", "bbaaz"}, {"ab", "za"}},
        {"root ::= \"\\t\\r\\n\\\\\\\"\\[\\]\\x20\"", {"\t\r\n\\\"[] "}, {"t"}},
        {"root ::= [\\t ]+ \"x\"\r\n", {"\t x"}, {"x"}},
        {"root ::= a b c\na ::= \"\"\nb ::= a a\nc ::= b \"x\" b", {"x"}, {"", "xx"}},
    };
    for (const Case& c : cases) {
        const auto recognizer = recognizer_of(c.grammar);
        check_takes(
            c.grammar, [&](const std::string& text) { return accepts_text(*recognizer, text); },
            c.yes, c.no);
    }
}

TEST_CASE("GBNF: what is wrong is refused with line, column and what was expected") {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"", "no rule 'root'"},
        {"start ::= \"a\"", "no rule 'root'"},
        {"root ::= \"a\" b", "1:14: the rule 'b' is not defined"},
        {"root ::= \"a\"\nroot ::= \"b\"", "2:1: the rule 'root' is defined a second time"},
        {"root = \"a\"", "1:6: expected ::=, got '='"},
        {"root ::= \"a", "1:10: expected '\"'"},
        {"root ::= [a", "1:10: expected ']'"},
        {"root ::= []", "1:10: an empty class"},
        {"root ::= [z-a]", "1:11: a range"},
        {"root ::= (\"a\"", "expected ')', got the end of the grammar"},
        {"root ::= \"a\")", "1:13: expected"},
        {"root ::= * \"a\"", "1:10: expected something to repeat"},
        {"root ::= \"a\" | *", "1:16: expected something to repeat"},
        {"root ::= \"a\"{,3}", "1:14: expected a number, got ','"},
        {"root ::= \"a\"{3,2}", "expected the smaller number first"},
        {"root ::= \"a\"{2", "expected '}'"},
        {"root ::= \"a\"{100001}", "more than 100000"},
        {"root ::= \"\\q\"", "1:12: expected one of n t r"},
        {"root ::= \"\\x4\"", "expected 2 hexadecimal digits"},
        {"root ::= \"\\uD800\"", "not a Unicode character"},
        {"root ::= \"\\U00110000\"", "not a Unicode character"},
        {"root ::= a_b\na_b ::= \"x\"", "1:11: expected a letter, a digit or '-'"},
        {"root ::= \"a\" ::= \"b\"", "1:14: expected"},
        {"root ::= \"a\"\n  \"b\"", "2:3: expected the name of a rule"},
        {"root ::= root \"a\" | \"b\"", "grammar:1:1: left recursion: 'root' -> 'root'"},
        {"root ::= a\na ::= b \"x\"\nb ::= \"\" a | \"y\"", "left recursion"},
        {"root ::= a \"x\"\na ::= \"b\"? root | \"c\"", "left recursion"},
        {"root ::= \"x\"\na ::= a", "grammar:2:1: left recursion: 'a' -> 'a'"},
        {"root ::= (root \"abcdefghijklmnopqrstuvwxyz\"){9}", "grammar:1:1: left recursion"},
        {"\xef\xbb\xbfroot ::= \"a\"", "1:1: expected the name of a rule, got a byte order mark"},
        {"root ::= \"a\"\x01",
         "1:13: expected a literal, a class, a rule, a group, '|' or the end of the line, got "
         "'<01>'"},
        {"root ::= \"\xff\"", "byte 11 is not UTF-8"},
    };
    for (const auto& [grammar, message] : cases) {
        INFO(grammar);
        REQUIRE_THROWS_AS(compile_gbnf(grammar), UsageError);
        CHECK_THROWS_WITH(compile_gbnf(grammar), Catch::Contains(message));
    }
}

TEST_CASE("a grammar that derives no text accepts none, and cannot be generated from") {
    for (const char* grammar :
         {"root ::= \"a\" root", "root ::= a | b\na ::= \"x\" b\nb ::= \"y\" a"}) {
        const auto recognizer = recognizer_of(grammar);
        REQUIRE_FALSE(accepts_text(*recognizer, ""));
        REQUIRE_FALSE(accepts_text(*recognizer, "a"));
        REQUIRE_THROWS_WITH(GrammarMatcher(language(recognizer, vocabulary_with({}))),
                            Catch::Contains("no text at all"));
    }
    // A dead alternative is never entered.
    const auto recognizer = recognizer_of("root ::= \"a\" dead | \"b\"\ndead ::= \"x\" dead");
    REQUIRE(recognizer->next(recognizer->start(), 'a') == Recognizer::dead);
    REQUIRE(accepts_text(*recognizer, "b"));
}

TEST_CASE(
    "on random grammars the recognizer derives what the definition derives, and what it keeps "
    "alive "
    "can be completed") {
    Rng rng(20);
    const std::vector<std::string> texts = all_texts(6, "abc");
    int grammars = 0, accepted = 0, rejected = 0;
    for (int i = 0; i < 160; ++i) {
        const NamedRules rules = random_rules(rng);
        Grammar grammar;
        try {
            grammar = compile_rules(rules);
        } catch (const UsageError&) {
            continue;  // left recursion through something empty
        }
        ++grammars;
        const auto recognizer = std::make_shared<GrammarRecognizer>(std::move(grammar));
        MaskCache masks(recognizer, vocabulary_with({}));
        Closing closing(masks);
        std::map<std::string, bool> derived;
        for (const std::string& text : texts) {
            if (text.find('c') != std::string::npos && rng.below(12) != 0) continue;
            const bool expected = ends_of(rules.bodies[0], rules, text, 0).count(text.size()) != 0;
            REQUIRE(accepts_text(*recognizer, text) == expected);
            derived[text] = expected;
            expected ? ++accepted : ++rejected;
        }
        for (const auto& entry : derived) {
            const std::string& text = entry.first;
            const auto state = read_bytes(*recognizer, recognizer->start(), text);
            if (state == Recognizer::dead) {
                REQUIRE(std::none_of(derived.begin(), derived.end(), [&](const auto& d) {
                    return d.second && d.first.rfind(text, 0) == 0;
                }));
            } else if (text.size() < 4) {
                const std::string end = shortest_text(*recognizer, state);
                REQUIRE(to_int(end.size()) == recognizer->closing_bytes(state));
                if (end.size() < 20)
                    REQUIRE(ends_of(rules.bodies[0], rules, text + end, 0)
                                .count(text.size() + end.size()) != 0);
                const auto nearer = [&](const auto& d) {
                    return d.second && d.first.rfind(text, 0) == 0 &&
                           static_cast<int>(d.first.size() - text.size()) <
                               recognizer->closing_bytes(state);
                };
                REQUIRE(std::none_of(derived.begin(), derived.end(), nearer));
            }
        }
    }
    REQUIRE((grammars > 100 && accepted > 1000 && rejected > 1000));
}

TEST_CASE(
    "on random grammars and vocabularies the mask is the set of tokens that survive by "
    "themselves") {
    Rng rng(21);
    int masks_seen = 0;
    for (int i = 0; i < 150; ++i) {
        const auto recognizer = random_recognizer(rng);
        if (recognizer == nullptr) continue;
        const auto trie = random_vocabulary(rng, "abc", 40);
        MaskCache masks(recognizer, trie);
        for (int text = 0; text < 6; ++text) {
            auto state = recognizer->start();
            for (int step = 0; step < 8; ++step) {
                const MaskCache::Entry entry = masks.of(state);
                REQUIRE(entry.mask == brute_force_mask(*recognizer, *trie, state));
                ++masks_seen;
                const int id = random_token(entry.mask, rng);
                if (id < 0 || id == trie->eos()) break;
                state = read_bytes(*recognizer, state, trie->bytes(id));
                REQUIRE(masks.to_end(state) <= entry.max_to_end);
            }
        }
    }
    REQUIRE(masks_seen > 1000);
}

TEST_CASE("the JSON grammar in GBNF and the recognizer written by hand agree") {
    const auto grammar = recognizer_of(read_file("data/grammars/json.gbnf"));
    const auto recognizer = std::make_shared<JsonRecognizer>(JsonOptions{8, false, false});
    const std::vector<std::string> pieces = {
        "{",  "}",    "[",     "]",        "\"",      ":",      ",",   " ",      "\n",
        "a",  "\\",   "\\u12", "\\uD83D",  "\\uDE00", "1",      "-",   "0",      ".5",
        "e1", "true", "null",  "\xc3\xa9", "\xc3",    "\"k\":", "[1,", "{\"a\":"};
    Rng rng(22);
    for (int i = 0; i < 4000; ++i) {
        auto a = grammar->start(), b = recognizer->start();
        for (int n = 0; n < 12 && b != Recognizer::dead; ++n) {
            const std::string& piece = pieces[rng.below(pieces.size())];
            const auto before = b;
            if (read_bytes(*recognizer, b, piece) == Recognizer::dead && rng.below(10) != 0)
                continue;
            a = read_bytes(*grammar, a, piece);
            b = read_bytes(*recognizer, b, piece);
            REQUIRE((a == Recognizer::dead) == (b == Recognizer::dead));
            if (b == Recognizer::dead) break;
            REQUIRE(grammar->accepts(a) == recognizer->accepts(b));
            REQUIRE(grammar->closing_bytes(a) == recognizer->closing_bytes(b));
            REQUIRE(before != Recognizer::dead);
        }
    }
    // Deep nesting: neither recursion nor a stack that is copied.
    const std::string open(30000, '['), closed(30000, ']');
    REQUIRE(accepts_text(*grammar, open + closed));
    REQUIRE_FALSE(accepts_text(*grammar, open + closed + "]"));
}

TEST_CASE("an ambiguous grammar stays small: derivations that meet, or cover others, are one") {
    struct Case {
        std::string grammar, text;
        bool accepted;
    };
    const auto times = [](int n, const std::string& text) {
        std::string all;
        for (int i = 0; i < n; ++i) all += text;
        return all;
    };
    const std::vector<Case> cases = {
        {"root ::= \"a\" x \"b\" | \"a\" y \"b\" | \"\"\nx ::= root root\ny ::= root root root",
         times(200, "a") + times(200, "b"), true},
        {"root ::= a a a a a a a a\na ::= [a-z ] a? a? a?", times(400, "a word "), true},
        {"root ::= \"a\" root root | \"a\"", times(401, "a"), true},
        {"root ::= \"a\" root root | \"a\"", times(400, "a"), false},
        {"root ::= x*\nx ::= y* \"-\"?\ny ::= [a-z]*", times(200, "ab-c"), true},
        {"root ::= (a | b)*\na ::= [a-m] b? b?\nb ::= [g-z] a? a?", times(300, "hello"), true},
    };
    for (const Case& c : cases) {
        INFO(c.grammar);
        const auto recognizer = recognizer_of(c.grammar);
        auto state = recognizer->start();
        int most = 0;
        for (const char byte : c.text) {
            state = recognizer->next(state, static_cast<unsigned char>(byte));
            REQUIRE(state != Recognizer::dead);
            most = std::max(most, recognizer->derivations(state));
        }
        CHECK(recognizer->accepts(state) == c.accepted);
        CHECK(most < 50);
        CHECK(recognizer->states() < 5000);
    }
}

TEST_CASE("a rule that several rules call at one place is begun once") {
    // All begin with a word, and their calls are not in the order in which rules begin.
    const auto recognizer = recognizer_of(
        "root ::= word \"!\" | a | b\na ::= c \"x\" | word \"y\"\nb ::= d \"z\" | word \"w\"\n"
        "c ::= d \"v\" | word \"u\"\nd ::= word \"t\"\nword ::= \"(\" word \")\" | \"1\"");
    CHECK(recognizer->derivations(recognizer->start()) == 1);
    for (const std::string end : {"!", "tvx", "ux", "y", "tz", "w"})
        CHECK(accepts_text(*recognizer, "((1))" + end));
}

TEST_CASE("work for one token beyond the limit ends in a line that names the rule") {
    const auto recognizer = recognizer_of("root ::= word\nword ::= \"a\" word word | [a-z]");
    const auto trie = vocabulary_with({"aaaaaaaa"});
    const auto shared = std::make_shared<CompiledGrammar>(
        recognizer, trie, CompiledGrammar::default_memory, std::size_t{20});
    GrammarMatcher constraint(shared);
    CHECK_THROWS_WITH(constraint.mask(),
                      Catch::Contains("more than 20 steps, most of them in the rule 'word'"));
    CHECK_THROWS_AS(constraint.advance(256), TooAmbiguous);
    // Nothing half made is kept: with enough work for it the mask is right.
    const auto patient = std::make_shared<CompiledGrammar>(recognizer, trie);
    CHECK(GrammarMatcher(patient).mask() ==
          brute_force_mask(*recognizer, *trie, recognizer->start()));
}

TEST_CASE("many parts in a row may be left out, until their ways are too many") {
    const auto optional_parts = [](int count) {
        std::string rules = "root ::=";
        for (int i = 0; i < count; ++i) rules += " a?";
        return recognizer_of(rules + "\na ::= [a-c]");
    };
    CHECK(accepts_text(*optional_parts(1500), "abcabc"));
    CHECK_THROWS_WITH(optional_parts(6000),
                      Catch::Contains("more than 10000000 ways to leave parts out"));
}
