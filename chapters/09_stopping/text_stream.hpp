// From the bytes of tokens to text that may be shown.
//
// A token can end in the middle of a character, and a stop string can lie across tokens.
// So two kinds of bytes wait: a character that is not complete, and a tail that
// could still become a stop string. All that was shown, joined, is the final text,
// wherever the tokens happened to be cut.
#pragma once

#include <string>
#include <string_view>

#include "chapters/09_stopping/stop_strings.hpp"
#include "lib/core/index.hpp"
#include "lib/core/unicode.hpp"

namespace tbt {

class TextStream {
public:
    // The stop strings must outlive the stream.
    explicit TextStream(const StopStrings& stops) : stops_(&stops) {}

    // Takes the bytes of one token and gives the text that has become certain, often none.
    // After a stop string: nothing.
    std::string push(std::string_view bytes);

    // The text is over: what waited for a stop string is shown, and a character that never came to
    // its end is one U+FFFD.
    std::string finish() { return take(waiting_.size(), true); }

    bool stopped() const { return stop_ >= 0; }
    int stop_string() const { return stop_; }                // which one; −1: none
    const std::string& text() const { return text_; }        // all that was shown
    const std::string& waiting() const { return waiting_; }  // bytes not shown yet

private:
    // Moves complete characters out of the first `certain` bytes that wait.
    std::string take(std::size_t certain, bool last);

    const StopStrings* stops_;
    int state_ = StopStrings::start;
    int stop_ = -1;
    std::string waiting_, text_;
};

// The whole of some bytes as valid text; what is broken becomes U+FFFD.
std::string valid_text(std::string_view bytes);

}  // namespace tbt
