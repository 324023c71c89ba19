// Hostile arguments to chapters 13 to 16: recognizers, masks, grammars, expressions, schemas.
#include "tests/catch.hpp"

#include <climits>
#include <memory>
#include <vector>

#include "chapters/13_json_grammar/grammar_step.hpp"
#include "chapters/13_json_grammar/guided_loop.hpp"
#include "chapters/13_json_grammar/plain_mask.hpp"
#include "chapters/13_json_grammar/required_keys.hpp"
#include "chapters/13_json_grammar/show.hpp"
#include "chapters/16_json_schema/guide.hpp"
#include "chapters/16_json_schema/tools.hpp"
#include "lib/files/random_model.hpp"
#include "lib/grammar/automata/code_points.hpp"
#include "lib/grammar/automata/numbers.hpp"
#include "lib/grammar/automata/regex.hpp"
#include "lib/grammar/recognizer/compile.hpp"
#include "lib/grammar/recognizer/gbnf.hpp"
#include "lib/grammar/recognizer/grammar_recognizer.hpp"
#include "lib/grammar/recognizer/json_recognizer.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/schema/formats.hpp"
#include "lib/grammar/schema/schema.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

const std::vector<std::string> tokens{"{", "}", "\"", "a", ":", "1", "", "[]"};
std::shared_ptr<const TokenTrie> trie() { return std::make_shared<const TokenTrie>(tokens, 6); }

// Numbers that are no state of any small recognizer.
const std::vector<Recognizer::State> hostile_states{
    Recognizer::dead, Recognizer::dead - 1, Recognizer::State{1} << 63,
    Recognizer::State{123456} << 32, 0xffff0000ull << 32};

void try_states(Recognizer& recognizer) {
    for (const Recognizer::State state : hostile_states) {
        for (const int byte : {0, 34, 123, 255})
            HOLDS(recognizer.next(state, static_cast<unsigned char>(byte)));
        HOLDS(recognizer.accepts(state), recognizer.closing_bytes(state));
        HOLDS(recognizer.abstraction(state), recognizer.escaped(state));
    }
    REQUIRE(recognizer.next(Recognizer::dead, 'x') == Recognizer::dead);
    REQUIRE_FALSE(recognizer.accepts(Recognizer::dead));
    REQUIRE(recognizer.closing_bytes(Recognizer::dead) == Recognizer::never);
}

}  // namespace

TEST_CASE("api: recognizers over bytes", "[api]") {
    for (const int blanks : {-2, INT_MIN, 256, INT_MAX})
        REFUSES(JsonRecognizer(JsonOptions{blanks, false, false}));
    JsonRecognizer json;
    try_states(json);
    for (const Recognizer::State state : hostile_states) HOLDS(json.stack(state));
    GrammarRecognizer grammar(compile_gbnf("root ::= \"a\" root | \"b\""));
    try_states(grammar);
    for (const Recognizer::State state : hostile_states) HOLDS(grammar.derivations(state));
    for (const std::string& text : hostile_texts)
        HOLDS(accepts_text(json, text), accepts_text(grammar, text));
    RequiredKeys keys({"", "a", "a"});
    for (const std::string& text : hostile_texts) REFUSES(keys.advance(text));
    REQUIRE(RequiredKeys({}).orders() == 1);
}

TEST_CASE("api: sets of tokens", "[api]") {
    for (const int size : {-1, INT_MIN}) REFUSES(TokenMask{size});
    TokenMask mask(70), small(3), none;
    for (const int id : {-1, 70, INT_MIN, INT_MAX}) {
        REFUSES(mask.set(id));
        REQUIRE_FALSE(mask.test(id));
        REFUSES(none.set(id));
    }
    REFUSES(mask |= small, mask.add_common(mask, small), mask.add_common_but(mask, mask, small));
    std::vector<float> row(69), empty;
    REFUSES(mask.apply(row));
    HOLDS(none.apply(empty), none.apply(row), none.only(), none.count());
    REFUSES(plain_apply({true, false}, row));
    JsonRecognizer json;
    for (const int eos : {-2, 8, INT_MIN, INT_MAX})
        REFUSES(plain_mask(json, json.start(), tokens, eos), TokenTrie(tokens, eos));
    REQUIRE(plain_mask(json, Recognizer::dead, tokens, 6) == std::vector<bool>(8));
    HOLDS(plain_mask(json, json.start(), {}, -1));
}

TEST_CASE("api: the tree of tokens", "[api]") {
    REFUSES(TokenTrie({std::string(60001, 'x')}, -1));
    const TokenTrie t(tokens, 6), empty({}, -1);
    for (const int id : {-1, 8, INT_MIN, INT_MAX}) REFUSES(t.bytes(id));
    for (const int node : {1000, INT_MAX})
        REFUSES(t.end(node), t.depth(node), t.path(node), t.child(node, 'a'), t.tokens(0, node));
    REFUSES(t.path(-1), t.tokens(-1, 1), t.tokens(2, 1), empty.tokens(0, 1));
    HOLDS(t.up_to_length(-1), t.up_to_length(INT_MIN), empty.up_to_length(5), empty.child(-1, 'a'));
    JsonRecognizer json;
    std::vector<Recognizer::State> states;
    const auto visit = [](int i, const TokenTrie::Node&, Recognizer::State) { return i + 1; };
    REFUSES(t.walk(json, json.start(), 0, 1000, states, visit),
            t.walk(json, json.start(), -1, 3, states, visit));
}

