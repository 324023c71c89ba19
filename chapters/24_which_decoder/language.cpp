#include "chapters/24_which_decoder/language.hpp"

#include <cmath>
#include <limits>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/tree.hpp"

namespace tbt {

double Language::sum(const std::vector<int>& genres, const std::string& text, bool whole,
                     std::vector<TextProbability::Alternative>* used) const {
    double least = std::numeric_limits<double>::infinity(), total = 0;
    for (const int genre : genres) {
        const TextProbability::Result result =
            whole ? probability_.whole(text, genre) : probability_.beginning(text, genre);
        if (!result.decided)
            throw Error("language: the grammar has too many ways to a text of genre '" +
                        corpus_.genres[index(genre)] + "'; take another genre");
        if (std::isinf(result.bits)) continue;
        const double bits = result.bits + corpus_.tree().genre_weights.bits[index(genre)];
        // Sums of 2^-bits, relative to the largest.
        if (bits < least) {
            total = total * std::exp2(bits - least) + 1;
            least = bits;
            if (used != nullptr) *used = result.alternatives;
        } else {
            total += std::exp2(least - bits);
        }
    }
    return std::isinf(least) ? least : least - std::log2(total);
}

double Language::bits(const Passage& passage, const std::string& text,
                      std::vector<TextProbability::Alternative>* used) const {
    return sum(passage.genres, passage.beginning + text, true, used) - passage.beginning_bits;
}

std::size_t place_to_cut(const Tokenizer& tokenizer, const std::string& text,
                         std::size_t least_bytes) {
    const std::vector<int> whole = tokenizer.encode(text);
    for (std::size_t at = text.find(' ', least_bytes); at != std::string::npos;
         at = text.find(' ', at + 1)) {
        const std::size_t word = text.find_last_of(" \n", at - 1) + 1;
        const std::string last = text.substr(word, at - word);
        // The word after an article decides which article it is.
        if (last == "a" || last == "an" || last == "A" || last == "An") continue;
        std::vector<int> ids = tokenizer.encode(text.substr(0, at));
        const std::vector<int> rest = tokenizer.encode(text.substr(at));
        ids.insert(ids.end(), rest.begin(), rest.end());
        if (ids == whole) return at;
    }
    return std::string::npos;
}

std::vector<Passage> Language::passages(const Tokenizer& tokenizer, const std::string& genre,
                                        int count, std::uint64_t seed,
                                        std::size_t least_bytes) const {
    const int g = corpus_.genre_named(genre);
    std::vector<Passage> result;
    for (std::uint64_t i = 0; to_int(result.size()) < count; ++i) {
        if (i > 20 * static_cast<std::uint64_t>(count) + 20)
            throw Error("language: genre '" + genre +
                        "' has too few documents that can be cut after a word");
        const std::string text = corpus_.document_of(g, seed, i).text;
        const std::size_t cut = place_to_cut(tokenizer, text, least_bytes);
        if (cut == std::string::npos) continue;
        Passage passage{text.substr(0, cut), text.substr(cut), {tokenizer.eos_id()}, {}};
        for (const int id : tokenizer.encode(passage.beginning)) passage.prompt.push_back(id);
        passage.ids = passage.prompt;
        for (const int id : tokenizer.encode(passage.rest)) passage.ids.push_back(id);
        passage.ids.push_back(tokenizer.eos_id());
        for (int other = 0; other < tbt::count(corpus_.genres); ++other)
            if (!std::isinf(probability_.beginning(passage.beginning, other).bits))
                passage.genres.push_back(other);
        passage.beginning_bits = sum(passage.genres, passage.beginning, false, nullptr);
        passage.rest_bits = bits(passage, passage.rest);
        result.push_back(std::move(passage));
    }
    return result;
}

}  // namespace tbt
