// From the bytes of tokens to text that may be shown.
//
// A token can end in the middle of a character, and a stop string can lie across tokens.
// So two kinds of bytes wait: a character that is not complete, and a tail that
// could still become a stop string. All that was shown, joined, is the final text,
// wherever the tokens happened to be cut.
// SentencePiece's byte tokens are a third kind: a run of them is one text, valid or not, so it
// waits for the token after it.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "chapters/09_stopping/stop_strings.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

// The bytes of a token, as a generator pushes them.
struct TokenText : std::string_view {
    TokenText(std::string_view bytes, bool one_byte = false)
        : std::string_view(bytes), byte_token(one_byte) {}
    bool byte_token;  // one of <0x00> to <0xFF>, in a vocabulary of pieces
};

// The bytes of a token; empty for special tokens.
using TokenBytes = std::function<TokenText(int id)>;

class TextStream {
public:
    // The stop strings must outlive the stream.
    explicit TextStream(const StopStrings& stops) : stops_(&stops) {}

    // Takes the bytes of one token and gives the text that has become certain, often none.
    // After a stop string: nothing.
    std::string push(std::string_view bytes, bool byte_token = false);
    std::string push_token(const TokenText& token) { return push(token, token.byte_token); }

    // The text is over: what waited for a stop string is shown, and a character that never came to
    // its end is one U+FFFD.
    std::string finish() { return end_run(), take(waiting_.size(), true); }

    bool stopped() const { return stop_ >= 0; }
    int stop_string() const { return stop_; }                // which one; −1: none
    const std::string& text() const { return text_; }        // all that was shown
    const std::string& waiting() const { return waiting_; }  // bytes not shown yet

private:
    // If a run of byte tokens is not valid UTF-8, SentencePiece replaces each byte of it.
    void end_run();
    // Moves complete characters out of the first `certain` bytes that wait.
    std::string take(std::size_t certain, bool last);

    const StopStrings* stops_;
    int state_ = StopStrings::start;
    int stop_ = -1;
    std::size_t run_ = 0;  // bytes at the end of waiting_: byte tokens that more may follow
    std::string waiting_, text_;
};

// The whole of some bytes as valid text; what is broken becomes U+FFFD.
std::string valid_text(std::string_view bytes);

}  // namespace tbt
