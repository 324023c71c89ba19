// Texts that hold given words, by their definition, slowly: for the test of exercise 11_3.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "tests/exercises/rows.hpp"

namespace tbt::forced_words {

using Ids = std::vector<int>;
using Words = std::vector<Ids>;
using LogDistribution = std::function<std::vector<double>(const Ids& text)>;

struct Text {
    Ids ids;
    double p = 0;
    std::size_t met = 0;
};

inline std::string shown(const std::vector<Text>& texts) {
    std::string list;
    for (const Text& t : texts) list += in_words(t.ids) + " " + in_words(t.p) + "  ";
    return list;
}

inline bool holds(const Ids& text, const Ids& word) {
    for (std::size_t i = 0; i + word.size() <= text.size(); ++i) {
        std::size_t k = 0;
        while (k < word.size() && text[i + k] == word[k]) ++k;
        if (k == word.size()) return true;
    }
    return false;
}

inline bool holds_all(const Ids& text, const Words& words) {
    for (const Ids& word : words)
        if (!holds(text, word)) return false;
    return true;
}

inline std::size_t met_by_definition(const Ids& text, const Words& words) {
    std::size_t sum = 0, longest = 0;
    for (const Ids& word : words) {
        if (holds(text, word)) sum += word.size();
        else
            for (std::size_t k = 0; k <= std::min(word.size(), text.size()); ++k)
                if (Ids(text.end() - static_cast<std::ptrdiff_t>(k), text.end()) ==
                    Ids(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(k)))
                    longest = std::max(longest, k);
    }
    return sum + longest;
}

// Who comes first: whose place in its own group is lower, and of these who has met more.
inline std::vector<Text> turns_by_definition(const std::vector<Text>& candidates, std::size_t B) {
    struct Placed {
        Text text;
        std::size_t place;
    };
    std::vector<Placed> placed;
    for (const Text& text : candidates) {
        std::size_t place = 0;
        for (const Placed& before : placed) place += before.text.met == text.met;
        placed.push_back({text, place});
    }
    std::stable_sort(placed.begin(), placed.end(), [](const Placed& a, const Placed& b) {
        return a.place != b.place ? a.place < b.place : a.text.met > b.text.met;
    });
    std::vector<Text> taken;
    for (std::size_t i = 0; i < std::min(B, placed.size()); ++i) taken.push_back(placed[i].text);
    return taken;
}

inline std::vector<Text> search_by_definition(const LogDistribution& distribution,
                                              const Words& words, std::size_t B, int n, int eos) {
    const auto better = [](const Text& a, const Text& b) { return a.p > b.p; };
    std::vector<Text> live{{{}, 1, 0}}, finished;
    for (int step = 0; step < n; ++step) {
        std::vector<Text> longer;
        for (const Text& text : live) {
            const std::vector<double> logs = distribution(text.ids);
            for (int id = 0; id < static_cast<int>(logs.size()); ++id) {
                Ids ids = text.ids;
                ids.push_back(id);
                const double p = std::exp(logs[static_cast<std::size_t>(id)]);
                if (p > 0 && (id != eos || holds_all(text.ids, words)))
                    longer.push_back({ids, text.p * p, met_by_definition(ids, words)});
            }
        }
        std::stable_sort(longer.begin(), longer.end(), better);
        live.clear();
        for (const Text& text : turns_by_definition(longer, B))
            (text.ids.back() == eos ? finished : live).push_back(text);
    }
    for (const Text& text : live)
        if (holds_all(text.ids, words)) finished.push_back(text);
    std::stable_sort(finished.begin(), finished.end(), better);
    return finished;
}

}  // namespace tbt::forced_words
