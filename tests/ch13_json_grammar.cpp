#include "tests/catch.hpp"

#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include <nlohmann/json.hpp>

#include "chapters/13_json_grammar/json_grammar.hpp"
#include "chapters/13_json_grammar/required_keys.hpp"
#include "tests/guided.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

bool is_json(std::string_view text, JsonOptions options = JsonOptions::rfc()) {
    JsonMachine machine(options);
    return accepts_text(machine, text);
}

constexpr std::string_view json_letters = "{}[],:\"\\ \n0123456789-+.eEtrufalsn/bxD8c";

// Everything that can follow a structural symbol in one token.
const std::vector<std::string> json_tokens = {
    "{\"",  "\":",   "\": ",  "\",", "\", \"",  "\"}",     "\"}]",     "]}",       "}}",
    "]]",   "},",    "},{\"", "[]",  "{}",      "[[",      "[{\"",     "true",     "false",
    "null", " true", "name",  "\\u", "\\uD83D", "\\uDE00", "\xc3\xa9", "\xe2\x82", "\xf0\x9f\x98",
    "\n  ", "  ",    "1.5e",  "00",  "12",      "-",       "\"]}}",    "]]]]]",    "}]}]"};

}  // namespace

TEST_CASE("every value of RFC 8259 is JSON, with white space wherever the RFC allows it",
          "[ch13]") {
    for (const char* text : {"null",
                             "true",
                             "false",
                             "0",
                             "-0",
                             "12",
                             "-12",
                             "1e10",
                             "1E+2",
                             "1e-2",
                             "-0.0e-0",
                             "0.5",
                             "123.456e78",
                             "1e400000",
                             "\"\"",
                             "\"a\"",
                             "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"",
                             "\"\\u0000\\uABCD\\uabcd\"",
                             "\"\\uD83D\\uDE00\"",
                             "\"\x7f\"",
                             "[]",
                             "[ ]",
                             "{}",
                             "{\n}",
                             "[1,2]",
                             "[[],[[]]]",
                             "{\"\":0}",
                             " \t\n\r{ \"a\" : [ 1 , { } ] , \"a\" : null } \n",
                             "\"\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80\"",
                             "\"\xed\x9f\xbf\xee\x80\x80\xf4\x8f\xbf\xbf\"",
                             "\"\\uD800\"",
                             "\"\\uDC00\\uD800\"",
                             "\"\\uD800\\n\"",
                             "[1e1,0e0,-0e+00]"}) {
        INFO(text);
        REQUIRE(is_json(text));
    }
}

TEST_CASE("what RFC 8259 does not derive is not JSON", "[ch13]") {
    for (const char* text : {"",
                             " ",
                             "nul",
                             "nulll",
                             "True",
                             "NULL",
                             "+1",
                             "01",
                             "-01",
                             "-",
                             ".5",
                             "1.",
                             "1.e5",
                             "1e",
                             "1e+",
                             "0x1",
                             "1 2",
                             "--1",
                             "1-",
                             "NaN",
                             "Infinity",
                             "-Infinity",
                             "\"",
                             "\"\\\"",
                             "\"\\x41\"",
                             "\"\\u12\"",
                             "\"\\u12G4\"",
                             "\"\\'\"",
                             "\"\n\"",
                             "\"\t\"",
                             "'a'",
                             "a",
                             "[",
                             "]",
                             "[1",
                             "[1,]",
                             "[,1]",
                             "[1 2]",
                             "[1}",
                             "{",
                             "}",
                             "{]",
                             "{\"a\"}",
                             "{\"a\":}",
                             "{\"a\":1,}",
                             "{,}",
                             "{a:1}",
                             "{1:1}",
                             "{\"a\" 1}",
                             "{\"a\":1 \"b\":2}",
                             "{\"a\"::1}",
                             "[]]",
                             "{}}",
                             "[] []",
                             "//x\n1",
                             "/**/1",
                             "1 #",
                             "\f1",
                             "\xc2\xa0"
                             "1",
                             "\xef\xbb\xbf[]",
                             "\"\\U0041\"",
                             "[1,,2]",
                             "{\"a\":1,,\"b\":2}",
                             "tru e",
                             "\"\\u 041\"",
                             "[\"a\",\n4\n,1,"}) {
        INFO(text);
        REQUIRE_FALSE(is_json(text));
    }
    REQUIRE_FALSE(is_json(std::string_view("\0", 1)));
    REQUIRE_FALSE(is_json(std::string_view("1\0", 2)));
    REQUIRE_FALSE(is_json(std::string_view("\"a\0b\"", 5)));
    REQUIRE_FALSE(is_json(std::string_view("\"\\\0\"", 4)));
}

