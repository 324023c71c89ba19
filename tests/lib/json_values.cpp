// JSON values: how they are written, what is said of a wrong one, and how they are changed.
#include "tests/catch.hpp"

#include <cstdint>
#include <limits>
#include <string>

#include "lib/core/json.hpp"
#include "lib/json/json.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::contains;
using test::error_of;

using Theirs = nlohmann::ordered_json;

TEST_CASE(
    "control characters and bytes that are no UTF-8 are written so that JSON readers read them",
    "[core]") {
    CHECK(json_text(Json(std::string("\x01\x0f\x10\x1f\x7f\0", 6))) ==
          "\"\\u0001\\u000f\\u0010\\u001f\x7f\\u0000\"");
    CHECK(json_text(Json("a\xff")) == "\"a\ufffd\"");
    CHECK(json_value(json_text(Json{{"k\xc3", "\xe4\xb8"}})).is_object());
    for (int c = 0; c < 0x20; ++c) {
        const std::string text(1, static_cast<char>(c));
        CHECK(json_text(Json(text)) == Theirs(text).dump());
        CHECK(json_value(json_text(Json(text))) == Json(text));
    }
}

TEST_CASE("what is asked of a JSON value that is of another kind, or not there, is said",
          "[core]") {
    const Json list = {1, 2.5, "x"}, object = {{"a", 1}};
    CHECK(error_of([&] { list.at(3); }) == "there is no element 3 in a list of 3");
    CHECK(error_of([&] { object.at("b\n"); }) == "\"b \" is missing");
    CHECK(error_of([&] { list[0].text(); }) == "expected a string, got the integer 1");
    CHECK(error_of([&] { list[2].get<double>(); }) == "expected a number, got the string \"x\"");
    CHECK(error_of([&] { object.elements(); }) == "expected a list, got an object");
    CHECK(error_of([&] { list.items(); }) == "expected an object, got a list");
    CHECK(error_of([&] { list[1].get<bool>(); }) == "expected true or false, got the number 2.5");
    CHECK(error_of([] { integer_of(Json(7), "x", 0, 5); }) ==
          "x is the integer 7, expected an integer from 0 to 5");
    CHECK(integer_of(Json(5), "x", 0, 5) == 5);
    CHECK(integer_of(Json(0), "x", 0, 5) == 0);
    CHECK(contains(error_of([] { integer_of(Json(-1), "x", 0, 5); }), "x is the integer -1"));
    CHECK(contains(error_of([] { integer_of(Json(5.0), "x", 0, 5); }), "x is the number 5.0"));
    CHECK_FALSE(is_integer(Json(~std::uint64_t{0}), std::int64_t{0},
                           std::numeric_limits<std::int64_t>::max()));
    CHECK(is_integer(Json(~std::uint64_t{0}), std::uint64_t{0}, ~std::uint64_t{0}));
}

TEST_CASE("members and elements are added once, replaced and taken out, and counted", "[core]") {
    Json object = {{"a", 1}, {"b", 2}}, list = {1, 2, 3}, nothing;
    CHECK_FALSE(object.emplace("a", 5));
    CHECK(object["a"] == 1);
    CHECK(object.emplace("c", 3));
    object.update(Json{{"a", 7}, {"z", 8}});
    CHECK(json_text(object) == R"({"a":7,"b":2,"c":3,"z":8})");
    CHECK(object.erase("b"));
    CHECK_FALSE(object.erase("b"));
    list.erase(std::size_t{1});
    CHECK(json_text(list) == "[1,3]");
    CHECK_THROWS_AS(list.erase(std::size_t{2}), JsonError);
    CHECK(list.find("a") == list.end());
    CHECK_FALSE(list.contains("a"));
    CHECK((nothing.size() == 0 && Json(5).size() == 1 && Json("").size() == 1 && list.size() == 2));
    CHECK((nothing.empty() && !Json(0).empty() && Json::array().empty()));
    nothing.push_back("x");
    CHECK(json_text(nothing) == R"(["x"])");
    std::string kinds;
    for (const Json& j : {Json(), Json(true), Json(1), Json(~std::uint64_t{0}), Json(1.5),
                          Json("a"), Json::array(), Json::object()})
        kinds += j.type_name() + " ";
    CHECK(kinds == "null boolean number number number string array object ");
    CHECK(list.front() == 1);
    CHECK(list.back() == 3);
    CHECK(Json(3.7).get<int>() == 3);
    CHECK_FALSE(Json::array({1, 2}) == Json::array({1, 2, 3}));
    CHECK_FALSE(Json::array({1, 2}) == Json::array({1, 3}));
}

TEST_CASE("the place of a mistake in JSON is its line and its column", "[core]") {
    const auto said = [](const std::string& text) {
        return error_of([&] { parse_json(text, "f"); });
    };
    CHECK(said("{\n  \"a\": x}") == "f: is not JSON: line 2, column 8: expected a value");
    CHECK(said("[1,\n\n2") == "f: is not JSON: line 3, column 2: expected ]");
    CHECK(said("") == "f: is not JSON: line 1, column 1: expected a value");
    CHECK(contains(said("\"a\nb\""), "line 1, column 3: a control character in a string"));
    CHECK(contains(said("\"abc"), "line 1, column 5: a string without its end"));
    CHECK(contains(said("\"\\x\""), "an unknown escape in a string"));
    CHECK(contains(said("1e999"), "the number 1e999 is too large"));
}
