// What is left of acts in any order: the table of numbers, and what is worked out as it is asked
// for, against trying every order.
#include "chapters/14_grammar/act_rests.hpp"

#include <algorithm>
#include <map>

#include "lib/index.hpp"
#include "lib/kernels/rng.hpp"
#include "tests/catch.hpp"

using namespace tbt;

namespace {

// Ten bytes with which tokens of their own begin, so that no exit is covered by another.
constexpr int many = 10;
TokenTrie some_trie() {
    std::vector<std::string> tokens;
    for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
    for (int i = 0; i < many; ++i)
        tokens.push_back({static_cast<char>('a' + i), static_cast<char>('A' + i)});
    return TokenTrie(tokens, -1);
}

struct Acts {
    std::vector<ActKind> kinds;
    std::vector<TokenExits> end;

    // With the fewest tokens to each node; `most`: of which each may be taken still.
    void try_all(std::vector<int>& must, std::vector<std::vector<int>>& may, int more, int place,
                 int tokens, std::map<int, int>& fewest) const {
        const bool ends =
            more <= 0 && std::all_of(must.begin(), must.end(), [](int n) { return n == 0; });
        if (ends)
            for (const TokenExit& e : end[index(place)]) {
                const auto [known, added] = fewest.try_emplace(e.node, tokens + e.tokens);
                if (!added) known->second = std::min(known->second, tokens + e.tokens);
            }
        for (std::size_t k = 0; k < kinds.size(); ++k) {
            for (const TokenExit& e : kinds[k].from[index(place)]) {
                if (must[k] > 0) {
                    --must[k];
                    try_all(must, may, more, e.node, tokens + e.tokens, fewest);
                    ++must[k];
                }
                if (more > 0 && !may[k].empty()) {
                    const int first = may[k][0];
                    may[k].erase(may[k].begin());
                    try_all(must, may, more - 1, e.node, tokens + first + e.tokens, fewest);
                    may[k].insert(may[k].begin(), first);
                }
            }
        }
    }
};

}  // namespace

TEST_CASE("what is left of acts is the best of all orders") {
    const TokenTrie trie = some_trie();
    ExitCutter cutter(trie);
    Rng rng(5);
    const auto below = [&](int n) { return to_int(static_cast<std::size_t>(rng.below(index(n)))); };
    for (int round = 0; round < 300; ++round) {
        const int classes = 1 + below(3), kinds = 1 + below(3);
        Acts acts;
        for (int c = 0; c < classes; ++c) {
            acts.end.emplace_back();
            if (c == 0 || below(3) > 0) acts.end.back().push_back({TokenExit::root, below(4)});
            // Now and then more than the table takes.
            for (int i = 0; i < (round % 4 == 0 ? many : 2); ++i) {
                const int node = trie.child(-1, static_cast<unsigned char>('a' + i));
                if (below(2) == 0) acts.end.back().push_back({node, below(3)});
            }
        }
        for (int k = 0; k < kinds; ++k) {
            acts.kinds.emplace_back().from.resize(index(classes));
            for (TokenExits& exits : acts.kinds.back().from)
                for (int c = 0; c < classes; ++c)
                    if (below(4) > 0) exits.push_back({c, below(4)});
        }
        ActRests rests(cutter);
        rests.set(acts.kinds, acts.end);
        for (int asked = 0; asked < 12; ++asked) {
            std::vector<int> must;
            std::vector<std::vector<int>> may(index(kinds));
            int all = 0;
            for (int k = 0; k < kinds; ++k) {
                must.push_back(below(3));
                for (int n = below(3); n > 0; --n) may[index(k)].push_back(below(5)), ++all;
                std::sort(may[index(k)].begin(), may[index(k)].end());
            }
            // At the end −1 is as good as 0.
            const int more = asked % 3 == 0 && all > 0 ? 1 + below(std::min(all, 2)) : -below(2);
            const int place = below(classes);
            ActRests::Left& left = rests.nothing_left();
            left.must = must, left.more = more;
            if (more > 0) left.may = may;
            ActRests::Rest found;
            REQUIRE(rests.find(place, found));
            TokenExits expected;
            std::map<int, int> fewest;
            acts.try_all(must, may, more, place, 0, fewest);
            for (const auto& [node, tokens] : fewest) expected.push_back({node, tokens});
            cutter.cut(expected);
            const auto same = [](const TokenExit& a, const TokenExit& b) {
                return a.node == b.node && a.tokens == b.tokens;
            };
            CAPTURE(round, asked, more, place);
            CHECK(std::equal(found.begin(), found.end(), expected.begin(), expected.end(), same));
        }
    }
}