TEST_CASE("api: masks and constraints", "[api]") {
    const auto json = std::make_shared<JsonRecognizer>();
    REFUSES(MaskCache(nullptr, trie()), MaskCache(json, nullptr), CompiledGrammar(nullptr, nullptr),
            GrammarMatcher(nullptr));
    MaskCache masks(json, trie(), INT_MIN);
    for (const Recognizer::State state : hostile_states) {
        HOLDS(masks.of(state));
        HOLDS(masks.reached().each(state, [](const TokenReach::Reached&) {}));
    }
    Closing closing(masks);
    REQUIRE_FALSE(closing.fits(Recognizer::dead, INT_MAX));
    REQUIRE(closing.enough(Recognizer::dead) == Closing::never);
    REQUIRE(shortest_text(*json, Recognizer::dead).empty());
    REQUIRE_FALSE(closing.fits(json->start(), INT_MIN));
    const auto language = std::make_shared<CompiledGrammar>(json, trie());
    for (const int budget : {-1, INT_MIN, 0}) REFUSES(GrammarMatcher(language, budget));
    REFUSES(GrammarMatcher(language, 10, "\xff"));
    GrammarMatcher constraint(language, 10);
    for (const int id : {-1, 8, INT_MIN, INT_MAX, 4}) {
        REQUIRE_FALSE(constraint.allows(id));
        REFUSES(constraint.advance(id));
    }
    for (const int n : {-1, 1, INT_MAX, INT_MIN}) REFUSES(constraint.rollback(n));
    ConstraintFollower follower(constraint);
    REFUSES(follower.follow(std::vector<int>{0, 99}));
    HOLDS(follower.follow(std::vector<int>{0, 1}));
    std::vector<float> row(8), two(2);
    const auto processor = grammar_processor(constraint, 5);
    REFUSES(processor(row, std::vector<int>{1}), processor(two, std::vector<int>(5)));
    Candidates c(two);
    HOLDS(grammar_step(constraint).apply(c, {{}, SIZE_MAX}));
    const Tokenizer tokenizer = babble_tokenizer(300);
    MaskTrace trace(tokenizer, constraint, INT_MIN);
    REFUSES(trace.step(two, row, 0), trace.step(row, row, 8), trace.step(row, row, -1));
    const test::TemporaryFolder folder;
    HOLDS(trace.write_figure(folder.file("f.svg")));
    const NextLogits short_rows = [&](std::span<const int>) { return std::span<const float>(two); };
    const auto pick = [](std::span<const float>, std::span<const int>) { return -1; };
    REFUSES(generate_guided(short_rows, {0}, constraint, pick, [](int) { return true; }));
}

TEST_CASE("api: grammars", "[api]") {
    for (const std::string& text : hostile_texts) {
        REFUSES(compile_gbnf(text));
        HOLDS(code_points_of(text, "test"), CodePointSet::of(text));
        HOLDS(category(text), format_language(text, true));
        HOLDS(regex_full_match(text), regex_search(text), compile_regex(text));
        HOLDS(Decimal::parse(text), inexact_numbers(text));
        HOLDS(SchemaValidator("{}").valid(text));
        REFUSES(SchemaValidator{text});
        HOLDS(compile_choices({text, text}), compile_integers(text, text));
        REFUSES(compile_schema(text), schema_of_tools(text, "test"));
        GuideRequest request;
        request.schema = text, request.grammar = text;
        HOLDS(recognizer_for(request), request.name());
    }
    HOLDS(compile_choices({}));
    REFUSES(compile_integers("5", "1"), compile_integers("x", ""),
            parse_gbnf("root ::= " + std::string(100000, '(')),
            parse_regex(std::string(100000, '(')), regex_full_match("a{1000000}{1000000}"),
            compile_schema(std::string(100000, '[')));
    HOLDS(Decimal::parse("1e2147483647"), Decimal::parse("-"));
    GuideRequest both;
    both.json = true, both.regex = "a";
    REFUSES(recognizer_for(both));
    for (const int blanks : {-2, 256, INT_MAX, INT_MIN}) {
        GuideRequest request;
        request.json = true, request.max_whitespace = blanks;
        REFUSES(recognizer_for(request));
    }
}

TEST_CASE("api: sets of characters and grammars made by hand", "[api]") {
    CodePointSet set;
    for (const auto& range :
         {std::pair{5, 4}, {-5, 4}, {INT_MIN, INT_MAX}, {0x10ffff, 0x110000}, {0xd800, 0xdfff}})
        HOLDS(set.add(range.first, range.second), utf8_sequences(set), set.complement(),
              set.count());
    HOLDS(set.contains(-1), set.contains(INT_MAX), digit_sequences({}, {}),
          digit_sequences({{0, 10}}, {}));
    for (const int i : {-1, 0, INT_MIN, INT_MAX}) {
        Grammar grammar;
        REFUSES(grammar.node(i), grammar.rule(i), grammar.source(i), grammar.expand(i),
                grammar.finish(i));
        if (i != 0) REFUSES(grammar.bytes(i, "a"));
        if (i != 0) REFUSES(grammar.call(i, 0));
    }
    Grammar grammar;
    const int rule = grammar.add_rule("root");
    REFUSES(grammar.finish(rule));
    const int from = grammar.rule(rule).start = grammar.add_node();
    const Expression a = Expression::literal("a");
    for (const auto& count : {std::pair{-5, 2}, {3, 2}, {0, -7}, {INT_MAX, INT_MAX}, {INT_MAX, -1}})
        REFUSES(add_expression(grammar, Expression::repeat(a, count.first, count.second), from));
    REFUSES(add_expression(grammar, Expression::of_rule(7), from), add_expression(grammar, a, -1));
    Expression bare;
    bare.kind = Expression::Kind::repeat;
    REFUSES(add_expression(grammar, bare, from), compile_rules({}),
            compile_rules({{"root"}, {}, {}}), GrammarRecognizer(Grammar{}));
}
