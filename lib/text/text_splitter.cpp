#include "lib/text/text_splitter.hpp"

#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

#if __has_include(<pcre2.h>) && !defined(TBT_NO_TEXT_LIBS)
#define TBT_PCRE2
#endif
#ifdef TBT_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>
#endif

namespace tbt {

// ---- scanners -----------------------------------------------------------------------------------
using pretoken::Character;
using pretoken::character_at;
using pretoken::check_begin;
using pretoken::Kind;
using pretoken::run_end;
using pretoken::white_space_end;

namespace {

bool is_newline(char c) { return c == '\n' || c == '\r'; }

// The same contractions in upper or lower case. Case folding maps U+017F, the long s, to s.
std::size_t any_case_contraction_length(std::string_view text, std::size_t position) {
    std::string next;
    std::size_t end = position + 1, first_end = end;
    for (int i = 0; i < 2 && end < text.size(); ++i) {
        const bool long_s = text.substr(end).starts_with("\u017f");
        const char c = text[end];
        next += long_s ? 's' : c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
        end += long_s ? 2 : 1;
        if (i == 0) first_end = end;
    }
    if (next == "re" || next == "ve" || next == "ll") return end - position;
    if (!next.empty() && std::string_view("stmd").find(next[0]) != std::string_view::npos)
        return first_end - position;
    return 0;
}

// \s*[\r\n]+|\s+(?!\S)|\s+
std::size_t white_space_and_newlines_end(std::string_view text, std::size_t begin) {
    const std::size_t run = run_end(text, begin, Kind::space);
    for (std::size_t end = run; end > begin; --end)
        if (is_newline(text[end - 1])) return end;
    return white_space_end(text, begin);
}

}  // namespace

std::size_t white_space_length(std::string_view text, std::size_t begin) {
    check_begin(text, begin);
    const Character c = character_at(text, begin);
    return c.kind == Kind::space ? c.length : 0;
}

std::size_t white_space_before(std::string_view text, std::size_t least, std::size_t end) {
    while (end > least) {
        std::size_t last = end - 1;
        while (last > least && (text[last] & 0xc0) == 0x80) --last;
        if (last + white_space_length(text, last) != end) break;
        end = last;
    }
    return end;
}

std::size_t white_space_after(std::string_view text, std::size_t begin) {
    while (begin < text.size()) {
        const std::size_t length = white_space_length(text, begin);
        if (length == 0) break;
        begin += length;
    }
    return begin;
}

std::size_t digits_end(std::string_view text, std::size_t begin, int max_digits) {
    check_begin(text, begin);
    const std::size_t end = run_end(text, begin, Kind::number,
                                    max_digits > 0 ? index(max_digits) : std::string_view::npos);
    if (end > begin) return end;
    for (std::size_t i = begin; i < text.size();) {
        const Character c = character_at(text, i);
        if (c.kind == Kind::number) return i;
        i += c.length;
    }
    return text.size();
}

std::size_t cl100k_pretoken_end(std::string_view text, std::size_t begin, int max_digits) {
    check_begin(text, begin);
    const char byte = text[begin];
    if (byte == '\'') {
        if (const std::size_t length = any_case_contraction_length(text, begin))
            return begin + length;
    }
    const Character first = character_at(text, begin);
    const std::size_t second = begin + first.length;
    if (first.kind == Kind::letter) return run_end(text, second, Kind::letter);
    if (first.kind == Kind::number) return digits_end(text, begin, max_digits);
    const Kind next = second < text.size() ? character_at(text, second).kind : Kind::space;
    if (next == Kind::letter && !is_newline(byte)) return run_end(text, second, Kind::letter);
    if (first.kind == Kind::other || (byte == ' ' && next == Kind::other)) {
        std::size_t end = run_end(text, second, Kind::other);
        while (end < text.size() && is_newline(text[end])) ++end;
        return end;
    }
    return white_space_and_newlines_end(text, begin);
}

// ---- one step -----------------------------------------------------------------------------------
namespace {

std::string shortened(std::string_view pattern) {
    constexpr std::size_t longest = 60;
    std::size_t length = std::min(pattern.size(), longest);
    // Don't end in the middle of a character.
    while (length < pattern.size() && length > 0 && (pattern[length] & 0xc0) == 0x80) --length;
    return std::string(pattern.substr(0, length)) + (length < pattern.size() ? "…" : "");
}

}  // namespace

#ifdef TBT_PCRE2

// The text with U+001A for each byte that is not UTF-8, so the positions of all other bytes stay.
static std::string with_valid_utf8(std::string_view text) {
    std::string valid(text);
    for (std::size_t i = 0; i < text.size();) {
        const CodePoint c = decode_utf8(text, i);
        if (c.value < 0) valid[i] = '\x1a';
        i += index(c.length);
    }
    return valid;
}

bool has_regular_expressions() { return true; }

struct SplitPattern::Compiled {
    explicit Compiled(const std::string& pattern) {
        int error = 0;
        PCRE2_SIZE where = 0;
        code =
            pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                          PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &error, &where, nullptr);
        if (!code) {
            PCRE2_UCHAR text[200];
            pcre2_get_error_message(error, text, sizeof text);
            throw Error("the pattern \"" + shortened(pattern) +
                        "\" cannot be compiled: " + reinterpret_cast<const char*>(text) +
                        " (at byte " + std::to_string(where) + ")");
        }
        pcre2_jit_compile(code, PCRE2_JIT_COMPLETE);  // if this fails, PCRE2 interprets the code
        limits = pcre2_match_context_create(nullptr);
        // Ordinary patterns take about ten steps per character and almost no memory.
        pcre2_set_match_limit(limits, 2'000'000);
        pcre2_set_depth_limit(limits, 100'000);
        pcre2_set_heap_limit(limits, 64 * 1024);  // KiB
    }
    Compiled(const Compiled&) = delete;
    Compiled& operator=(const Compiled&) = delete;
    ~Compiled() {
        pcre2_match_context_free(limits);
        pcre2_code_free(code);
    }
    pcre2_code* code = nullptr;
    pcre2_match_context* limits = nullptr;
};

void SplitPattern::find_regex(std::string_view text, std::vector<Span>& found) const {
    struct Free {
        void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
    };
    // Each call has its own match data, since several threads may call split() at the same time.
    const std::unique_ptr<pcre2_match_data, Free> match(
        pcre2_match_data_create_from_pattern(compiled_->code, nullptr));
    std::string copy;  // check UTF-8 once here; PCRE2 would check the rest again at every match
    if (find_invalid_utf8(text) != std::string_view::npos) text = copy = with_valid_utf8(text);
    for (std::size_t from = 0; from < text.size();) {
        // Empty matches are ignored.
        const int result =
            pcre2_match(compiled_->code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                        from, PCRE2_NOTEMPTY | PCRE2_NO_UTF_CHECK, match.get(), compiled_->limits);
        if (result == PCRE2_ERROR_NOMATCH) return;
        if (result < 0) {
            throw Error("tokenizer: the pattern \"" + shortened(rule_.pattern) +
                        "\" takes too many steps on this text (PCRE2 error " +
                        std::to_string(result) + "), so it was stopped");
        }
        const PCRE2_SIZE* place = pcre2_get_ovector_pointer(match.get());
        if (place[0] < from || place[1] <= place[0])  // \K can move the beginning
            throw Error("tokenizer: the pattern \"" + shortened(rule_.pattern) +
                        "\" matches an empty text here, expected a piece of at least a character");
        found.push_back({place[0], place[1], true});
        from = place[1];
    }
}

#else

bool has_regular_expressions() { return false; }

struct SplitPattern::Compiled {
    explicit Compiled(const std::string& pattern) {
        throw Error("the pattern \"" + shortened(pattern) +
                    "\" needs PCRE2, which this build does not have (GPT-2's, Llama 3's and "
                    "Qwen's patterns need none)");
    }
};

void SplitPattern::find_regex(std::string_view, std::vector<Span>&) const {}

#endif

SplitPattern::SplitPattern(const TextRules::Split& rule) : rule_(rule) {
    if (!has_scanner() && rule_.pattern.empty()) throw Error("the pattern to split at is empty");
    if (rule_.kind == TextRules::Split::Kind::regex)
        compiled_ = std::make_unique<Compiled>(rule_.pattern);
}
SplitPattern::SplitPattern(SplitPattern&&) noexcept = default;
SplitPattern& SplitPattern::operator=(SplitPattern&&) noexcept = default;
SplitPattern::~SplitPattern() = default;

void SplitPattern::find_literal(std::string_view text, std::vector<Span>& found) const {
    const std::size_t length = rule_.pattern.size();
    for (std::size_t i = 0; (i = text.find(rule_.pattern, i)) != std::string_view::npos;
         i += length)
        found.push_back({i, i + length, true});
}

// The matches and the stretches between them, in order; together they are the whole text.
std::vector<SplitPattern::Span> SplitPattern::spans(std::string_view text) const {
    std::vector<Span> matches, all;
    if (compiled_) find_regex(text, matches);
    else find_literal(text, matches);
    std::size_t at = 0;
    for (const Span& match : matches) {
        if (match.begin > at) all.push_back({at, match.begin, rule_.invert});
        all.push_back({match.begin, match.end, !rule_.invert});
        at = match.end;
    }
    if (at < text.size()) all.push_back({at, text.size(), rule_.invert});
    return all;
}

std::vector<std::string_view> SplitPattern::split(std::string_view text) const {
    using Behavior = TextRules::Split::Behavior;
    std::vector<std::string_view> pieces;
    const auto joined = [](std::string_view left, std::string_view right) {
        return std::string_view(left.data(), left.size() + right.size());
    };
    bool joins = false;  // should the next span be joined to the last piece?
    for (const Span& span : spans(text)) {
        const std::string_view piece = text.substr(span.begin, span.end - span.begin);
        const bool to_previous = span.is_match &&
                                 rule_.behavior == Behavior::merged_with_previous &&
                                 !pieces.empty() && joins;
        const bool to_next_match =
            rule_.behavior == Behavior::merged_with_next && joins && !span.is_match;
        if (span.is_match && rule_.behavior == Behavior::removed) {
        } else if (to_previous || to_next_match) {
            pieces.back() = joined(pieces.back(), piece);
        } else {
            pieces.push_back(piece);
        }
        // A match is joined to the stretch before or after it.
        joins = rule_.behavior == Behavior::merged_with_next ? span.is_match : !span.is_match;
    }
    return pieces;
}

std::size_t SplitPattern::piece_end(std::string_view text, std::size_t begin) const {
    using Rule = TextRules::Split::Kind;
    if (rule_.kind == Rule::gpt2) return pretoken_end(text, begin);
    return rule_.kind == Rule::cl100k ? cl100k_pretoken_end(text, begin, rule_.max_digits)
                                      : digits_end(text, begin, rule_.max_digits);
}

// ---- cutting between characters that no merge joins ---------------------------------------------
namespace {

constexpr std::size_t space_mark = 0xff;  // for "▁": a byte that UTF-8 never has

std::size_t byte_in(std::string_view text, std::size_t i) {
    return static_cast<unsigned char>(text[i]);
}

bool is_byte(std::string_view piece) { return piece.size() == 6 && piece.starts_with("<0x"); }

}  // namespace

void JoinedCharacters::add_merge(std::string_view left, std::string_view right) {
    if (left.empty() || right.empty() || is_byte(left) || is_byte(right)) {
        joined_.set();
        return;
    }
    const std::size_t last =
        left.ends_with(written_space) ? space_mark : byte_in(left, left.size() - 1);
    const std::size_t first = right.starts_with(written_space) ? space_mark : byte_in(right, 0);
    joined_.set(last << 8 | first);
}

std::size_t JoinedCharacters::part_end(std::string_view text, std::size_t begin) const {
    for (std::size_t i = begin, last = 0;;) {
        std::size_t first = byte_in(text, i), end = i + 1;
        std::size_t own_last = first;
        if (first >= 0x80) {
            end = i + index(decode_utf8(text, i).length);
            own_last = byte_in(text, end - 1);
            if (text.substr(i, end - i) == written_space) first = own_last = space_mark;
        }
        if (i > begin && !joined_[last << 8 | first]) return i;
        if (end >= text.size()) return text.size();
        i = end;
        last = own_last;
    }
}

}  // namespace tbt
