#include "lib/grammar/automata/shortest_texts.hpp"

#include <algorithm>
#include <array>

#include "lib/index.hpp"
#include "lib/text/utf8.hpp"

namespace tbt {

namespace {

constexpr int longest_spelling = 12;          // of a code point
constexpr std::size_t most_places = 1 << 24;  // states times lengths

// The code points that are spelled in so many bytes.
using ByLength = std::array<CodePointSet, longest_spelling + 1>;
ByLength spelled_in(Spelling spelling) {
    ByLength sets;
    const auto length = [&](std::int32_t c) {
        std::size_t shortest = longest_spelling;
        for (const ByteSequence& s : spell(CodePointSet(c, c), spelling))
            shortest = std::min(shortest, s.size());
        return shortest;
    };
    for (std::int32_t c = 0; c < 0x80; ++c) sets[length(c)].add(c, c);
    sets[length(0x80)].add(0x80, 0x7ff);
    sets[length(0x800)].add(0x800, 0xffff);
    sets[length(0x10000)].add(0x10000, CodePointSet::highest);
    return sets;
}

class TextFinder {
public:
    TextFinder(const Dfa& dfa, std::size_t many, Spelling spelling, std::size_t most_bytes)
        : dfa_(&dfa), many_(many), most_bytes_(most_bytes) {
        const ByLength sets = spelled_in(spelling);
        for (const Dfa::State& s : dfa.states) {
            steps_.emplace_back();
            for (const Dfa::Edge& e : s.edges) {
                for (int bytes = 1; bytes <= longest_spelling; ++bytes) {
                    CodePointSet on = e.on & at(sets, bytes);
                    if (!on.empty()) steps_.back().push_back({bytes, std::move(on), e.to});
                }
            }
        }
    }

    std::vector<std::string> find() {
        int none = 0;  // so many lengths in a row of which no state has a text
        for (int length = 0; none <= longest_spelling && found_.size() < many_; ++length) {
            none = add_length() ? 0 : none + 1;
            if (!steps_.empty() && at(has_.back(), 0)) collect(0, length);
        }
        return std::move(found_);
    }

private:
    struct Step {
        int bytes;
        CodePointSet on;
        int to;
    };

    // has_[n][s]: is there a text of exactly n bytes from state s? For the next n; false: of none.
    bool add_length() {
        if ((has_.size() + 1) * steps_.size() > most_places)
            throw TooLarge("the shortest texts take too long to find; ask for fewer");
        const int length = count(has_);
        std::vector<bool> now(steps_.size());
        bool any = false;
        for (std::size_t s = 0; s < steps_.size(); ++s) {
            now[s] = length == 0 ? dfa_->states[s].accepting
                                 : std::any_of(steps_[s].begin(), steps_[s].end(), [&](auto& step) {
                                       return step.bytes <= length &&
                                              at(at(has_, length - step.bytes), step.to);
                                   });
            any = any || now[s];
        }
        has_.push_back(std::move(now));
        return any;
    }

    // All texts of so many bytes after the one that was begun. A list of what is open in place of
    // recursion: a text may be long.
    void collect(int state, int length) {
        struct Open {
            int state, left;
            std::string text;
        };
        std::vector<Open> open{{state, length, ""}};
        while (!open.empty() && found_.size() < many_) {
            const Open now = std::move(open.back());
            open.pop_back();
            if (now.left == 0 && dfa_->states[index(now.state)].accepting) keep(now.text);
            std::vector<Open> next;
            for (const Step& step : at(steps_, now.state)) {
                if (step.bytes > now.left || !at(at(has_, now.left - step.bytes), step.to))
                    continue;
                for_each_letter(step.on, [&](std::int32_t c) {
                    if (next.size() >= many_) return false;
                    next.push_back({step.to, now.left - step.bytes, now.text});
                    append_utf8(next.back().text, c);
                    return true;
                });
            }
            std::stable_sort(next.begin(), next.end(), [&](const Open& a, const Open& b) {
                return letter_first(a.text[now.text.size()]) >
                       letter_first(b.text[now.text.size()]);
            });
            // The last one is taken first.
            open.insert(open.end(), next.rbegin(), next.rend());
        }
    }
    static bool letter_first(char c) { return c >= 'a' && c <= 'z'; }

    // a to z, then the others; ends when the caller has enough.
    template <class Take>
    static void for_each_letter(const CodePointSet& set, Take&& take) {
        const CodePointSet small('a', 'z');
        for (const CodePointSet& part : {set & small, set - small}) {
            for (const CodePointSet::Range& r : part.ranges()) {
                for (std::int32_t c = r.low; c <= r.high; ++c)
                    if (!take(c)) return;
            }
        }
    }

    void keep(const std::string& text) {
        bytes_ += text.size();
        if (bytes_ > most_bytes_)
            throw TooLarge("the " + std::to_string(many_) + " shortest texts take more than " +
                           std::to_string(most_bytes_) + " bytes; ask for fewer");
        found_.push_back(text);
    }

    const Dfa* dfa_;
    std::size_t many_, most_bytes_, bytes_ = 0;
    std::vector<std::vector<Step>> steps_;
    std::vector<std::vector<bool>> has_;
    std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> shortest_texts(const Dfa& dfa, std::size_t many, Spelling spelling,
                                        std::size_t most_bytes) {
    return TextFinder(dfa, many, spelling, most_bytes).find();
}

}  // namespace tbt
