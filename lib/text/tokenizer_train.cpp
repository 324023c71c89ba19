#include "lib/text/tokenizer_train.hpp"

#include <algorithm>
#include <queue>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/byte_alphabet.hpp"

namespace tbt {

namespace {

struct Word {
    std::vector<int> symbols;
    std::int64_t count;  // how often it occurs in the corpus
};

struct Pair {
    int left, right;
    bool operator==(const Pair&) const = default;
};
struct PairHash {
    std::size_t operator()(const Pair& p) const {
        const auto key =
            static_cast<std::uint64_t>(p.left) << 32 | static_cast<std::uint64_t>(p.right);
        return index((key ^ key >> 29) * 0x9e3779b97f4a7c15u >> 20);
    }
};
struct PairUse {
    std::int64_t count = 0;
    // All words with this pair. Some may not have it any more, or be in the list twice.
    std::vector<std::size_t> words;
};

struct CountedPair {
    std::int64_t count;
    Pair pair;
    // The queue has its greatest element on top: the highest count, then the lowest left id, then
    // the lowest right id.
    bool operator<(const CountedPair& other) const {
        if (count != other.count) return count < other.count;
        if (pair.left != other.pair.left) return pair.left > other.pair.left;
        return pair.right > other.pair.right;
    }
};

class Learner {
public:
    Learner(std::vector<Word> words, const TokenizerOptions& options)
        : words_(std::move(words)), options_(options) {
        for (const unsigned char byte : byte_token_order())
            add_token(std::string(1, static_cast<char>(byte)));
        for (std::size_t w = 0; w < words_.size(); ++w) {
            for_each_pair(words_[w], [&](const Pair& pair) {
                count_pair(pair, words_[w].count);
                remember_word(pair, w);
            });
        }
        for (const auto& [pair, use] : uses_) queue_.push({use.count, pair});
    }

    // Learns merges until there are `size` tokens, or no pair is frequent enough.
    void learn(std::size_t size) {
        while (vocabulary_.tokens.size() < size && !queue_.empty()) {
            const CountedPair best = queue_.top();
            queue_.pop();
            const std::int64_t now = uses_[best.pair].count;
            if (now != best.count) {
                // Other merges have removed some occurrences of the pair, so it goes back into the
                // queue with its present count.
                if (now < best.count && now > 0) queue_.push({now, best.pair});
                continue;
            }
            if (now < options_.min_count) break;
            if (is_allowed(best.pair)) merge_everywhere(best.pair);
        }
    }

    Vocabulary take() { return std::move(vocabulary_); }

private:
    template <class Visit>
    static void for_each_pair(const Word& word, Visit&& visit) {
        for (std::size_t i = 0; i + 1 < word.symbols.size(); ++i)
            visit(Pair{word.symbols[i], word.symbols[i + 1]});
    }

    const std::string& bytes(int id) const { return vocabulary_.tokens[index(id)]; }

    int add_token(std::string text) {
        const int id = count(vocabulary_.tokens);
        vocabulary_.tokens.push_back(std::move(text));
        return id;
    }

    bool is_allowed(const Pair& pair) const {
        const std::string joined = bytes(pair.left) + bytes(pair.right);
        if (joined.size() > index(options_.max_token_bytes)) return false;
        return !options_.single_digits || joined.find_first_of("0123456789") == std::string::npos;
    }

    void count_pair(const Pair& pair, std::int64_t change) { uses_[pair].count += change; }

    void remember_word(const Pair& pair, std::size_t word) {
        auto& words = uses_[pair].words;
        if (words.empty() || words.back() != word) words.push_back(word);
    }

