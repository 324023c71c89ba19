#include "chapters/14_grammar/act_rests.hpp"

#include <algorithm>

#include "chapters/14_grammar/plus.hpp"
#include "lib/index.hpp"

namespace tbt {

void ActRests::set(std::vector<ActKind> kinds, std::vector<TokenExits> end) {
    kinds_ = std::move(kinds), end_ = std::move(end);
    TokenExits ends;
    for (const TokenExits& exits : end_)
        for (const TokenExit& e : exits) add_exit(ends, e.node, e.tokens);
    few_ends_ = ends.size() <= most_ends;
    boxes_.clear(), oldest_ = 0;
    known_.clear(), keys_.clear(), known_index_.clear(), exits_.clear();
}

ActRests::Left& ActRests::nothing_left() {
    if (found_.empty()) found_.emplace_back();
    left_.must.assign(kinds_.size(), 0), left_.taken.assign(kinds_.size(), 0);
    left_.may.resize(kinds_.size());
    for (auto& may : left_.may) may.clear();
    return left_;
}

// How many states may there be?
double ActRests::states() const {
    double states = ActBox::states(left_.must, end_.size());
    for (const auto& may : left_.may) states *= count(may) + 1;
    return states;
}

const ActBox* ActRests::box() const {
    const auto holds = [&](const ActBox& b) { return b.holds(left_.must); };
    const auto box = std::find_if(boxes_.begin(), boxes_.end(), holds);
    return box == boxes_.end() ? nullptr : &*box;
}

// Each of the parts has an act less, and is small where this is not much larger.
void ActRests::expect() {
    if (!few_ends_ || left_.more > 0 || states() > 2 * most_states || box() != nullptr) return;
    ActBox box(kinds_, end_, left_.must);
    if (boxes_.size() < most_boxes) boxes_.push_back(std::move(box));
    else boxes_[oldest_++ % most_boxes] = std::move(box);
}

bool ActRests::find(int place, Rest& found) {
    left_.place = place;
    if (states() > most_states) return false;
    if (few_ends_ && left_.more <= 0) {
        expect();
        found_[0].clear();
        box()->find(left_.must, left_.place, found_[0]);
        cutter_->cut(found_[0]);
        found = found_[0];
    } else {
        found = rest(0);
    }
    return true;
}

// What is left, in numbers of 16 bits each, which most_states leaves room in; returns their hash.
// Of those that may come only as many matter as must.
std::uint64_t ActRests::write_key() {
    key_.clear();
    std::uint64_t word = 0;
    int shift = 0;
    const auto add = [&](int number) {
        word |= static_cast<std::uint64_t>(number) << shift;
        if (shift += 16; shift == 64) key_.push_back(word), word = 0, shift = 0;
    };
    for (const int n : left_.must) add(n);
    add(std::max(0, left_.more)), add(left_.place);
    for (std::size_t k = 0; left_.more > 0 && k < kinds_.size(); ++k) {
        const std::vector<int>& may = left_.may[k];
        const std::size_t first = index(left_.taken[k]),
                          last = std::min(may.size(), first + index(left_.more));
        add(to_int(last - first));
        for (std::size_t i = first; i < last; ++i)
            for (const int high : {0, 16}) add(may[i] >> high & 0xffff);
    }
    key_.push_back(word);
    std::uint64_t hash = 0;
    for (const std::uint64_t w : key_) hash = mixed(hash, w);
    return hash;
}

int ActRests::known(std::uint64_t hash) const {
    int found = known_index_.find(hash);
    const auto same = [&](const Known& k) {
        const std::span<const std::uint64_t> key = std::span(keys_).subspan(k.key, k.size);
        return std::equal(key.begin(), key.end(), key_.begin(), key_.end());
    };
    while (found >= 0 && !same(at(known_, found))) found = at(known_, found).alike;
    return found;
}

// depth: so many acts were taken from what was left at first.
ActRests::Rest ActRests::rest(std::size_t depth) {
    const std::uint64_t hash = write_key();
    if (const int before = known(hash); before >= 0) return at(known_, before).rest;
    const std::size_t key = keys_.size(), size = key_.size();
    keys_.insert(keys_.end(), key_.begin(), key_.end());
    if (found_.size() == depth) found_.emplace_back();
    TokenExits& exits = found_[depth];
    exits.clear();
    const int here = left_.place;
    bool ends = left_.more <= 0;
    const auto take = [&](std::size_t kind, int tokens) {
        for (const TokenExit& e : kinds_[kind].from[index(here)]) {
            left_.place = e.node;
            for (const TokenExit& x : rest(depth + 1))
                add_exit(exits, x.node, plus(plus(tokens, e.tokens), x.tokens));
        }
        left_.place = here;
    };
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
        if (left_.must[k] > 0) {
            --left_.must[k];
            take(k, 0);
            ++left_.must[k];
            ends = false;
        }
        if (left_.more > 0 && index(left_.taken[k]) < left_.may[k].size()) {
            const int tokens = left_.may[k][index(left_.taken[k]++)];
            --left_.more;
            take(k, tokens);
            ++left_.more, --left_.taken[k];
        }
    }
    if (ends) exits = at(end_, here);
    cutter_->cut(exits);
    known_.push_back({key, size, known_index_.find(hash), exits_.keep(exits)});
    known_index_.set(hash, count(known_) - 1);
    return known_.back().rest;
}

}  // namespace tbt
