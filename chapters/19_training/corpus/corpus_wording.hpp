// English spelling that the expansion of a grammar needs: "a" or "an", a capital at the
// beginning of a sentence.
#pragma once

#include <string>

namespace tbt::grammar {

// Does the word at `at` take "an"? "an hour", "a useful", "an 8", "a one-eyed".
inline bool takes_an(const std::string& text, std::size_t at) {
    std::string word;
    while (at < text.size() && word.size() < 8 && static_cast<unsigned char>(text[at]) > ' ')
        word += static_cast<char>(text[at] >= 'A' && text[at] <= 'Z' ? text[at] + 32 : text[at]),
            ++at;
    auto begins = [&](const char* s) { return word.rfind(s, 0) == 0; };
    for (const char* silent_h : {"hour", "honest", "honour", "honor", "heir"})
        if (begins(silent_h)) return true;
    for (const char* glide : {"uni", "use", "usu", "uto", "eu", "ewe", "once"})
        if (begins(glide) && !begins("unin") && !begins("unim")) return false;
    if (word == "one" || begins("one-")) return false;
    if (begins("8") || word == "11" || word == "18") return true;
    return !word.empty() && std::string("aeiou").find(word[0]) != std::string::npos;
}

// Capitalises the first letter at `at`, after any quotation marks; also the accented Latin letters
// U+00E0 to U+00FE.
inline void capitalise(std::string& text, std::size_t at) {
    while (at < text.size() && (text[at] == '"' || text[at] == '\'' || text[at] == '(')) ++at;
    if (at >= text.size()) return;
    if (text[at] >= 'a' && text[at] <= 'z') text[at] = static_cast<char>(text[at] - 32);
    else if (text[at] == '\xc3' && at + 1 < text.size() &&
             static_cast<unsigned char>(text[at + 1]) >= 0xa0)
        text[at + 1] = static_cast<char>(text[at + 1] - 0x20);
}

}  // namespace tbt::grammar
