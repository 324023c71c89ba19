#include "chapters/17_tokenizer/text_pieces.hpp"

#include "lib/core/error.hpp"
#include "lib/text/byte_alphabet.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

std::vector<std::string> pieces_of(std::string_view text) {
    std::vector<std::string> pieces;
    for_each_pretoken(text, [&](std::string_view piece) { pieces.emplace_back(piece); });
    return pieces;
}

std::map<std::string, long> count_pieces(const std::vector<std::string>& texts) {
    std::map<std::string, long> counts;
    for (const std::string& text : texts)
        for (const std::string& piece : pieces_of(text)) ++counts[piece];
    return counts;
}

std::vector<std::string> single_bytes() {
    std::vector<std::string> bytes;
    for (const unsigned char byte : byte_token_order())
        bytes.push_back(std::string(1, static_cast<char>(byte)));
    return bytes;
}

PlainBpe plain_of(const Tokenizer& tokenizer) {
    const Vocabulary& vocabulary = tokenizer.vocabulary();
    PlainBpe bpe{vocabulary.tokens, {}};
    int last = 0;
    for (const Vocabulary::Merge& merge : vocabulary.merges) {
        const int id = tokenizer.id_of(decode(bpe, {merge.left, merge.right})).value();
        if (id < last)
            throw Error("tokenizer: a later merge has a lower id (" + std::to_string(id) +
                        "); the plain encoder takes ids in the order in which they were learned");
        last = bpe.merges[{merge.left, merge.right}] = id;
    }
    return bpe;
}

std::vector<int> encode_text(const PlainBpe& bpe, std::string_view text) {
    std::vector<int> ids;
    for (const std::string& piece : pieces_of(text))
        for (const int id : encode(bpe, piece)) ids.push_back(id);
    return ids;
}

}  // namespace tbt
