// Byte-pair encoding in plain code: learn merges, cut a text, put it together again.
// [Gage 1994; Sennrich, Haddow & Birch 2016; on bytes: Radford et al. 2019]
//
// A text comes in pieces (a word with the space before it): no token crosses their borders.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tbt {

using Pair = std::pair<int, int>;

struct PlainBpe {
    std::vector<std::string> tokens;  // the bytes of each id; the first 256 are single bytes
    std::map<Pair, int> merges;       // what two neighbours become; learned earlier: the lower id
};

// Every `pair` in a row of ids becomes one id, from left to right: "aaa" with (a, a) is "aa" "a".
inline std::vector<int> join(const std::vector<int>& ids, Pair pair, int id) {
    std::vector<int> out;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        const bool here = i + 1 < ids.size() && Pair(ids[i], ids[i + 1]) == pair;
        out.push_back(here ? id : ids[i]);
        i += here;
    }
    return out;
}

// Encode: from the bytes, join the neighbours whose merge was learned first, until none is left.
inline std::vector<int> encode(const PlainBpe& bpe, const std::string& piece) {
    std::vector<int> ids;
    for (const char byte : piece)
        for (int id = 0; id < 256; ++id)
            if (bpe.tokens.at(static_cast<std::size_t>(id))[0] == byte) ids.push_back(id);
    for (int id = 1; id != 0;) {
        id = 0;
        Pair first;
        for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
            const auto known = bpe.merges.find({ids[i], ids[i + 1]});
            if (known != bpe.merges.end() && (id == 0 || known->second < id))
                first = known->first, id = known->second;
        }
        if (id != 0) ids = join(ids, first, id);
    }
    return ids;
}

inline std::string decode(const PlainBpe& bpe, const std::vector<int>& ids) {
    std::string text;
    for (const int id : ids) text += bpe.tokens.at(static_cast<std::size_t>(id));
    return text;
}

// Learn: join the most frequent pair of neighbours everywhere, again and again, until there are
// `size` tokens or no pair stands there `least` times; of equally frequent ones the lower ids.
// counts: how often each piece stands in the texts; bytes: the 256 single bytes, in any order;
// allowed(text): may this become a token?
template <class Allowed>
PlainBpe learn_merges(const std::map<std::string, long>& counts, std::vector<std::string> bytes,
                      std::size_t size, long least, Allowed&& allowed) {
    PlainBpe bpe{std::move(bytes), {}};
    std::vector<std::pair<std::vector<int>, long>> words;
    for (const auto& [piece, count] : counts) words.emplace_back(encode(bpe, piece), count);
    while (bpe.tokens.size() < size) {
        std::map<Pair, long> pairs;
        for (const auto& [ids, count] : words)
            for (std::size_t i = 0; i + 1 < ids.size(); ++i) pairs[{ids[i], ids[i + 1]}] += count;
        Pair best;
        long most = 0;
        for (const auto& [pair, count] : pairs)
            if (count > most && allowed(decode(bpe, {pair.first, pair.second})))
                best = pair, most = count;
        if (most == 0 || most < least) break;
        const int id = static_cast<int>(bpe.tokens.size());
        bpe.tokens.push_back(decode(bpe, {best.first, best.second}));
        bpe.merges[best] = id;
        for (auto& [ids, count] : words) ids = join(ids, best, id);
    }
    return bpe;
}

}  // namespace tbt
