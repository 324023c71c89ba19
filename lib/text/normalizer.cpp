#include "lib/text/normalizer.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"
#include "lib/text/text_splitter.hpp"

#if __has_include(<utf8proc.h>) && !defined(TBT_NO_TEXT_LIBS)
#define TBT_UTF8PROC
#endif
#ifdef TBT_UTF8PROC
#include <utf8proc.h>
#endif

namespace tbt {

namespace {

using Kind = TextRules::Normalizer::Kind;

bool is_ascii(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return (c & 0x80) == 0; });
}

// NFC changes nothing in a text whose characters are all below U+0300, the first combining mark.
// That is most text in Latin alphabets. U+0300 is CC 80 in UTF-8.
bool is_surely_in_form(std::string_view text, Kind form) {
    if (form != Kind::nfc) return is_ascii(text);
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0xcc) return false;
    return true;
}

#ifdef TBT_UTF8PROC
std::string utf8_in_form(std::string_view text, Kind form) {
    int options = UTF8PROC_STABLE;
    options |= form == Kind::nfc || form == Kind::nfkc ? UTF8PROC_COMPOSE : UTF8PROC_DECOMPOSE;
    if (form == Kind::nfkc || form == Kind::nfkd) options |= UTF8PROC_COMPAT;
    utf8proc_uint8_t* made = nullptr;
    const utf8proc_ssize_t size = utf8proc_map(
        reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
        static_cast<utf8proc_ssize_t>(text.size()), &made, static_cast<utf8proc_option_t>(options));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
    if (size < 0)
        throw Error(std::string("tokenizer: the text has no Unicode normal form: ") +
                    utf8proc_errmsg(size));
    return {reinterpret_cast<const char*>(made), index(size)};
}
std::int32_t lower(std::int32_t c) { return utf8proc_tolower(c); }
#else
[[noreturn]] void need_utf8proc() {
    throw Error(
        "tokenizer: this text needs Unicode's tables for letters or normal forms, and this build "
        "has no utf8proc");
}
std::string utf8_in_form(std::string_view, Kind) { need_utf8proc(); }
std::int32_t lower(std::int32_t c) {
    if (c >= 0x80) need_utf8proc();
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}
#endif

// Calls rewrite(code point) for each character, which appends to the result what it becomes. Bytes
// that are not UTF-8 stay.
template <class Rewrite>
std::string each_character(std::string_view text, Rewrite&& rewrite) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_utf8(text, i);
        if (c.value < 0) result += text[i];
        else rewrite(result, c.value);
        i += index(c.length);
    }
    return result;
}

std::string lowercase(std::string_view text) {
    return each_character(text, [](std::string& result, std::int32_t c) {
        append_utf8(result, c == 0x130 ? 'i' : lower(c));
        if (c == 0x130) append_utf8(result, 0x307);  // "İ" becomes two characters
    });
}

std::string without_accents(std::string_view text) {
    if (is_ascii(text)) return std::string(text);
    return each_character(text, [](std::string& result, std::int32_t c) {
        const Category category = category_of(c);
        if (category < Category::Mn || category > Category::Me) append_utf8(result, c);
    });
}

}  // namespace

std::string in_form(std::string_view text, Kind form) {
    if (is_surely_in_form(text, form)) return std::string(text);
    // Each stretch of well-formed UTF-8 by itself.
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t length =
            std::min(find_invalid_utf8(text.substr(begin)), text.size() - begin);
        if (length > 0) result += utf8_in_form(text.substr(begin, length), form);
        if (begin += length; begin < text.size()) result += text[begin++];
    }
    return result;
}

std::string normalized(std::span<const TextRules::Normalizer> steps, std::string_view text,
                       TextPlace place) {
    std::string result(text);
    for (const TextRules::Normalizer& step : steps) {
        switch (step.kind) {
            case Kind::nfc:
            case Kind::nfd:
            case Kind::nfkc:
            case Kind::nfkd:
                result = in_form(result, step.kind);
                break;
            case Kind::lowercase:
                result = lowercase(result);
                break;
            case Kind::strip_accents:
                result = without_accents(result);
                break;
            case Kind::strip_left:
                result.erase(0, white_space_after(result, 0));
                break;
            case Kind::strip_right:
                result.resize(white_space_before(result, 0, result.size()));
                break;
            case Kind::replace:
                result = replace_all(result, step.from, step.to);
                break;
            case Kind::prepend:
            case Kind::prepend_once:
            case Kind::prepend_first:
                if (result.empty() || place == TextPlace::inside ||
                    (step.kind == Kind::prepend_first && place != TextPlace::beginning) ||
                    (step.kind != Kind::prepend && result.starts_with(step.to)))
                    break;
                result.insert(0, step.to);
        }
    }
    return result;
}

}  // namespace tbt
