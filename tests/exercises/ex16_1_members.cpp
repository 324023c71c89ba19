// Exercise 16_1: members still to come, by hand, by trying all orders, and against chapter 16.
#include "16_1_members.hpp"
#include "lib/grammar/schema/validator.hpp"
#include "tests/exercises/exercise_check.hpp"

using namespace tbt;
using namespace tbt::ex16_1;

namespace {

// The names, each between quotes if they are for a schema.
std::string listed(const Names& names, const std::string& between = " ",
                   const std::string& quote = "") {
    std::string line;
    for (const std::string& name : names)
        line += (line.empty() ? "" : between) + quote + name + quote;
    return line;
}

std::string shown(const Shape& s) {
    return "members {" + listed(s.members) + "}, required {" + listed(s.required) + "}, at least " +
           std::to_string(s.least) + ", at most " + std::to_string(s.most);
}

std::string with_member(const std::string& text, const std::string& name) {
    return text + (text == "{" ? "\"" : ",\"") + name + "\":null";
}

// Is the text valid once it is closed, perhaps after some of the members that are left?
bool can_be_finished(SchemaValidator& validator, const std::string& text, const Names& left) {
    if (validator.valid(text + "}")) return true;
    return std::any_of(left.begin(), left.end(), [&](const std::string& name) {
        Names fewer = left;
        fewer.erase(name);
        return can_be_finished(validator, with_member(text, name), fewer);
    });
}

void expect_fewest(const Shape& shape, const Names& to_come, std::size_t expected,
                   const char* think) {
    INFO(shown(shape));
    INPUT(to_come);
    THINK(think);
    CHECK(fewest(shape, to_come) == expected);
    CHECK(may_close(shape, to_come) == (expected == 0));
}

void expect_next(const Shape& shape, const Names& to_come, const Names& expected,
                 const char* think) {
    INFO(shown(shape));
    INPUT(to_come);
    THINK(think);
    CHECK(may_come(shape, to_come) == expected);
}

// The fewest members with which some order of them finishes the object; 1000: none does.
std::size_t fewest_tried(const Shape& s, const Names& to_come) {
    const std::size_t written = s.members.size() - to_come.size();
    bool finished = written >= s.least;
    for (const std::string& name : s.required) finished = finished && to_come.count(name) == 0;
    if (written > s.most) return 1000;
    if (finished) return 0;
    std::size_t best = 1000;
    for (const std::string& name : to_come) {
        Names after = to_come;
        after.erase(name);
        best = std::min(best, 1 + fewest_tried(s, after));
    }
    return best;
}

// The schema of chapter 16 that says the same.
std::string schema_of(const Shape& s) {
    std::string properties;
    for (const std::string& name : s.members)
        properties += (properties.empty() ? "\"" : ", \"") + name + "\": {\"type\": \"null\"}";
    return R"({"type": "object", "additionalProperties": false, "properties": {)" + properties +
           "}, \"required\": [" + listed(s.required, ", ", "\"") +
           "], \"minProperties\": " + std::to_string(s.least) +
           ", \"maxProperties\": " + std::to_string(s.most) + "}";
}

const Shape person{{"name", "age", "job", "likes"}, {"name", "age", "job"}, 0, 1000};

}  // namespace

TEST_CASE("what is required must come, whatever came before", "[ex16_1]") {
    expect_fewest(person, {"name", "age", "job", "likes"}, 3, "three members are required");
    expect_fewest(person, {"name", "job", "likes"}, 2, "age is written already");
    expect_fewest(person, {"name", "age", "job"}, 3, "likes was written, and was not required");
    expect_fewest(person, {"likes"}, 0, "likes may come, but need not");
    expect_fewest(person, {}, 0, "everything is written");
}

