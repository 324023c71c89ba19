// Faults that there were, each the smallest way to see it.
#include "tests/catch.hpp"

#include "lib/core/index.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/json/json.hpp"
#include "tests/support/schemas.hpp"

using namespace tbt;
using namespace tbt::testing;

namespace {

std::string strings_required(int members) {
    Json schema = {{"type", "object"}, {"required", Json::array()}};
    for (int i = 0; i < members; ++i) {
        const std::string key = "a_long_key_" + std::to_string(i);
        schema["properties"][key] = {{"type", "string"}};
        schema["required"].push_back(key);
    }
    schema["additionalProperties"] = false;
    return json_text(schema);
}

}  // namespace

TEST_CASE(
    "sixty required members take no more states than they have letters, near the budget too") {
    Rng rng(1);
    const auto trie = vocabulary_with({"{\"", "\":\"", "\",\"", "a_long", "_key", "_key_", "\"}"});
    for (const int members : {30, 60}) {
        const auto shared = language_of(strings_required(members), trie);
        const int least = stated(*shared);
        for (const int more : {0, 1, 40}) {
            const std::string text = random_text(shared, least + more, rng);
            CHECK(parse_json(text, "text").size() == index(members));
        }
        CHECK(shared->memory() < std::size_t{24} << 20);
    }
}

