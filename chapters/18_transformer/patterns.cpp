#include "chapters/18_transformer/patterns.hpp"

#include <algorithm>
#include <functional>

namespace tbt {

const std::vector<std::string>& head_texts() {
    static const std::vector<std::string> texts = {
        "Samuel, a hard-working ferryman, lived above the bookshop in London. He never left the "
        "house without a copper knife, for it had belonged to his father.\n"
        "\n"
        "On a grey November day the fog was so thick that nobody could see the bridge, and he went "
        "out to buy salt. A crow was sitting on a fence. It saw the knife shine, came down and "
        "flew "
        "off with it. First he searched the whole kitchen and found a wet feather. Then he went "
        "out "
        "and walked along the street. By the bridge he met a boy with a bucket. \"Are you looking "
        "for something?\" \"I have seen something like that. Come, I will show you.\" It was at "
        "the "
        "bottom of the dry well. He leaned over the edge, but it was far too deep.",
        "The weather today is windy. The wind is strong and the trees are bending. People are "
        "leaning forward. Small boats stay on the shore. The clouds race across the sky. That is "
        "the weather in Stonewell this Saturday.",
        "{\"name\": \"Robert\", \"age\": 69, \"job\": \"sailor\", \"home\": \"Pebble Bay\"}"};
    return texts;
}

namespace {

// A pattern: the positions that it selects for the token at t.
using Named = std::function<std::vector<std::size_t>(const std::vector<int>& ids, std::size_t t)>;

// The quotation mark that opened the speech that contains t; none outside of speech.
std::vector<std::size_t> opening_quote(const BytePairTokenizer& tokenizer,
                                       const std::vector<int>& ids, std::size_t t) {
    std::vector<std::size_t> open;
    for (std::size_t u = 0; u < t; ++u) {
        for (const char c : tokenizer.token_bytes(ids[u])) {
            if (c != '"') continue;
            if (open.empty()) open.push_back(u);
            else open.clear();
        }
    }
    return open;
}

std::vector<std::pair<std::string, Named>> patterns(const BytePairTokenizer& tokenizer) {
    const auto same = [](const std::vector<int>& ids, std::size_t t, std::size_t offset) {
        std::vector<std::size_t> places;
        for (std::size_t u = 0; u + offset <= t && u < t; ++u)
            if (ids[u] == ids[t] && u + offset < t + (offset == 0)) places.push_back(u + offset);
        return places;
    };
    return {{"the token before",
             [](const std::vector<int>&, std::size_t t) {
                 return t == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{t - 1};
             }},
            {"the same token, earlier",
             [same](const std::vector<int>& ids, std::size_t t) { return same(ids, t, 0); }},
            {"what followed the same token",
             [same](const std::vector<int>& ids, std::size_t t) { return same(ids, t, 1); }},
            {"the quotation mark that opened",
             [&tokenizer](const std::vector<int>& ids, std::size_t t) {
                 return opening_quote(tokenizer, ids, t);
             }},
            {"the first token of the text", [](const std::vector<int>&, std::size_t t) {
                 return t == 0 ? std::vector<std::size_t>{} : std::vector<std::size_t>{0};
             }}};
}

// Measures how much of one head's attention is on a pattern, and finds the best example in the
// texts.
HeadPattern measure(const std::string& name, const Named& named,
                    const std::vector<std::vector<int>>& texts, const std::vector<Inside>& inside,
                    std::size_t layer, std::size_t head) {
    HeadPattern p{name, layer, head, 0, 0, 0, 0};
    double sum = 0, seen_best = -1;
    std::size_t counted = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        const Rows& shares = inside[i].attention[layer][head];
        const std::size_t T = texts[i].size();
        for (std::size_t first = 0; first == 0 || first + pattern_window <= T; ++first) {
            double seen = 0;  // the pattern's attention within this window of tokens
            for (std::size_t t = first; t < std::min(T, first + pattern_window); ++t)
                for (const std::size_t u : named(texts[i], t))
                    if (u >= first) seen += static_cast<double>(shares[t][u]);
            if (seen > seen_best) seen_best = seen, p.text = i, p.first = first;
        }
        for (std::size_t t = 0; t < T; ++t) {
            const std::vector<std::size_t> at = named(texts[i], t);
            counted += !at.empty();
            for (const std::size_t u : at) sum += static_cast<double>(shares[t][u]);
        }
    }
    p.share = counted == 0 ? 0 : sum / static_cast<double>(counted);
    return p;
}

}  // namespace

std::vector<HeadPattern> strongest_heads(const PlainGpt& gpt, const BytePairTokenizer& tokenizer) {
    std::vector<std::vector<int>> texts;
    std::vector<Inside> inside(head_texts().size());
    for (std::size_t i = 0; i < inside.size(); ++i) {
        texts.push_back(tokenizer.encode(head_texts()[i]));
        gpt.forward(texts[i], &inside[i]);
    }
    std::vector<HeadPattern> found;
    for (const auto& [name, named] : patterns(tokenizer)) {
        HeadPattern best;
        double all = 0;
        for (std::size_t layer = 0; layer < gpt.layers; ++layer) {
            for (std::size_t head = 0; head < gpt.heads; ++head) {
                const HeadPattern p = measure(name, named, texts, inside, layer, head);
                all += p.share;
                if (best.name.empty() || p.share > best.share) best = p;
            }
        }
        best.mean = all / static_cast<double>(gpt.layers * gpt.heads);
        found.push_back(best);
    }
    return found;
}

}  // namespace tbt