TEST_CASE("at least so many members: required ones count as well", "[ex16_1]") {
    const Shape shape{{"a", "b", "c", "d"}, {"a"}, 2, 1000};
    expect_fewest(shape, {"a", "b", "c", "d"}, 2, "a and any other; not a and two others");
    expect_fewest(shape, {"b", "c", "d"}, 1, "one is written, two are needed");
    expect_fewest(shape, {"a", "b"}, 1, "two are written, but a is still required");
    expect_fewest(shape, {"c", "d"}, 0, "a and b are enough");
    expect_fewest(shape, {"d"}, 0, "more than enough are written; below 0 there is nothing");
}

TEST_CASE("each member once, in any order", "[ex16_1]") {
    expect_next(person, {"name", "age", "job", "likes"}, {"name", "age", "job", "likes"},
                "nothing is written yet, and any may be the first");
    expect_next(person, {"name", "likes"}, {"name", "likes"}, "age and job are written");
    expect_next(person, {}, {}, "none is left");
}

TEST_CASE("at most so many members, and room for those that are required", "[ex16_1]") {
    const Shape shape{{"a", "b", "c", "d"}, {"a", "b"}, 0, 3};
    expect_next(shape, {"a", "b", "c", "d"}, {"a", "b", "c", "d"},
                "one of c and d may come: there is room for three");
    expect_next(shape, {"a", "b", "d"}, {"a", "b"},
                "c is written; with d there would be no room for a and b");
    expect_next(shape, {"c", "d"}, {"c", "d"}, "a and b are written, and there is room for one");
    expect_next(shape, {"d"}, {}, "three are written");
    const Shape two{{"a", "b", "c"}, {"a"}, 2, 2};
    expect_next(two, {"a", "b"}, {"a"}, "c is written, and the last place belongs to a");
}

TEST_CASE("of all sets of members the counts are what trying every order finds", "[ex16_1]") {
    Rng rng(161);
    const Names all = {"a", "b", "c", "d", "e"};
    for (int i = 0; i < 120; ++i) {
        Shape shape{all, {}, rng.below(4), 0};
        for (const std::string& name : all)
            if (rng.below(3) == 0) shape.required.insert(name);
        shape.most = std::max(shape.least, shape.required.size()) + rng.below(3);
        for (unsigned set = 0; set < 32; ++set) {
            Names to_come;
            for (unsigned m = 0; m < 5; ++m)
                if ((set >> m & 1) == 1) to_come.insert(std::string(1, static_cast<char>('a' + m)));
            const std::size_t tried = fewest_tried(shape, to_come);
            if (tried >= 1000) continue;  // no text comes here
            expect_fewest(shape, to_come, tried, "try a few orders on paper");
            Names next;
            for (const std::string& name : to_come) {
                Names after = to_come;
                after.erase(name);
                if (fewest_tried(shape, after) < 1000 &&
                    5 - after.size() + fewest_tried(shape, after) <= shape.most)
                    next.insert(name);
            }
            expect_next(shape, to_come, next, "can the object still be finished after it?");
        }
    }
}

TEST_CASE("chapter 16 finds the same objects valid, written in any order", "[ex16_1]") {
    Rng rng(162);
    for (int i = 0; i < 40; ++i) {
        Shape shape{{"a", "b", "c", "d"}, {}, rng.below(3), 0};
        for (const std::string& name : shape.members)
            if (rng.below(3) == 0) shape.required.insert(name);
        shape.most =
            std::max<std::size_t>(1, std::max(shape.least, shape.required.size())) + rng.below(2);
        SchemaValidator validator(schema_of(shape));
        Names to_come = shape.members;
        std::string text = "{";
        for (;;) {
            Names offered;
            for (const std::string& name : to_come) {
                Names left = to_come;
                left.erase(name);
                if (can_be_finished(validator, with_member(text, name), left)) offered.insert(name);
            }
            INFO("after " << text << " chapter 16 allows {" << listed(offered) << "}");
            expect_next(shape, to_come, offered, "can the object still be finished after it?");
            INPUT(text);
            CHECK(may_close(shape, to_come) == validator.valid(text + "}"));
            if (offered.empty()) break;
            auto chosen = offered.begin();
            std::advance(chosen, static_cast<long>(rng.below(offered.size())));
            text = with_member(text, *chosen);
            to_come.erase(*chosen);
        }
    }
}