TEST_CASE("strings are UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF", "[ch13]") {
    for (const char* bad :
         {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc3", "\xc3(", "\xe0\x80\x80", "\xe0\x9f\xbf",
          "\xe2\x82", "\xed\xa0\x80", "\xed\xbf\xbf", "\xf0\x80\x80\x80", "\xf0\x8f\xbf\xbf",
          "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "\xe2\x82\xac\x80"}) {
        INFO(bad);
        REQUIRE_FALSE(is_json(std::string(1, 0x22) + bad + "\""));
    }
    // Every code point in UTF-8 is a string's character, apart from control characters,
    // quote and backslash.
    JsonMachine machine(JsonOptions::rfc());
    const auto in_string = machine.next(machine.start(), '"');
    const auto reads = [&](std::initializer_list<int> bytes) {
        auto state = in_string;
        for (const int b : bytes) state = machine.next(state, static_cast<unsigned char>(b));
        return state == in_string;
    };
    int characters = 0;
    for (int a = 0; a < 256; ++a) {
        characters += reads({a});
        for (int b = 0; b < 256 && a >= 0x80; ++b) {
            characters += reads({a, b});
            if (a < 0xe0 || (b & 0xc0) != 0x80) continue;
            for (int c = 0x80; c < 0xc0; ++c) {
                characters += reads({a, b, c});
                for (int d = 0x80; d < 0xc0 && a >= 0xf0; ++d) characters += reads({a, b, c, d});
            }
        }
    }
    REQUIRE(characters == 0x110000 - 0x800 - 32 - 2);
}

TEST_CASE("a hundred thousand open brackets are neither too deep nor on the C++ stack", "[ch13]") {
    const std::string open(100000, '['), closed(100000, ']');
    REQUIRE(is_json(open + closed));
    REQUIRE_FALSE(is_json(open + closed + "]"));
    REQUIRE_FALSE(is_json(open + closed.substr(1)));
    std::string mixed;
    for (int i = 0; i < 50000; ++i) mixed += "[{\"\":";
    std::string end = "1";
    for (int i = 0; i < 50000; ++i) end += "}]";
    REQUIRE(is_json(mixed + end));
    REQUIRE_FALSE(is_json(mixed + "1]"));
}

TEST_CASE("by default white space is bounded and surrogates come in pairs", "[ch13]") {
    const JsonOptions bounded{3, false, false};
    REQUIRE(is_json("[\n  1,   2]", bounded));
    REQUIRE_FALSE(is_json("[\n   1]", bounded));
    REQUIRE(is_json("   1   ", bounded));
    REQUIRE_FALSE(is_json("1    ", bounded));
    REQUIRE(is_json("\"      \"", bounded));
    REQUIRE(is_json("[1,2]", {0, false, false}));
    REQUIRE_FALSE(is_json("[1, 2]", {0, false, false}));
    REQUIRE(is_json("\"\\uD83D\\uDE00 \\uD7FF\\uE000 \\ud83d\\ude00\"", bounded));
    for (const char* alone : {"\"\\uD800\"", "\"\\uDC00\"", "\"\\uD800\\n\"", "\"\\uD800\\u0041\"",
                              "\"\\udbff\\ud800\"", "\"\\uDFFF\\uD800\""})
        REQUIRE_FALSE(is_json(alone, bounded));
    REQUIRE(is_json("{}", {3, false, true}));
    REQUIRE_FALSE(is_json("1", {3, false, true}));
    REQUIRE(is_json("[1]", {3, false, true}));
    REQUIRE_THROWS_AS(JsonMachine(JsonOptions{256, false, false}), UsageError);
}

// Random texts of JSON's letters: nlohmann-json and the machine agree on each,
// and most short texts of either kind occur.
TEST_CASE("the machine and nlohmann-json agree on a hundred thousand short texts", "[ch13]") {
    Rng rng(1);
    int accepted = 0;
    const JsonOptions strict{-1, false, false};
    for (int i = 0; i < 100000; ++i) {
        std::string text;
        if (rng.below(2) == 0) {
            for (std::uint64_t n = rng.below(8); n > 0; --n)
                text += json_letters[rng.below(json_letters.size())];
        } else {
            for (std::uint64_t n = rng.below(5); n > 0; --n)
                text += json_tokens[rng.below(json_tokens.size())];
        }
        INFO(text);
        const bool expected = nlohmann::json::accept(text);
        // nlohmann-json refuses numbers that overflow a double; the RFC does not.
        if (is_json(text, strict) != expected)
            REQUIRE(text.find_first_of("eE") != std::string::npos);
        accepted += expected;
    }
    REQUIRE(accepted > 5000);
}

TEST_CASE("closing_bytes is the length of the shortest completion", "[ch13]") {
    for (const JsonOptions options :
         {JsonOptions{1, false, false}, JsonOptions{1, true, false}, JsonOptions{1, false, true}}) {
        JsonMachine machine(options);
        // All states within three open containers, found by search, and their distances to the end,
        // backwards.
        std::map<ByteMachine::State, std::set<ByteMachine::State>> before;
        std::deque<ByteMachine::State> open{machine.start()};
        std::set<ByteMachine::State> seen{machine.start()};
        std::map<ByteMachine::State, int> distance;
        while (!open.empty()) {
            const auto state = open.front();
            open.pop_front();
            for (int byte = 0; byte < 256; ++byte) {
                const auto next = machine.next(state, static_cast<unsigned char>(byte));
                if (next == ByteMachine::dead || machine.stack(next).size() > 3) continue;
                before[next].insert(state);
                if (seen.insert(next).second) open.push_back(next);
            }
        }
        for (const auto state : seen) {
            if (machine.accepts(state)) distance[state] = 0, open.push_back(state);
        }
        while (!open.empty()) {
            const auto state = open.front();
            open.pop_front();
            for (const auto previous : before[state]) {
                if (distance.emplace(previous, distance[state] + 1).second)
                    open.push_back(previous);
            }
        }
        REQUIRE(seen.size() > 300);
        for (const auto state : seen) {
            INFO(JsonMachine::name(JsonMachine::unpack(state).mode)
                 << " " << machine.stack(state) << " "
                 << static_cast<int>(JsonMachine::unpack(state).mode));
            REQUIRE(distance.count(state) == 1);  // every state that is alive can be completed
            REQUIRE(machine.closing_bytes(state) == distance[state]);
        }
    }
}

TEST_CASE("the tree holds every token once, and finds each by its bytes", "[ch13]") {
    const TokenTrie trie({"b", "ab", "a", "abc", "b", "", "\xff\x01", "abd"}, 5);
    REQUIRE(trie.longest() == 3);
    REQUIRE(trie.nodes().size() == 7);
    REQUIRE(trie.twins() == std::vector<std::pair<int, int>>{{0, 4}});
    int node = -1;
    for (const char c : std::string("abd")) node = trie.child(node, static_cast<unsigned char>(c));
    REQUIRE(trie.nodes()[static_cast<std::size_t>(node)].token == 7);
    REQUIRE(trie.path(node) == "abd");
    REQUIRE(trie.child(-1, 'c') == -1);
    REQUIRE_THROWS_AS(TokenTrie({"a"}, 1), Error);
}

TEST_CASE("the mask is the set of tokens that survive by themselves, at each step of random texts",
          "[ch13]") {
    Rng rng(2);
    for (int round = 0; round < 6; ++round) {
        std::vector<std::string> tokens = json_tokens;
        for (int i = 0; i < 60 * round; ++i) {
            std::string token;
            for (std::uint64_t n = 1 + rng.below(6); n > 0; --n)
                token += json_letters[rng.below(json_letters.size())];
            tokens.push_back(token);
        }
        const auto trie = vocabulary_with(tokens);
        const auto machine =
            std::make_shared<JsonMachine>(JsonOptions{2, round % 2 == 0, round == 3});
        MaskCache masks(machine, trie);
        for (int text = 0; text < 20; ++text) {
            auto state = machine->start();
            for (int step = 0; step < 40; ++step) {
                const TokenMask mask = masks.of(state).mask;
                REQUIRE(mask == brute_force_mask(*machine, *trie, state));
                REQUIRE(masks.of(state).only == mask.only());
                // Rather structure than blanks, so that the stack grows:
                // tokens of more than one byte count thrice.
                int id = random_token(mask, rng);
                for (int again = 0; again < 2 && trie->bytes(id).size() < 2; ++again)
                    id = random_token(mask, rng);
                if (id == trie->eos()) break;
                state = read_bytes(*machine, state, trie->bytes(id));
            }
        }
        REQUIRE(masks.outlines() < 200);
    }
}

TEST_CASE("costliest bounds what any token of the mask leaves to close", "[ch13]") {
    Rng rng(3);
    const auto trie = vocabulary_with(json_tokens);
    const auto machine = std::make_shared<JsonMachine>();
    MaskCache masks(machine, trie);
    for (int text = 0; text < 60; ++text) {
        auto state = machine->start();
        for (int step = 0; step < 30; ++step) {
            const MaskCache::Entry entry = masks.of(state);
            int worst = 0;
            for (int id = 0; id < trie->vocabulary(); ++id) {
                if (id != trie->eos() && entry.mask.test(id))
                    worst = std::max(worst, machine->closing_bytes(
                                                read_bytes(*machine, state, trie->bytes(id))));
            }
            REQUIRE(worst <= entry.costliest);
            const int id = random_token(entry.mask, rng);
            if (id == trie->eos()) break;
            state = read_bytes(*machine, state, trie->bytes(id));
        }
    }
}

TEST_CASE("a mask sets the logits of its complement to minus infinity and leaves the others",
          "[ch13]") {
    for (const int v : {1, 63, 64, 65, 200, 1000}) {
        TokenMask mask(v);
        std::vector<float> logits(static_cast<std::size_t>(v) + 3);
        for (std::size_t i = 0; i < logits.size(); ++i) logits[i] = static_cast<float>(i) - 3;
        for (int i = 0; i < v; i += 1 + i / 5) mask.set(i);
        mask.apply(logits);
        for (int i = 0; i < static_cast<int>(logits.size()); ++i) {
            REQUIRE(logits[static_cast<std::size_t>(i)] ==
                    (mask.test(i) ? static_cast<float>(i) - 3 : -INFINITY));
        }
    }
    TokenMask mask(70);
    REQUIRE(mask.only() == -1);
    mask.set(69);
    REQUIRE(mask.only() == 69);
    mask.set(0);
    REQUIRE((mask.only() == -1 && mask.count() == 2 && !mask.test(-1) && !mask.test(70)));
    std::vector<float> few(69);
    REQUIRE_THROWS_AS(mask.apply(few), Error);
}

TEST_CASE("the fewest tokens to the end are those that trying everything finds", "[ch13]") {
    Rng rng(4);
    const std::vector<std::string> closers = {"\"}]",      "]]", "}}", "0",     "\":[]}",
                                              "\":\"\"}]", "]",  "}",  "\"",    ":",
                                              "[",         "{",  ",",  "\":0}", "a"};
    const auto trie = std::make_shared<const TokenTrie>(closers, -1);
    const auto machine = std::make_shared<JsonMachine>(JsonOptions{0, false, false});
    MaskCache masks(machine, trie);
    Closing closing(masks);
    int deep = 0;
    for (int text = 0; text < 150; ++text) {
        auto state = machine->start();
        for (int step = 0; step < 6; ++step) {
            const Closing::Minimum minimum = closing.minimum(state);
            const int brute = brute_force_minimum(*machine, *trie, state, 5);
            REQUIRE(minimum.exact);
            if (brute >= 0) REQUIRE(minimum.tokens == brute);
            if (brute < 0) REQUIRE(minimum.tokens > 5);
            for (int budget = 0; budget < 5; ++budget)
                REQUIRE(closing.fits(state, budget) == (brute >= 0 && brute <= budget));
            deep += brute >= 2;
            int id = random_token(masks.of(state).mask, rng);
            for (int again = 0;
                 again < 5 && id >= 0 &&
                 machine->closing_bytes(read_bytes(*machine, state, trie->bytes(id))) < 2;
                 ++again) {
                id = random_token(masks.of(state).mask, rng);
            }
            if (id < 0) break;
            state = read_bytes(*machine, state, trie->bytes(id));
        }
    }
    REQUIRE(deep > 20);
}

TEST_CASE("under a budget the mask is the set of tokens behind which a completion still fits",
          "[ch13]") {
    Rng rng(5);
    const auto trie = vocabulary_with(json_tokens);
    const auto shared = language(std::make_shared<JsonMachine>(), trie);
    for (int text = 0; text < 60; ++text) {
        TokenConstraint constraint(shared, 1 + static_cast<int>(rng.below(14)));
        while (!constraint.ended() && constraint.remaining() > 0) {
            const TokenMask mask = constraint.mask();
            for (int id = 0; id < trie->vocabulary(); id += 1 + static_cast<int>(rng.below(5))) {
                if (id == trie->eos()) continue;
                const auto next =
                    read_bytes(shared->machine(), constraint.state(), trie->bytes(id));
                const bool fits = next != ByteMachine::dead &&
                                  shared->closing().minimum(next).tokens < constraint.remaining();
                REQUIRE(mask.test(id) == fits);
                REQUIRE(constraint.allows(id) == fits);
            }
            REQUIRE(mask.count() > 0);
            constraint.advance(random_token(mask, rng));
        }
        REQUIRE(constraint.complete());
    }
}

TEST_CASE(
    "ten thousand texts by a model that knows nothing are all JSON and end within their budget",
    "[ch13]") {
    Rng rng(6);
    const auto trie = vocabulary_with(json_tokens);
    const auto shared = language(std::make_shared<JsonMachine>(), trie);
    int containers = 0;
    for (int i = 0; i < 10000; ++i) {
        const std::string text = random_text(shared, 1 + static_cast<int>(rng.below(40)), rng);
        INFO(text);
        // A number too large for a double is JSON; nlohmann-json says so by another kind of
        // exception.
        bool parsed = true;
        try {
            containers += nlohmann::json::parse(text).is_structured();
        } catch (const nlohmann::json::out_of_range&) {
        } catch (const nlohmann::json::parse_error&) {
            parsed = false;
        }
        REQUIRE(parsed);
    }
    REQUIRE(containers > 500);
}

TEST_CASE(
    "what cannot be spelled or does not fit is refused before the first token, with the minimum",
    "[ch13]") {
    const auto json = [](JsonOptions options) { return std::make_shared<JsonMachine>(options); };
    const auto digits_only =
        language(json({0, false, true}),
                 std::make_shared<const TokenTrie>(std::vector<std::string>{"1", "2", "{"}, -1));
    REQUIRE_THROWS_WITH(TokenConstraint(digits_only),
                        Catch::Contains("cannot spell") && Catch::Contains("[]"));
    const auto brackets =
        language(json({0, false, true}),
                 std::make_shared<const TokenTrie>(std::vector<std::string>{"[", "]", "1"}, -1));
    REQUIRE_THROWS_WITH(TokenConstraint(brackets, 1), Catch::Contains("at least 2"));
    REQUIRE_THROWS_WITH(TokenConstraint(brackets, 0), Catch::Contains("at least 2"));
    REQUIRE_NOTHROW(TokenConstraint(brackets, 2));
    REQUIRE_THROWS_AS(TokenConstraint(brackets, -1), UsageError);
    // A vocabulary without a comma, a quote, most bytes: the mask never leads where it
    // cannot get out.
    Rng rng(7);
    const auto poor =
        language(json({0, false, false}),
                 std::make_shared<const TokenTrie>(
                     std::vector<std::string>{"[", "]", "1", "\"", "{", "-", "tru"}, -1));
    TokenConstraint constraint(poor);
    const TokenMask mask = constraint.mask();
    REQUIRE((mask.test(0) && mask.test(2) && mask.test(3) && !mask.test(4) && mask.test(5) &&
             !mask.test(1) && !mask.test(6)));
}

TEST_CASE("a constraint can be copied and taken back, and refuses what its mask refuses",
          "[ch13]") {
    const auto trie = vocabulary_with(json_tokens);
    const auto shared = language(std::make_shared<JsonMachine>(), trie);
    TokenConstraint constraint(shared, 30);
    constraint.advance('[');
    const TokenMask at_one = constraint.mask();
    TokenConstraint copy = constraint;
    copy.advance('1');
    copy.advance(']');
    REQUIRE((copy.complete() && !constraint.complete() && constraint.length() == 1 &&
             copy.length() == 3));
    copy.advance(trie->eos());
    REQUIRE((copy.ended() && copy.length() == 3 && copy.mask().count() == 0));
    REQUIRE_THROWS_WITH(copy.advance('1'), Catch::Contains("has ended"));
    copy.rollback(3);
    REQUIRE((!copy.ended() && copy.length() == 1 && copy.mask() == at_one));
    REQUIRE_THROWS_WITH(constraint.advance('}'), Catch::Contains("not allowed"));
    REQUIRE_THROWS_AS(constraint.advance(100000), Error);
    REQUIRE_THROWS_AS(constraint.rollback(2), Error);
}

TEST_CASE("a forced run is appended without asking the model", "[ch13]") {
    // Tokens "t", "rue": after t only one token is legal, then only the end.
    const auto trie = std::make_shared<const TokenTrie>(
        std::vector<std::string>{"t", "rue", "f", "alse", "", "n", "u", "l"}, 4);
    const auto shared = language(std::make_shared<JsonMachine>(JsonOptions{0, false, false}), trie);
    TokenConstraint constraint(shared, 10);
    int asked = 0;
    std::vector<float> logits(8, 0.0f);
    std::vector<int> seen;
    const auto text = generate_guided(
        [&](std::span<const int>) {
            ++asked;
            return std::span<const float>(logits);
        },
        {}, constraint,
        [](std::span<const float> s, std::span<const int>) { return s[5] > -1 ? 5 : 1; },
        [&](int id) {
            seen.push_back(id);
            return true;
        });
    REQUIRE(text.ids == std::vector<int>{5, 6, 7, 7});
    REQUIRE(seen == text.ids);
    REQUIRE((asked == 1 && text.forward_passes == 1 && text.forced == 3 && text.complete));
}

TEST_CASE("three required keys have six orders, not twenty-seven", "[ch13]") {
    REQUIRE(RequiredKeys({"name", "score", "passed"}).orders() == 6);
    REQUIRE(RequiredKeys({"a"}).orders() == 1);
    REQUIRE(RequiredKeys({"a", "b", "c", "d"}).orders() == 24);
    // The tutorial compares keys without their quotes to keys with them, so no key is ever used up:
    // 3 choices, 3 times.
    REQUIRE(TutorialKeys({"name", "score", "passed"}).orders() == 27);
}
