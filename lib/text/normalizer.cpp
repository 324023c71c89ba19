#include "lib/text/normalizer.hpp"

#include <cstdlib>
#include <memory>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

#if __has_include(<utf8proc.h>) && !defined(TBT_NO_TEXT_LIBS)
#define TBT_UTF8PROC
#endif
#ifdef TBT_UTF8PROC
#include <utf8proc.h>
#endif

namespace tbt {

namespace {

// NFC changes nothing in a text whose characters are all below U+0300, the first combining mark.
// That is most text in Latin alphabets. U+0300 is CC 80 in UTF-8.
bool is_surely_composed(std::string_view text) {
    for (const char c : text)
        if (static_cast<unsigned char>(c) >= 0xcc) return false;
    return true;
}

#ifdef TBT_UTF8PROC
std::string composed_utf8(std::string_view text) {
    utf8proc_uint8_t* made = nullptr;
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                     static_cast<utf8proc_ssize_t>(text.size()), &made,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(made, &std::free);
    if (size < 0)
        throw Error(std::string("tokenizer: the text cannot be composed (NFC): ") +
                    utf8proc_errmsg(size));
    return {reinterpret_cast<const char*>(made), index(size)};
}
#else
std::string composed_utf8(std::string_view) {
    throw Error(
        "tokenizer: this text needs Unicode's composed form (NFC), and this build has no utf8proc");
}
#endif

}  // namespace

std::string composed(std::string_view text) {
    if (is_surely_composed(text)) return std::string(text);
    // Compose each stretch of well-formed UTF-8 by itself.
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t length =
            std::min(find_invalid_utf8(text.substr(begin)), text.size() - begin);
        if (length > 0) result += composed_utf8(text.substr(begin, length));
        if (begin += length; begin < text.size()) result += text[begin++];
    }
    return result;
}

std::string normalized(std::span<const TextRules::Normalizer> steps, std::string_view text,
                       TextPlace place) {
    using Kind = TextRules::Normalizer::Kind;
    std::string result(text);
    for (const TextRules::Normalizer& step : steps) {
        switch (step.kind) {
            case Kind::nfc:
                result = composed(result);
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
