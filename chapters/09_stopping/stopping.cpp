#include "chapters/09_stopping/stopping.hpp"

namespace tbt {

const char* to_string(FinishReason reason) {
    switch (reason) {
        case FinishReason::eos:
            return "eos";
        case FinishReason::stop_string:
            return "stop_string";
        case FinishReason::length:
            return "length";
        case FinishReason::context:
            return "context";
        default:
            return "interrupted";
    }
}

std::optional<FinishReason> why_stop(const StopRules& rules, int id, const TextStream& stream,
                                     int generated, int length) {
    if (rules.is_eos(id)) return FinishReason::eos;
    if (stream.stopped()) return FinishReason::stop_string;
    if (generated >= rules.max_new_tokens) return FinishReason::length;
    if (rules.policy == ContextPolicy::refuse && length >= rules.context)
        return FinishReason::context;
    return std::nullopt;
}

Window::Window(int context, int keep) : context_(index(context)), keep_(index(keep)) {
    if (context < 1 || keep < 1 || keep > context) {
        throw Error("sliding window: keeps " + std::to_string(keep) + " of " +
                    std::to_string(context) + " tokens, expected 1 to the length of the context");
    }
}

std::span<const int> Window::view(std::span<const int> ids) {
    if (ids.size() < first_ + context_ + 1) return ids.subspan(std::min(first_, ids.size()));
    first_ = ids.size() - keep_;
    ++slides_;
    return ids.subspan(first_);
}

}  // namespace tbt
