#include "lib/grammar/schema/strings.hpp"

#include <algorithm>
#include <cstdio>
#include <queue>
#include <tuple>
#include <utility>

#include "lib/core/index.hpp"
#include "lib/grammar/automata/dfa.hpp"

namespace tbt {

int CountedText::add_nodes(Grammar& grammar, int index_of_this, const Dfa& texts) {
    first_ = grammar.add_node();
    const int out = add_dfa(grammar, texts, first_, Spelling::json);
    // add_dfa makes `out` and then a node for each state. An edge out of such a node begins a
    // character.
    for (int state = out + 1; state <= out + count(texts.states); ++state)
        for (Grammar::ByteEdge& e : grammar.node(state).bytes) e.annotated = true;
    end_ = grammar.add_node();
    grammar.edge(out, '"', '"', end_);
    grammar.node(end_).final = true;
    for (int id = first_; id <= end_; ++id) grammar.node(id).annotations = index_of_this;
    return first_;
}

int CountedText::read(int annotation, std::uint8_t) {
    if (annotation == far()) return annotation;
    if (annotation > far()) return annotation - far() <= near ? annotation + 1 : forgotten;
    const long long now = characters(annotation) + 1, last = most_ >= 0 ? most_ + 1 : least_;
    if (most_ >= 0 && now > most_ && at_limit_) at_limit_();
    return to_int(std::min(now, last)) + 1;
}

int CountedText::abstracted(int, int annotation) {
    if (annotation >= far()) return annotation;
    const long long now = characters(annotation), left = most_ - now;
    if (now < least_) return annotation;
    if (most_ < 0 || (longest_token_ > 0 && left >= longest_token_)) return far();
    return left >= near ? far() + 1 : annotation;
}

bool CountedText::tokens_have_at_most(int bytes) {
    const bool grows = longest_token_ < bytes;
    longest_token_ = std::max(longest_token_, bytes);
    return grows;
}

// Shortest paths backwards from the end: fewest characters, then fewest bytes [Dijkstra 1959].
void CountedText::find_completions(const Grammar& grammar) {
    completions_.assign(index(end_ - first_ + 1), {});
    struct Before {
        int node, byte, characters;
    };
    std::vector<std::vector<Before>> before(completions_.size());
    for (int id = first_; id <= end_; ++id)
        for (const Grammar::ByteEdge& e : grammar.node(id).bytes)
            before[index(e.to - first_)].push_back({id, e.low, e.annotated ? 1 : 0});
    using Open = std::tuple<int, int, int>;  // characters, bytes, node
    std::priority_queue<Open, std::vector<Open>, std::greater<>> open;
    completion(end_).characters = completion(end_).bytes = completion(end_).tokens = 0;
    open.emplace(0, 0, end_);
    while (!open.empty()) {
        const auto [characters, bytes, node] = open.top();
        open.pop();
        if (std::pair(characters, bytes) !=
            std::pair(completion(node).characters, completion(node).bytes))
            continue;
        for (const Before& b : before[index(node - first_)]) {
            const std::pair found(characters + b.characters, bytes + 1);
            Completion& known = completion(b.node);
            if (found >= std::pair(known.characters, known.bytes)) continue;
            known = {found.first, found.second, b.byte, node};
            open.emplace(found.first, found.second, b.node);
        }
    }
}

int CountedText::tokens(const Measure& measure, int node) {
    if (!measure.in_tokens()) return completion(node).bytes;
    if (id_ != measure.id()) {
        id_ = measure.id(), lengths_ = measure.lengths_of_words(), fewest_.assign(1, 0);
        for (Completion& w : completions_) w.tokens = w.bytes == 0 ? 0 : -1;
    }
    if (completion(node).tokens >= 0) return completion(node).tokens;
    std::string text;
    for (int at = node; at != end_; at = completion(at).to)
        text += static_cast<char>(completion(at).byte);
    std::size_t place = 0;
    const std::vector<int> left = measure.of_suffixes(text);
    for (int at = node; at != end_; at = completion(at).to) completion(at).tokens = left[place++];
    return left[0];
}

// fewest(n) = 1 + the minimum of fewest(n − length) over all lengths: the best first word reduces
// it by one. For very many letters, words of the longest length come first.
int CountedText::words(const Measure& measure, long long letters) {
    constexpr long long most = 4096;
    if (!measure.in_tokens()) return to_int(std::min<long long>(letters, Grammar::never));
    long long first = 0;
    if (letters > most) {
        const int longest = lengths_.back();
        first = (letters - most + longest - 1) / longest;
        letters -= first * longest;
    }
    while (fewest_.size() <= static_cast<std::size_t>(letters)) {
        int least = Grammar::never;
        for (const int length : lengths_)
            if (index(length) <= fewest_.size())
                least = std::min(least, 1 + fewest_[fewest_.size() - index(length)]);
        fewest_.push_back(least);
    }
    return to_int(first) + fewest_[static_cast<std::size_t>(letters)];
}

int CountedText::cost(const Measure& measure, int node, int annotation) {
    if (completions_.empty()) find_completions(measure.grammar());
    const bool abstraction = annotation >= far();
    const long long now = abstraction ? least_ : characters(annotation);
    const long long missing = std::max(0LL, least_ - now);
    if (node == end_) return missing == 0 && (most_ < 0 || now <= most_) ? 0 : Grammar::never;
    const Completion& w = completion(node);
    if (w.characters >= Grammar::never) return Grammar::never;
    if (!abstraction && most_ >= 0 && now + w.characters + missing > most_) return Grammar::never;
    const int rest = tokens(measure, node);  // looks at the vocabulary first
    return saturating_add(rest, words(measure, missing));
}

// ---- the strings of a schema ----

namespace {

constexpr long long few_characters = 24, few_states = 480;

// The intersection; empty if it needs too many states.
Dfa common(const Dfa& a, const Dfa& b) {
    try {
        return a & b;
    } catch (const TooLarge&) {
        return {};
    }
}

// Adds the text as a rule of its own: the nodes with annotations must end with their rule.
void add_counted(Grammar& grammar, std::unique_ptr<CountedText> made, const Dfa& texts, int start,
                 int end) {
    CountedText& counted = *made;
    const int index = grammar.add_annotations(std::move(made));
    const int rule = grammar.add_rule("string"), quote = grammar.add_node();
    grammar.rule(rule).start = quote;
    grammar.edge(quote, '"', '"', counted.add_nodes(grammar, index, texts));
    grammar.skip(grammar.call(start, rule), end);
}

}  // namespace

void WrittenStrings::add(Grammar& grammar, const Scalars& s, int start, int end) const {
    static const SharedDfa anything = Dfa::anything();
    SharedDfa texts = s.strings ? s.strings : anything;
    long long least = s.least, most = s.most;
    std::function<void()> at_limit;
    long long usual = options_.everyday && !s.listed ? options_.max_characters : -1;
    const char* raised_by = "--max-string N";
    if (options_.everyday && !s.listed && s.everyday != nullptr) {
        Dfa mostly = common(*texts, s.everyday->texts);
        if (has_length(mostly, least, most)) texts = std::move(mostly);
        if (usual > s.everyday->most)
            usual = s.everyday->most, raised_by = "maxLength, or --strict";
    }
    const bool any = *texts == *anything;
    if (!any && least > 0) texts = *texts & of_length(least, -1), least = 0;
    if (most < 0 && usual >= 0) {
        most = std::max({usual, least, shortest_length(*texts)});
        at_limit = said_at(most, raised_by);
    }
    if (const long long longest = longest_length(*texts); longest >= 0 && longest <= most)
        most = -1;
    // Characters are counted by an annotation (counted), or by a state for each length if the
    // automaton is small or its shortest text is long.
    const bool counted = any ? std::max(least, most) > few_characters
                             : most >= 0 && shortest_length(*texts) < few_characters &&
                                   most * count(texts->states) > few_states;
    if (counted)
        return add_counted(grammar, std::make_unique<CountedText>(least, most, std::move(at_limit)),
                           *texts, start, end);
    if (least > 0 || most >= 0) texts = *texts & of_length(least, most);
    const int text = add_dfa(grammar, *texts, grammar.bytes(start, "\""), Spelling::json);
    grammar.skip(grammar.bytes(text, "\""), end);
}

// A function that says, once, that a string has reached a limit that the schema does not set.
std::function<void()> WrittenStrings::said_at(long long most, const char* raised_by) const {
    return [said = said_, most, raised_by, name = name_, warn = options_.warn] {
        if (std::exchange(*said, true)) return;
        const std::string line = name + ": strings have at most " + std::to_string(most) +
                                 " characters here, because the schema sets no limit (" +
                                 raised_by + ")";
        if (warn) warn(line);
        else std::fprintf(stderr, "%s\n", line.c_str());
    };
}

}  // namespace tbt
