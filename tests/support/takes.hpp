// What something takes of texts, and what it does not: for tables.
#pragma once

#include "tests/catch.hpp"
#include "tests/support/words.hpp"

namespace tbt::testing {

// Texts one by one, or in one with " | " between them.
struct Texts : std::vector<std::string> {
    Texts() = default;
    Texts(std::vector<std::string> texts) : vector(std::move(texts)) {}
    Texts(std::initializer_list<std::string> texts) : vector(texts) {}
    Texts(const char* list) : vector(test::texts_of(list)) {}
};

// All of yes, none of no. what: whose texts these are.
template <class Takes>
void check_takes(const std::string& what, const Takes& takes, const Texts& yes, const Texts& no) {
    for (const bool expected : {true, false})
        for (const std::string& text : expected ? yes : no) {
            INFO(what << (expected ? ": " : ": not ") << text);
            CHECK(takes(text) == expected);
        }
}

}  // namespace tbt::testing