    void merge_everywhere(const Pair& pair) {
        const int merged = add_token(bytes(pair.left) + bytes(pair.right));
        vocabulary_.merges.push_back({pair.left, pair.right});
        const std::vector<std::size_t> places = std::move(uses_[pair].words);
        std::vector<Pair> fresh;  // pairs with the new token
        for (const std::size_t w : places) {
            Word& word = words_[w];
            const std::size_t before = word.symbols.size();
            // Words are short. So all pairs of the word are uncounted, and those of the rewritten
            // word are counted.
            for_each_pair(word, [&](const Pair& p) { count_pair(p, -word.count); });
            join(word.symbols, pair, merged);
            const bool changed = word.symbols.size() != before;
            for_each_pair(word, [&](const Pair& p) {
                count_pair(p, word.count);
                if (changed && (p.left == merged || p.right == merged)) {
                    remember_word(p, w);
                    fresh.push_back(p);
                }
            });
        }
        std::sort(fresh.begin(), fresh.end(), [](const Pair& a, const Pair& b) {
            return a.left != b.left ? a.left < b.left : a.right < b.right;
        });
        fresh.erase(std::unique(fresh.begin(), fresh.end()), fresh.end());
        for (const Pair& p : fresh) queue_.push({uses_[p].count, p});
    }

    // From left to right, as the encoder does: "aaa" with (a, a) becomes "aa" "a".
    static void join(std::vector<int>& symbols, const Pair& pair, int merged) {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < symbols.size(); ++kept) {
            const bool here =
                i + 1 < symbols.size() && symbols[i] == pair.left && symbols[i + 1] == pair.right;
            symbols[kept] = here ? merged : symbols[i];
            i += here ? 2 : 1;
        }
        symbols.resize(kept);
    }

    std::vector<Word> words_;
    const TokenizerOptions& options_;
    Vocabulary vocabulary_;
    std::unordered_map<Pair, PairUse, PairHash> uses_;
    std::priority_queue<CountedPair> queue_;
};

std::vector<Word> words_of(const auto& piece_counts) {
    std::vector<int> byte_ids(256);
    int id = 0;
    for (const unsigned char byte : byte_token_order()) byte_ids[byte] = id++;
    std::vector<Word> words;
    words.reserve(piece_counts.size());
    for (const auto& [piece, count] : piece_counts) {
        Word word{{}, count};
        for (const char byte : piece)
            word.symbols.push_back(byte_ids[static_cast<unsigned char>(byte)]);
        words.push_back(std::move(word));
    }
    return words;
}

}  // namespace

void TokenizerTrainer::add_text(std::string_view text) {
    for_each_pretoken(text, [&](std::string_view piece) {
        if (const auto entry = piece_counts_.find(piece); entry != piece_counts_.end()) {
            ++entry->second;
        } else {
            piece_counts_.emplace(piece, 1);
        }
    });
}

Tokenizer TokenizerTrainer::train(const TokenizerOptions& options) const {
    const int smallest = 256 + count(options.special);
    if (options.vocab_size < smallest || options.vocab_size > (1 << 24)) {
        throw Error("tokenizer training: vocabulary size " + std::to_string(options.vocab_size) +
                    ", expected " + std::to_string(smallest) +
                    " (the bytes and the special tokens) to " + std::to_string(1 << 24));
    }
    if (options.max_token_bytes < 1 || options.min_count < 1) {
        throw Error("tokenizer training: longest token " + std::to_string(options.max_token_bytes) +
                    " and least count " + std::to_string(options.min_count) +
                    ", expected both to be at least 1");
    }
    Learner learner(words_of(piece_counts_), options);
    learner.learn(index(options.vocab_size) - options.special.size());
    Vocabulary vocabulary = learner.take();
    for (const std::string& text : options.special) {
        vocabulary.added.push_back({count(vocabulary.tokens), true});
        vocabulary.tokens.push_back(text);
    }
    if (!vocabulary.added.empty())
        vocabulary.bos_id = vocabulary.eos_id = vocabulary.added.front().id;
    return Tokenizer(std::move(vocabulary), "trained tokenizer");
}

}  // namespace tbt
