#include "chapters/19_training/tools/corpus_lint.hpp"

#include <map>

#include "lib/core/index.hpp"

namespace tbt {

namespace {

constexpr std::size_t max_document_bytes = 1900;
const std::string arrow = "\xe2\x86\x92";  // U+2192, "house → maison"

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::string around(const std::string& text, std::size_t at) {
    const std::size_t from = at > 30 ? at - 30 : 0;
    std::string result;
    for (const char c : text.substr(from, 60))
        result += c == '\n' ? std::string("\\n") : std::string(1, c);
    return result;
}

std::string word_at(const std::string& text, std::size_t at) {
    std::string word;
    const auto more = [](char c) {
        return is_letter(c) || c == '-' || static_cast<unsigned char>(c) >= 0x80;
    };
    while (at < text.size() && more(text[at])) word += lower(text[at++]);
    return word;
}

bool any_prefix(const std::string& word, std::initializer_list<const char*> prefixes) {
    for (const char* prefix : prefixes)
        if (word.rfind(prefix, 0) == 0) return true;
    return false;
}

bool sounds_like_a_vowel(const std::string& word) {
    if (any_prefix(word, {"hour", "honest", "honour", "honor", "heir"})) return true;
    if (word == "one" || any_prefix(word, {"one-", "once", "unicorn", "uniform", "unit", "univers",
                                           "unique", "use", "usual", "eu", "ewe"}))
        return false;
    return !word.empty() && std::string("aeiou").find(word[0]) != std::string::npos;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> lint_text(const std::string& text) {
    std::map<std::string, std::string> found;
    auto report = [&](const char* what, std::size_t at) { found.emplace(what, around(text, at)); };
    if (text.empty()) report("empty", 0);
    if (text.size() > max_document_bytes) report("longer than 1900 bytes", 0);

    std::size_t quotes = 0;
    bool french = false;  // after an arrow to the end of the line; "a" and " ?" are allowed there
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], before = i > 0 ? text[i - 1] : '\n';
        const char after = i + 1 < text.size() ? text[i + 1] : '\n';
        quotes += c == '"' ? 1 : 0;
        if (text.compare(i, arrow.size(), arrow) == 0) french = true;
        if (c == '\n') french = false;
        if (c == ' ' && before == ' ' && i > 1 &&
            text.find_last_not_of(' ', i) != std::string::npos &&
            text[text.find_last_not_of(' ', i)] != '\n')
            report("two spaces", i);
        if (c == ' ' && after == '\n') report("a space at the end of a line", i);
        if (before == ' ' && (c == ',' || c == ';' || ((c == '?' || c == '!') && !french) ||
                              (c == '.' && after != '.')))
            report("a space before punctuation", i);
        if ((c == ',' || c == ';') && is_letter(after)) report("no space after punctuation", i);
        if ((c == '.' || c == ',') && (after == '.' || after == ',') &&
            !(c == '.' && after == '.' &&
              (before == '.' || (i + 2 < text.size() && text[i + 2] == '.'))))
            report("two marks of punctuation", i);
        if ((c == '.' || c == '!' || c == '?') && after == ' ' && i + 2 < text.size() &&
            text[i + 2] >= 'a' && text[i + 2] <= 'z' && c == '.' && before != '.')
            report("a small letter after a full stop", i);
        const bool inside = is_letter(before) || static_cast<unsigned char>(before) >= 0x80;
        if (french || !is_letter(c) || inside || before == '\'' || before == '-') continue;
        const std::string word = word_at(text, i);
        if (i + word.size() >= text.size() || text[i + word.size()] != ' ') continue;
        const std::string next = word_at(text, i + word.size() + 1);
        if (word == "a" && text[i] == 'a' && sounds_like_a_vowel(next))
            report("'a' before a vowel", i);
        if (word == "an" && !next.empty() && !sounds_like_a_vowel(next))
            report("'an' before a consonant", i);
        if (word == next && word != "had" && word != "that") report("a word twice", i);
    }
    if (quotes % 2 != 0) report("unbalanced quotes", text.find('"'));
    // One newline at the end of a document is allowed: the turn of a dialogue ends with it.
    if (text.size() > 1 &&
        (text.back() == ' ' || (text.back() == '\n' && text[text.size() - 2] == '\n')))
        report("white space at the end", text.size());

    return {found.begin(), found.end()};
}

std::vector<Finding> lint(const Corpus& corpus, std::uint64_t seed,
                          std::uint64_t documents_of_each_genre) {
    std::vector<Finding> all;
    for (std::size_t g = 0; g < corpus.genres.size(); ++g) {
        std::map<std::string, Finding> findings;
        for (std::uint64_t i = 0; i < documents_of_each_genre; ++i) {
            const std::string text = corpus.document_of(to_int(g), seed, i).text;
            auto wrong = lint_text(text);
            const std::string ends = ".!?\"'})]:;";
            const bool prose = text.find(arrow) == std::string::npos;
            const std::size_t last = text.find_last_not_of('\n');
            const std::size_t line = text.rfind('\n', last);
            const bool signed_letter =
                line != std::string::npos && line > 0 && text[line - 1] == ',';
            if (prose && last != std::string::npos && !signed_letter &&
                ends.find(text[last]) == std::string::npos)
                wrong.emplace_back("no punctuation at the end", around(text, text.size()));
            for (const auto& [what, example] : wrong) {
                auto& finding =
                    findings.try_emplace(what, Finding{corpus.genres[g], what, 0, example})
                        .first->second;
                ++finding.documents;
            }
        }
        for (const auto& [what, finding] : findings) all.push_back(finding);
    }
    return all;
}

}  // namespace tbt
