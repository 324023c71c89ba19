#include "chapters/09_stopping/text_stream.hpp"

namespace tbt {

std::string TextStream::push(std::string_view bytes) {
    if (stopped()) return "";
    for (const char byte : bytes) {
        waiting_ += byte;
        state_ = stops_->next(state_, byte);
        stop_ = stops_->complete(state_);
        if (!stopped()) continue;
        waiting_.resize(waiting_.size() - stops_->strings()[index(stop_)].size());
        return take(waiting_.size(), false);
    }
    return take(waiting_.size() - stops_->held_back(state_), false);
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
