#include "chapters/09_stopping/text_stream.hpp"

#include <algorithm>

namespace tbt {

std::string TextStream::push(std::string_view bytes, bool byte_token) {
    if (stopped()) return "";
    if (byte_token) run_ += bytes.size();
    else if (!bytes.empty()) end_run();
    for (const char byte : bytes) {
        waiting_ += byte;
        state_ = stops_->next(state_, byte);
        stop_ = stops_->complete(state_);
        if (!stopped()) continue;
        const std::size_t length = stops_->strings()[index(stop_)].size();
        waiting_.resize(waiting_.size() - length);
        run_ -= std::min(run_, length);
        end_run();
        return take(waiting_.size(), false);
    }
    return take(waiting_.size() - std::max(stops_->held_back(state_), run_), false);
}

void TextStream::end_run() {
    const std::size_t begin = waiting_.size() - run_;
    // 0xFF is in no character, so it is shown as U+FFFD.
    if (find_invalid_utf8(std::string_view(waiting_).substr(begin)) != std::string::npos)
        waiting_.replace(begin, run_, run_, '\xff');
    run_ = 0;
}

std::string TextStream::take(std::size_t certain, bool last) {
    std::string shown;
    std::size_t at = 0;
    while (at < certain) {
        const Utf8Head head = utf8_head(std::string_view(waiting_).substr(at, certain - at));
        if (head.kind == Utf8Head::cut && !last) break;
        if (head.kind == Utf8Head::complete) shown.append(waiting_, at, head.length);
        else shown += "\xEF\xBF\xBD";
        at += head.length;
    }
    waiting_.erase(0, at);
    text_ += shown;
    return shown;
}

std::string valid_text(std::string_view bytes) {
    const StopStrings none;
    TextStream stream(none);
    stream.push(bytes);
    stream.finish();
    return stream.text();
}

}  // namespace tbt
