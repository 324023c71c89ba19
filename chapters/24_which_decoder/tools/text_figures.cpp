#include "chapters/24_which_decoder/tools/text_figures.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <sstream>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

std::vector<std::string> texts_in(const std::string& file) {
    const std::string raw = read_file(file);
    if (const std::size_t bad = std::min(find_invalid_utf8(raw), raw.find('\0'));
        bad != std::string::npos)
        throw Error(file + ": byte " + std::to_string(bad + 1) +
                    " is not UTF-8 text; expected plain text or JSON lines");
    const std::string content = normalised(raw);
    std::vector<std::string> texts;
    const auto add = [&](std::string text) {
        if (text.find_first_not_of(" \t\r\n") != std::string::npos)
            texts.push_back(std::move(text));
    };
    if (file.ends_with(".jsonl") || file.ends_with(".ndjson")) {
        std::istringstream lines(content);
        int number = 0;
        for (std::string line; std::getline(lines, line);) {
            ++number;
            if (line.empty()) continue;
            const std::string name = file + ", line " + std::to_string(number);
            const Json object = parse_json(line, name);
            if (!object.is_object() || !object.contains("text") || !object["text"].is_string())
                throw Error(name + ": expected an object with a string \"text\"");
            add(object["text"]);
        }
    } else {
        const std::string separator = "<|endoftext|>";
        for (std::size_t from = 0; from <= content.size();) {
            const std::size_t at = std::min(content.find(separator, from), content.size());
            add(content.substr(from, at - from));
            from = at + separator.size();
        }
    }
    if (texts.empty()) throw Error(file + ": has no text");
    return texts;
}

double TextFigures::perplexity() const { return std::exp2(bits / static_cast<double>(tokens)); }
double TextFigures::bits_per_byte() const { return bits / static_cast<double>(bytes); }

TextFigures text_figures(Model& model, const std::vector<std::string>& texts) {
    TextFigures figures;
    figures.texts = static_cast<long>(texts.size());
    const auto longest = index(model.config().n_positions);
    const auto& ends = model.config().eos_token_ids;
    // What stands before a text: the token that begins one, or else the one that ends the text
    // before it.
    std::optional<int> start = model.tokenizer.bos_id();
    if (!start && !ends.empty()) start = ends[0];
    for (const std::string& text : texts) {
        std::vector<int> ids;
        if (start) ids.push_back(*start);
        for (const int id : model.tokenizer.encode(text)) ids.push_back(id);
        for (std::size_t from = 0; from + 1 < ids.size(); from += longest - 1) {
            const std::size_t to = std::min(from + longest, ids.size());
            const std::vector<int> piece(ids.begin() + static_cast<std::ptrdiff_t>(from),
                                         ids.begin() + static_cast<std::ptrdiff_t>(to));
            figures.bits += score(model.transformer, piece, 1, {}).m;
            for (const int id : std::span(piece).subspan(1))
                figures.bytes += static_cast<long>(model.tokenizer.token_bytes(id).size());
            figures.tokens += static_cast<long>(piece.size()) - 1;
        }
    }
    if (figures.tokens == 0) throw Error("evaluate: no token to predict; expected longer texts");
    figures.diversity = word_diversity(texts);
    return figures;
}

}  // namespace tbt
