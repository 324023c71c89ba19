// What an object may hold, and how it is laid out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chapters/14_grammar/grammar.hpp"
#include "chapters/15_regular/dfa.hpp"
#include "chapters/15_regular/spelling.hpp"

namespace tbt {

// What an object still needs: up to 32 things, one bit each, that some member must be good for.
using Needs = unsigned;

struct ObjectShape {
    // The rules of a value: one for each set of needs that it may be written to serve; {0:
    // rule} where there are none.
    using Values = std::map<Needs, int>;
    struct Member {
        std::string name;
        Values values;
        bool required = false;
        bool unnamed = false;  // by the schema: these are the last ones, in no order
    };
    struct KeyClass {
        Dfa keys;
        Values values;
    };
    std::vector<Member> members;  // each at most once
    std::vector<KeyClass>
        classes;  // of other keys; they share none with each other, nor with the members
    Needs needs = 0;
    int least = 0, most = -1;  // members; −1: any number
    bool in_order = false;     // members come in the order given, others behind them
    bool no_key_twice = true;  // also of those that nobody names
};

// White space in a container: as the text likes, or exactly so.
struct Blanks {
    int most = 12;  // in a row where they are free, −1: any number
    bool free = true;
    std::string open, comma, colon, close;  // else: behind "{", "," and ":", and before "}"
};

// White space: at most so many characters, or any number (−1).
int add_blanks(Grammar& grammar, int from, int most);
// As the layout has it, where `fixed` is what it says at this place.
int add_blanks(Grammar& grammar, int from, const Blanks& blanks, const std::string& fixed);

// The fewest bytes of a code point of the range, and of a text of the language.
int spelled_bytes(std::int32_t low, std::int32_t high, Spelling spelling);
int shortest_text(const Dfa& dfa, Spelling spelling);

}  // namespace tbt
