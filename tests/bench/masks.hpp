// Masks at each step of many texts, one after the other with one recognizer, fresh and once more.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/grammar/tokens/grammar_matcher.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

// Records as programs write them, indented and not.
std::string json_text();

inline std::vector<int> longest_tokens(const TokenTrie& trie, const std::string& text) {
    std::vector<int> ids;
    for (std::size_t at = 0; at < text.size();) {
        int node = -1, best = -1;
        for (std::size_t i = at;
             i < text.size() && (node = trie.child(node, static_cast<unsigned char>(text[i]))) >= 0;
             ++i) {
            if (trie.nodes()[static_cast<std::size_t>(node)].token >= 0)
                best = trie.nodes()[static_cast<std::size_t>(node)].token;
        }
        ids.push_back(best);
        at += trie.bytes(best).size();
    }
    return ids;
}

struct Times {
    std::vector<double> each;
    double mean() const {
        double sum = 0;
        for (const double t : each) sum += t;
        return sum / static_cast<double>(each.size()) * 1e6;
    }
    double at(double share) const {
        std::vector<double> sorted = each;
        std::sort(sorted.begin(), sorted.end());
        return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))] *
               1e6;
    }
};

inline Times masks_along(MaskCache& masks, const std::vector<std::vector<int>>& texts) {
    Times times;
    for (const std::vector<int>& ids : texts) {
        Recognizer::State state = masks.recognizer().start();
        for (const int id : ids) {
            const double start = now();
            const TokenMask& mask = masks.of(state).mask;
            times.each.push_back(now() - start);
            if (!mask.test(id)) throw Error("bench: a token of the text is masked");
            state = read_bytes(masks.recognizer(), state, masks.trie().bytes(id));
        }
    }
    return times;
}

inline Times median_of(const std::vector<Times>& runs) {
    Times medians;
    for (std::size_t i = 0; i < runs[0].each.size(); ++i) {
        std::vector<double> here;
        for (const Times& run : runs) here.push_back(run.each[i]);
        std::sort(here.begin(), here.end());
        medians.each.push_back(here[here.size() / 2]);
    }
    return medians;
}

struct MaskTimes {
    Times fresh, known;
    std::size_t first_text = 0;  // masks of the first text
    std::size_t states = 0;
    double compile_ms = 0;
};

// Each position's median of several runs: now and then the system takes the core away, which is
// not the mask's time.
template <class Make>
MaskTimes time_masks(const std::shared_ptr<const TokenTrie>& trie,
                     const std::vector<std::string>& texts, Make make) {
    std::vector<std::vector<int>> ids;
    for (const std::string& text : texts) ids.push_back(longest_tokens(*trie, text));
    MaskTimes result;
    std::vector<double> compile;
    std::vector<Times> first, again;
    for (int i = 0; i < (quick() ? 1 : 5); ++i) {
        const double start = now();
        const std::shared_ptr<Recognizer> recognizer = make();
        compile.push_back((now() - start) * 1e3);
        MaskCache masks(recognizer, trie);
        first.push_back(masks_along(masks, ids));
        again.push_back(masks_along(masks, ids));
        result.states = masks.masks();
    }
    std::sort(compile.begin(), compile.end());
    result.compile_ms = compile[compile.size() / 2];
    result.fresh = median_of(first), result.known = median_of(again);
    result.first_text = ids[0].size();
    return result;
}

}  // namespace tbt::bench
