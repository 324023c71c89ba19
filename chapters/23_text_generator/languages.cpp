#include "chapters/23_text_generator/languages.hpp"

#include <algorithm>

namespace tbt {

std::shared_ptr<const TokenTrie> Languages::trie() {
    const std::lock_guard lock(mutex_);
    if (!trie_) trie_ = std::make_shared<const TokenTrie>(*tokenizer_);
    return trie_;
}

std::shared_ptr<CompiledGrammar> Languages::get(const GuideRequest& guide) {
    if (guide.name().empty()) return nullptr;
    const std::string key = guide.key();
    if (std::shared_ptr<CompiledGrammar> language = known(key)) return language;
    auto compiled = std::make_shared<CompiledGrammar>(recognizer_for(guide), trie());
    // Another thread may have compiled the same guide meanwhile.
    if (std::shared_ptr<CompiledGrammar> language = known(key)) return language;
    const std::lock_guard lock(mutex_);
    recent_.emplace_front(key, compiled);
    forget_oldest();
    return compiled;
}

std::shared_ptr<CompiledGrammar> Languages::known(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto at = std::find_if(recent_.begin(), recent_.end(),
                                 [&](const auto& entry) { return entry.first == key; });
    if (at == recent_.end()) return nullptr;
    recent_.splice(recent_.begin(), recent_, at);
    return at->second;
}

void Languages::forget_oldest() {
    for (auto at = recent_.end(); recent_.size() > most && at != recent_.begin();) {
        --at;
        if (at->second.use_count() == 1) at = recent_.erase(at);
    }
}

}  // namespace tbt