TEST_CASE("a key that nobody names stands there once") {
    const std::string open = R"({"type":"object","additionalProperties":{"type":"integer"}})";
    CHECK(writes(open, R"({"people": 50000, "peopl": 1, "people2": 5000, "": 2})"));
    CHECK_FALSE(begins(open, R"({"people": 50000, "people")"));
    CHECK_FALSE(begins(open, R"({"": 50000, "")"));
    CHECK_FALSE(begins("{}", R"({"a": {"b": 1, "b")"));
    CHECK(begins("{}", R"({"a": {"b": 1}, "b": {"a": 1, "b")"));
    CHECK_FALSE(begins(R"({"patternProperties":{"^x":{}},"properties":{"y":{}}})",
                       R"({"xa":1,"y":2,"b":3,"xa")"));
    // Two keys there are, and then no third.
    const std::string two =
        R"({"patternProperties":{"^[ab]c$":{"type":"null"}},"additionalProperties":false})";
    CHECK(begins(two, R"({"ac":null,"b)"));
    CHECK_FALSE(begins(two, R"({"ac":null,"a)"));
    CHECK_FALSE(begins(two, R"({"ac":null,"bc":null,)"));
    // A validator counts a key twice, as any reader of JSON does.
    CHECK_FALSE(valid(open, R"({"a":1,"a":2})"));
}

TEST_CASE("objects are closed for writing, unless they say what others would be") {
    const std::string person = R"({"type":"object","properties":{"name":{"type":"null"}}})";
    SchemaOptions closed;
    closed.closed = true;
    CHECK(writes(person, R"({"name":null,"x":1})"));
    CHECK_FALSE(begins(person, R"({"x)", closed));
    const std::string none = R"({"type":"object","properties":{}})";  // they name all members, too
    CHECK_FALSE(begins(none, "{\"", closed));
    CHECK(writes(none, R"({"x":1})"));
    for (const auto& [schema, text] : std::vector<std::array<std::string, 2>>{
             {person, R"({"name":null})"},
             {R"({"type":"object"})", R"({"x":1})"},
             {R"({"properties":{"a":{}},"additionalProperties":{"type":"null"}})", R"({"x":null})"},
             {R"({"properties":{"a":{}},"required":["a","b"]})", R"({"a":2,"b":1})"},
             {none, "{}"},
             {R"({"properties":{},"additionalProperties":true})", R"({"x":1})"},
             {R"({"type":"object","properties":{},"propertyNames":{"enum":["x"]}})", R"({"x":1})"},
             {R"({"type":"object","properties":{},"minProperties":1})", R"({"x":1})"}}) {
        INFO(schema);
        CHECK(writes(schema, text, closed));
    }
}

TEST_CASE("a layout leaves one way to write blanks") {
    const std::string schema =
        R"({"properties":{"a":{"type":"null"},"b":{"type":"array","items":{"$ref":"#/$defs/c"}}},)"
        R"("type":"object","additionalProperties":false,"$defs":{"c":{"type":"object",)"
        R"("properties":{"c":{"type":"null"}}}}})";
    const auto in_layout = [&](JsonLayout layout, const std::vector<std::string>& yes,
                               const std::vector<std::string>& no) {
        SchemaOptions options;
        options.layout = layout;
        check_takes(
            schema, [&](const std::string& text) { return writes(schema, text, options); }, yes,
            no);
    };
    const std::string text = R"({"a":null,"b":[{"c":null},{}]})";
    in_layout(JsonLayout::compact, {text},
              {"{ \"a\":null}", "{\"a\" :null}", "{\"a\": null}", " {}", "{} ", "{\"b\":[ ]}",
               "{\"a\":null, \"b\":[]}"});
    in_layout(JsonLayout::line, {R"({"a": null, "b": [{"c": null}, {}]})"},
              {text, "{\"a\": null }", "{ }", "{\"a\": null,\"b\": []}"});
    in_layout(JsonLayout::pretty, {json_text(json_value(text), 2), "{}"},
              {text, "{\n \"a\": null\n}"});
}

TEST_CASE("members come in the schema's order, and are valid in any") {
    const std::string schema =
        R"({"type":"object","properties":{"z":{"type":"null"},"m":{"type":"null"},)"
        R"("a":{"type":"null"}},"required":["m"],"additionalProperties":{"type":"integer"}})";
    for (const char* text :
         {R"({"z":null,"m":null,"a":null,"x":1})", R"({"m":null})", R"({"m":null,"x":1,"y":2})"})
        CHECK(writes(schema, text));
    for (const char* text : {R"({"a)", R"({"m":null,"z")", R"({"x":)", R"({"m":null,"x":1,"a")"})
        CHECK_FALSE(begins(schema, text));
    CHECK_FALSE(writes(schema, R"({"m":null,"z":null,"a":null})"));
    CHECK(valid(schema, R"({"m":null,"z":null,"a":null})"));
}

TEST_CASE("a string of a million characters is counted, not written out") {
    const std::string schema = R"({"type":"string","minLength":2,"maxLength":1000000})";
    const auto recognizer = writer_of(schema);
    CHECK(recognizer->grammar().nodes() < 200);
    const std::string letters(100000, 'x'), accents = "\xc3\xa9\\n\\u0001";
    CHECK(accepts_text(*recognizer, '"' + letters + accents + '"'));
    CHECK_FALSE(accepts_text(*recognizer, "\"\xc3\xa9\""));
    const std::string few = R"({"type":["string","null"],"minLength":101,"maxLength":102})";
    for (int n = 99; n < 105; ++n) {
        const std::string text = '"' + std::string(index(n), 'x') + '"';
        CHECK(writes(few, text) == (n == 101 || n == 102));
        CHECK(valid(few, text) == (n == 101 || n == 102));
    }
    const std::string many =
        R"({"type":"object","properties":{"a":{"$ref":"#/$defs/s"},"b":{"$ref":"#/$defs/s"},)"
        R"("c":{"maxLength":10001}},"$defs":{"s":{"type":"string","maxLength":10000}}})";
    CHECK(writer_of(many)->grammar().nodes() < 2000);
}

TEST_CASE("a schema may be deep, and says in one line where it is too deep") {
    const auto nested = [](int levels) {
        std::string text = R"({"type":"null"})";
        for (int i = 0; i < levels; ++i) text = R"({"items":)" + text + "}";
        return text;
    };
    CHECK(writes(nested(300), "[[[[]]]]"));
    CHECK_THROWS_WITH(compile_schema(nested(10000)), Catch::Contains("nested more than 1000 deep"));
}

TEST_CASE("a budget that is accepted never gives an empty or a broken text") {
    // Long keys, of which a token may hold a part, a whole one, or the end of one and the next.
    Json schema = {{"type", "object"}, {"required", Json::array()}};
    for (const char* key : {"expiration_date", "registration_number", "manufacturer_name"}) {
        schema["properties"][key] = {{"type", "string"}, {"minLength", 3}};
        schema["required"].push_back(key);
    }
    schema["additionalProperties"] = false;
    const auto trie = vocabulary_with({"{\"", "expir", "ation", "_date", "registr", "ation_number",
                                       "manufacturer", "_name", "e\":", "\":\"", "\",\"", "abc",
                                       "c\",\"", "\"}", "_"});
    const auto shared = language_of(json_text(schema), trie);
    const int least = stated(*shared);
    Rng rng(3);
    for (int budget = least; budget < least + 30; ++budget)
        CHECK(parse_json(random_text(shared, budget, rng), "text").size() == 3);
    CHECK_THROWS_WITH(GrammarMatcher(shared, least - 1),
                      Catch::Contains("allow " + std::to_string(least)));
}

TEST_CASE("what is remembered near the budget stays within its limit, and the text is the same") {
    const auto trie = vocabulary_with({"{\"", "\":\"", "\",\"", "a_long", "_key_", "\"}"});
    const auto texts = [&](std::size_t memory) {
        const auto shared =
            std::make_shared<CompiledGrammar>(writer_of(strings_required(12)), trie, memory);
        Rng rng(8);
        std::string all;
        for (const int more : {0, 5, 200}) all += random_text(shared, stated(*shared) + more, rng);
        return std::pair(all, shared->memory());
    };
    const auto [text, bytes] = texts(CompiledGrammar::default_memory);
    const auto [same, fewer] = texts(std::size_t{1} << 16);
    CHECK(text == same);
    CHECK(fewer < bytes);
}

TEST_CASE("keywords and formats that say nothing of values are no reason to refuse a schema") {
    SchemaOptions quiet;
    int told = 0;
    quiet.warn = [&](const std::string&) { ++told; };
    const std::string schema =
        R"({"type":"object","example":{"a":"x"},"readonly":true,"x-order":1,"properties":)"
        R"({"a":{"type":"string","nullable":true,"format":"telephone"},)"
        R"("b":{"type":"string","format":"color"}},"additionalProperties":false})";
    CHECK(writes(schema, R"({"a":"x y","b":"red"})", quiet));
    CHECK(told >= 4);
    quiet.strict = true;
    CHECK_THROWS_WITH(compile_schema(schema, quiet), Catch::Contains("'example'"));
}

TEST_CASE("half a surrogate pair in a pattern is refused, also before another escape") {
    for (const char* pattern : {R"(\\ud800\\u0041)", R"(\\ud800)", R"(\\udc00)"})
        CHECK_THROWS_WITH(compile_schema(R"({"pattern":")" + std::string(pattern) + R"("})"),
                          Catch::Contains("'pattern' cannot be enforced"));
}

TEST_CASE(
    "numbers are written such that every reader has room for them, and validated as they come") {
    const std::string schema = R"({"type":"number"})";
    CHECK(writes(schema, "-6.02e23"));
    CHECK_FALSE(begins(schema, "1e308"));
    CHECK(valid(schema, "1e308"));
}

TEST_CASE("five thousand values of an enum are written and validated, beside a pattern too") {
    Rng rng(5);
    Json values = Json::array();
    std::string text;
    for (int i = 0; i < 5000; ++i) {
        text = i % 2 == 0 ? "item_" : "other-";
        for (int k = 0; k < 12; ++k) text += static_cast<char>('a' + rng.below(26));
        values.push_back(text);
    }
    for (const char* pattern : {"", R"(,"pattern":"^[a-z]+_","maxLength":17)"}) {
        const std::string schema =
            R"({"type":"string","enum":)" + json_text(values) + pattern + "}";
        const auto shared = language_of(schema, vocabulary_with({"item_", "other", "ab", "cd"}));
        const std::string written = parse_json(random_text(shared, 60, rng), "text");
        CHECK(std::count(values.begin(), values.end(), written) == 1);
        CHECK(accepts_text(shared->recognizer(), '"' + values[42].get<std::string>() + '"'));
        const bool other = accepts_text(shared->recognizer(), '"' + text + '"');
        CHECK(other == (*pattern == 0));
        CHECK(other == valid(schema, '"' + text + '"'));
        CHECK_FALSE(accepts_text(shared->recognizer(), "\"item_abc\""));
        CHECK(shared->memory() < std::size_t{16} << 20);
    }
}

TEST_CASE("members that are told the same thing share one rule") {
    CHECK(compile_schema(strings_required(60)).rules() < 10);
    // Descriptions say nothing about values.
    const auto described = [](const char* a, const char* b) {
        return compile_schema(std::string(R"({"properties":{"a":{"type":"array","items":)") + a +
                              R"(},"b":{"title":"b","type":"array","items":)" + b + "}}}")
            .rules();
    };
    const char* const word = R"({"anyOf":[{"type":"string","description":"x"},{"const":1}]})";
    const int shared = described(word, R"({"anyOf":[{"type":"string"},{"const":1}],"x-y":2})");
    CHECK(shared == described(word, word));
    CHECK(shared < described(word, R"({"anyOf":[{"type":"string"},{"const":2}]})"));
    // Where the order of properties matters, each schema has its own.
    const std::string schema =
        R"({"type":"object","properties":{"a":{"type":"object","properties":{"x":{},"y":{}}},)"
        R"("b":{"type":"object","properties":{"y":{},"x":{}}}}})";
    CHECK(writes(schema, R"({"a":{"x":1,"y":1},"b":{"y":1,"x":1}})"));
    CHECK_FALSE(begins(schema, R"({"a":{"y":1,"x")"));
    CHECK_FALSE(begins(schema, R"({"b":{"x":1,"y")"));
}

TEST_CASE("the nodes of an object are made when a text gets there, and are not without limit") {
    const std::string members = listed(100, '"' + std::string(20, 'm'), "\":{}");
    const std::string inner =
        R"({"additionalProperties":false,"type":"object","properties":{)" + members + "}}";
    GrammarRecognizer recognizer(compile_schema(
        R"({"type":"object","additionalProperties":false,"properties":{"a":)" + inner + "}}"));
    const int before = recognizer.grammar().nodes();
    Recognizer::State state = read_bytes(recognizer, recognizer.start(), R"({"a":)");
    const int reached = recognizer.grammar().nodes();
    CHECK(reached > before);
    CHECK(reached < before + 100);
    state = read_bytes(recognizer, state, "{");
    CHECK(recognizer.grammar().nodes() > reached + 100 * 3);
    state = read_bytes(recognizer, state, "\"" + std::string(20, 'm') + "7\": 1}}");
    CHECK(recognizer.accepts(state));
    std::string many;
    for (int i = 0; i < 10000; ++i)
        many += (i > 0 ? ",\"" : "\"") + std::to_string(i % 10) + std::to_string(i) +
                std::string(90, 'm') + "\":{}";
    const std::string large = R"({"additionalProperties":false,"properties":{)" + many + "}}";
    CHECK_THROWS_WITH(compile_schema(large), Catch::Matchers::Contains("more than 84 MB"));
}

TEST_CASE("what a format allows is denied in full, though less of it is written") {
    for (const char* keyword :
         {R"("not":{"format":"time"})", R"("oneOf":[{"format":"time"},{"type":"string"}])",
          R"("if":{"format":"time"},"then":false)"}) {
        const std::string schema = std::string(R"({"enum":["23:59:60Z","noon"],)") + keyword + "}";
        INFO(schema);
        CHECK(writes(schema, "\"noon\""));
        CHECK_FALSE(writes(schema, "\"23:59:60Z\""));
        CHECK_FALSE(valid(schema, "\"23:59:60Z\""));
    }
}

TEST_CASE("members of several schemas come in the order in which a reader meets them") {
    const std::string names = R"("$defs":{"A":{"properties":{"z":{"type":"null"}}},)"
                              R"("B":{"properties":{"a":{"type":"null"}}}})",
                      a = R"({"$ref":"#/$defs/A"})", b = R"({"$ref":"#/$defs/B"})",
                      own = R"("properties":{"m":{"type":"null"}})",
                      more = R"("allOf":[)" + b + "]", az = R"({"a":null,"z":null})",
                      za = R"({"z":null,"a":null})";
    // A schema, a text in its order, and the beginning of one that is not.
    const std::vector<std::array<std::string, 3>> cases = {
        {"{" + names + R"(,"allOf":[)" + b + "," + a + "]}", az, R"({"z":null,"a")"},
        {"{" + names + R"(,"allOf":[)" + a + "," + b + "]}", za, R"({"a":null,"z")"},
        // The same two schemas in either order, side by side.
        {"{" + names + R"(,"prefixItems":[{"allOf":[)" + a + "," + b + R"(]},{"allOf":[)" + b +
             "," + a + "]}]}",
         "[" + za + "," + az + "]", "[" + za + R"(,{"z":null,"a")"},
        // A schema's own members beside those that it refers to: as they are written.
        {"{" + names + "," + own + "," + more + "}", R"({"m":null,"a":null})", R"({"a":null,"m")"},
        {"{" + names + "," + more + "," + own + "}", R"({"a":null,"m":null})", R"({"m":null,"a")"},
        // Values that are listed.
        {R"({"const":{"b":1,"a":{"d":[],"c":2}}})", R"({"b":1,"a":{"d":[],"c":2}})", R"({"a)"},
        {R"({"enum":[{"b":{"d":1,"c":2}}]})", R"({"b":{"d":1,"c":2}})", R"({"b":{"c)"}};
    for (const auto& [schema, text, other] : cases) {
        INFO(schema);
        CHECK(writes(schema, text));
        CHECK_FALSE(begins(schema, other));
    }
}

TEST_CASE("a limit beyond every budget is no limit, and a million items can be counted") {
    for (const std::string most : {"1000000", "2147483647", "1e300"}) {
        INFO(most);
        CHECK(writes(R"({"type":"array","minItems":2,"maxItems":)" + most + "}", "[1,null,2]"));
        const std::string schema = R"({"type":"array","contains":{"type":"null"},"maxContains":)" +
                                   (most == "1000000" ? "3" : most) + "}";
        CHECK(writes(schema, "[1,null,null]"));
        CHECK_FALSE(writes(schema, "[1]"));
        CHECK(writes(R"({"type":"object","maxProperties":)" + most + "}", "{}"));
    }
}

TEST_CASE("a number of any length in an annotation leaves the schema as it is") {
    const std::string plain = R"({"properties":{"a":{"minimum":1,"maximum":12,"type":"integer"}}})";
    GrammarRecognizer expected(compile_schema(plain));
    const SchemaOptions options = quiet();
    for (const char* note :
         {R"("default":123456789012345678901)", R"("examples":[0.5,-0.12345678901234567891,7])",
          R"("x-note":{"enum":[1e-400]},"$comment":"1e400")",
          R"("example":[[1234567890123456789.5]])"}) {
        std::string schema = plain;
        schema.insert(schema.find("\"maximum\""), note + std::string(","));
        INFO(schema);
        GrammarRecognizer writer(compile_schema(schema, options));
        SchemaValidator validator(schema, options);
        for (int n = -20; n <= 130; ++n) {
            const std::string text = R"({"a":)" + std::to_string(n) + "}";
            CHECK(validator.valid(text) == (n >= 1 && n <= 12));
            CHECK(accepts_text(writer, text) == accepts_text(expected, text));
        }
    }
}

TEST_CASE("… and where it restricts values, it is refused with its place") {
    const SchemaOptions options = quiet();
    for (const auto& [schema, place] : std::vector<std::array<std::string, 2>>{
             {R"({"properties":{"a":{},"default":{"const":12345678901234567890.5}}})",
              "#/properties/default: '12345678901234567890.5'"},
             {R"({"items":{"default":7,"enum":[3,{"default":-98765432109876543210}]}})",
              "#/items: '-98765432109876543210'"},
             {R"({"default":1e-400,"not":{"maximum":0.12345678901234567891}})",
              "#/not: '0.12345678901234567891'"},
             {R"({"$ref":"#/examples/1","examples":[5,{"multipleOf":12345678901234567891234}]})",
              "#/examples/1: '12345678901234567891234'"},
             {R"({"minLength":5.000000000000000000001})", "#: '5.000000000000000000001'"}}) {
        CHECK_THROWS_WITH(compile_schema(schema, options),
                          Catch::Contains(place) && Catch::Contains("more digits than a double"));
        CHECK_THROWS_AS(SchemaValidator(schema, options).valid("{}"), UnsupportedSchema);
    }
}

TEST_CASE("a listed number of 18 or 20 digits is written as it is listed, beside short ones too") {
    const std::string large = "123456789012345678", largest = "12345678901234567890";
    std::vector<std::string> texts = {"0.1234567890123456", "-0.1234567890123456", "5.0", "[5]"};
    for (const std::string& number : {large, largest, std::string("9007199254740993")})
        for (char last = '0'; last <= '9'; ++last)
            for (const char* sign : {"", "-"})
                texts.push_back(sign + number.substr(0, number.size() - 1) + last);
    for (int n = -12; n <= 120; ++n) texts.push_back(std::to_string(n));
    for (const auto& [schema, written] : std::vector<std::pair<std::string, int>>{
             {R"({"enum":[)" + large + ",5]}", 2},
             {R"({"const":)" + largest + "}", 1},
             {R"({"enum":[-)" + large + R"(,0.1234567890123456,[5]]})", 3},
             {R"({"enum":[5,)" + largest + R"(],"maximum":100})", 1},
             {R"({"enum":[5,)" + largest + R"(],"minimum":100})", 1},
             {R"({"enum":[5,9007199254740993,9007199254740992],"multipleOf":3})", 1},
             {R"({"anyOf":[{"enum":[)" + large + R"(]},{"type":"integer","maximum":3}]})", 17},
             {R"({"anyOf":[{"const":)" + large + R"(},{"const":7}],"not":{"const":)" + large + "}}",
              1},
             {R"({"oneOf":[{"enum":[)" + large + R"(,1]},{"enum":[)" + large + R"(,2]}]})", 2},
             {R"({"type":"integer","if":{"minimum":100},"then":{"enum":[)" + large + ",200]}}",
              113}}) {
        SchemaValidator validator(schema);
        for (const bool everyday : {false, true}) {
            SchemaOptions options;
            options.everyday = everyday;
            GrammarRecognizer writer(compile_schema(schema, options));
            int count = 0;
            for (const std::string& text : texts) {
                INFO(schema << " " << text << (everyday ? ", everyday" : ""));
                const bool is_written = accepts_text(writer, text);
                count += is_written && text != "5.0";
                if (is_written) CHECK(validator.valid(text));
            }
            INFO(schema << (everyday ? ", everyday" : ""));
            CHECK(count == written);
        }
    }
}

TEST_CASE("a value thirty deep is compared with each schema once, where two say the same of it") {
    const std::string lists =
        R"({"$defs":{"t":{"oneOf":[{"type":"array","items":{"$ref":"#/$defs/t"},"maxItems":)";
    const std::string both = R"(},{"type":"array","items":{"$ref":"#/$defs/t"},"minItems":1},)"
                             R"({"type":"integer"}]}},"$ref":"#/$defs/t"})";
    SchemaValidator same(lists + "9" + both), apart(lists + "1" + both);
    std::string deep = "5", wide = "5", wrong = "\"x\"";
    for (int level = 1; level <= 30; ++level) {
        deep = "[" + deep + "]", wide = "[" + wide + ",[]]", wrong = "[" + wrong + ",[]]";
        CHECK(same.fault(deep).find("'oneOf'") != std::string::npos);
        CHECK(apart.valid(wide));
        CHECK_FALSE(apart.valid(wrong));
    }
    // What was evaluated and what was wrong are remembered with the result.
    SchemaValidator again(
        R"({"$defs":{"a":{"items":{"type":"integer"}}},"allOf":[{"anyOf":[{"$ref":"#/$defs/a"},)"
        R"(true]},{"anyOf":[{"type":"null"},true]},{"$ref":"#/$defs/a"}]})");
    CHECK(again.fault(R"([1,"x"])") == "/1: 'type'");
    CHECK(again.fault("[1,2]").empty());
    SchemaValidator twice(
        R"({"$defs":{"a":{"properties":{"ab":true}}},"allOf":[{"$ref":"#/$defs/a"}],)"
        R"("anyOf":[{"$ref":"#/$defs/a"}],"unevaluatedProperties":false,)"
        R"("propertyNames":{"maxLength":2}})");
    CHECK(twice.valid(R"({"ab":1})"));
    CHECK_FALSE(twice.valid(R"({"ab":1,"b":2})"));
    // No key is taken for another.
    SchemaValidator names(R"({"propertyNames":{"maxLength":2}})");
    CHECK(names.valid(R"({"ab":1,"b":2,"c":3})"));
    CHECK(names.fault(R"({"ab":1,"abc":2,"c":3})") == "/abc: 'maxLength'");
    CHECK(names.fault(R"({"ab":1,"abc":2,"c":3})") == names.fault(R"({"abc":1})"));
}

namespace {

// A number with at most four digits after the point, in ten-thousandths.
long long ten_thousandths(const std::string& number) {
    const std::size_t point = std::min(number.find('.'), number.size());
    std::string digits = number.substr(0, point);
    for (std::size_t i = 1; i <= 4; ++i)
        digits += point + i < number.size() ? number[point + i] : '0';
    return std::stoll(digits);
}

}  // namespace

TEST_CASE("multiples of a large step are told by few states: exactly those of all short texts") {
    std::vector<std::string> texts;
    for (const char* sign : {"", "-"})
        for (int n = 0; n < 300; ++n)
            for (const char* fraction : {"", ".0", ".5", ".25", ".75", ".3", ".0625", ".900"})
                texts.push_back(sign + std::to_string(n) + fraction);
    for (const char* step :
         {"1",        "7",        "12",     "1000", "3600", "86400", "604800", "1e7",
          "31536000", "86400000", "19990",  "7919", "9973", "0.25",  "0.3",    "1.5",
          "2.4",      "62.5",     "0.0625", "37.5", "0.9",  "999.6"}) {
        const std::string schema = R"({"multipleOf":)" + std::string(step) + "}";
        SchemaValidator validator(schema);
        const long long s = ten_thousandths(Decimal::parse(step).text());
        std::vector<std::string> all = texts;
        for (const long long n : {1LL, 2LL, 3LL, 9LL, 10LL, 77LL, 625LL, 1000LL, 123456LL})
            for (const long long more : {-10LL, -1LL, 0LL, 1LL, 10LL, 100LL, 5000LL})
                all.push_back(std::to_string(n * s / 10000 + more) + (n % 2 == 0 ? "" : ".0"));
        for (const std::string& text : all) {
            INFO(step << " " << text);
            if (validator.valid(text) != (ten_thousandths(text) % s == 0)) CHECK(false);
        }
        for (const bool everyday : {false, true}) {
            SchemaOptions options;
            options.everyday = everyday;
            GrammarRecognizer writer(compile_schema(schema, options));
            for (std::size_t i = 0; i < all.size(); i += 7)
                if (accepts_text(writer, all[i])) CHECK(validator.valid(all[i]));
            if (s % 10000 == 0) CHECK(accepts_text(writer, std::to_string(s / 10000)));
        }
    }
    CHECK(count(multiple_of(Decimal::parse("86400")).states) < 200);
    CHECK_THROWS_WITH(compile_schema(R"({"items":{"type":"integer","multipleOf":99991}})"),
                      Catch::Contains("#/items: 'multipleOf'") &&
                          Catch::Contains("whole steps up to 10,000 fit"));
}
