#include "lib/grammar/tokens/grammar_matcher.hpp"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "lib/core/index.hpp"
#include "lib/grammar/recognizer/recognizer.hpp"
#include "lib/show/terminal.hpp"

namespace tbt {

namespace {

// If the vocabulary lacks bytes: the states to search before the answer is "none found".
constexpr int max_tried = 4000;

}  // namespace

int Closing::enough(State state, int most) {
    if (state == Recognizer::dead) return never;
    if (masks_->recognizer().accepts(state)) return 0;
    return has_all_byte_tokens() ? masks_->to_end(state) : try_everything(state, most);
}

// For vocabularies that lack bytes, such as the small ones made up for a lesson: a breadth-first
// search through the states that k tokens reach, for k = 0, 1, … The path found is stored: then the
// promise made at its beginning also holds at each of its states.
int Closing::try_everything(State state, int most) {
    if (const auto known = enough_.find(state); known != enough_.end()) return known->second;
    struct Found {
        State state;
        int before, tokens;
    };
    std::vector<Found> found{{state, -1, 0}};
    std::unordered_set<State> seen{state};
    bool ended = false;  // by the text of the last one found
    for (std::size_t i = 0; i < found.size() && !ended; ++i) {
        if (found[i].tokens >= most || i >= max_tried) return never;
        masks_->reached().each(found[i].state, [&](const TokenReach::Reached& r) {
            if (ended || !seen.insert(r.state).second) return;
            found.push_back({r.state, to_int(i), found[i].tokens + 1});
            ended = masks_->recognizer().accepts(r.state);
        });
    }
    if (!ended) return never;
    int left = 0;
    for (int at = count(found) - 1; at >= 0; at = found[index(at)].before)
        enough_.emplace(found[index(at)].state, left++);
    return left - 1;
}

GrammarMatcher::GrammarMatcher(std::shared_ptr<CompiledGrammar> language, int budget,
                               std::string_view beginning)
    : language_(std::move(language)), budget_(budget), beginning_(beginning) {
    if (budget_ < 0)
        throw UsageError("guided: a budget of " + std::to_string(budget_) +
                         " tokens, expected 0 or more");
    if (!language_) throw Error("guided: there is no grammar");
    language_->tidy();
    epoch_ = language_->epoch();
    // Reserves memory, so that the steps of a text of usual length allocate none.
    const std::size_t usual = index(std::min(budget_, 1024));
    ids_.reserve(usual), states_.reserve(usual + 1);
    states_.push_back(language_->recognizer().start());
    if (state() == Recognizer::dead)
        throw Error("guided: no text at all satisfies the constraint; relax it");
    states_[0] = read_bytes(language_->recognizer(), state(), beginning);
    if (state() == Recognizer::dead)
        throw UsageError("guided: no text that satisfies the constraint begins with \"" +
                         visible(beginning) + "\"; change the prompt, or the constraint");
    if (budget_ == no_budget && language_->closing().has_all_byte_tokens()) return;
    const int enough = language_->closing().enough(state());
    if (enough == Closing::never)
        throw Error(
            "guided: the tokens of this vocabulary cannot write any of the texts tried that "
            "satisfy the constraint; the shortest is \"" +
            visible(shortest_text(language_->recognizer(), state())) + "\"");
    if (enough > budget_)
        throw Error("guided: a budget of " + std::to_string(budget_) +
                    " tokens is too small; allow " + std::to_string(enough) +
                    ", which is always enough");
}

std::string GrammarMatcher::text() const {
    std::string text = beginning_;
    for (const int id : ids_) text += language_->trie().bytes(id);
    return text;
}

// If the language has dropped its states, reads the text again.
void GrammarMatcher::read_again() const {
    if (epoch_ == language_->epoch()) return;
    epoch_ = language_->epoch();
    states_.assign(
        1, read_bytes(language_->recognizer(), language_->recognizer().start(), beginning_));
    for (const int id : ids_)
        states_.push_back(
            read_bytes(language_->recognizer(), states_.back(), language_->trie().bytes(id)));
}

const TokenMask& GrammarMatcher::mask() {
    language_->tidy();
    if (ended_) {
        tight_ready_ = false;
        return tight_ = TokenMask(language_->trie().vocabulary());
    }
    return language_->within_limit([this]() -> const TokenMask& {
        const MaskCache::Entry entry = language_->masks().of(state());
        // With a vocabulary that lacks bytes, a legal token may lead to a state that no token can
        // leave. Then each token must be checked.
        const bool ample = language_->closing().has_all_byte_tokens() &&
                           (budget_ == no_budget || entry.max_to_end < remaining());
        return ample ? entry.mask : tightened();
    });
}

// The mask near the end of the budget: keeps only tokens after which the text can be completed
// within the rest.
const TokenMask& GrammarMatcher::tightened() {
    if (tight_ready_) return tight_;
    const TokenTrie& trie = language_->trie();
    if (tight_.size() == trie.vocabulary()) tight_.clear();
    else tight_ = TokenMask(trie.vocabulary());
    if (trie.eos() >= 0 && complete()) tight_.set(trie.eos());
    if (!tighten_by_groups()) tighten_by_states();
    trie.add_duplicates(tight_);
    tight_ready_ = true;
    return tight_;
}

// Many tokens lead to few states, so states are checked instead of tokens.
void GrammarMatcher::tighten_by_states() {
    const TokenTrie& trie = language_->trie();
    TokenReach& reach = language_->masks().reached();
    std::unordered_map<State, bool> verdicts;
    // In the order of the trie, so that a search that gives up does so in the same way everywhere.
    std::vector<State> reached;
    reach.each(state(), [&](const TokenReach::Reached& r) {
        if (verdicts.try_emplace(r.state, false).second) reached.push_back(r.state);
    });
    for (const State s : reached) verdicts[s] = leaves_enough(s);
    reach.each(state(), [&](const TokenReach::Reached& r) {
        if (!verdicts[r.state]) return;
        if (r.words)
            tight_.add_common_but(*r.words, trie.up_to_length(r.bytes), trie.up_to_length(r.above));
        else tight_.set(r.token);
    });
}

// Decides most tokens in groups that lead to the same state. A token that leaves the part known to
// the abstraction is decided alone. False: this does not work here; check state by state instead.
bool GrammarMatcher::tighten_by_groups() {
    MaskCache& masks = language_->masks();
    TokensToEnd* const bound = masks.bound();
    if (bound == nullptr || budget_ == no_budget) return false;
    const State now = state();
    const int left = remaining() - 1, hidden = masks.hidden(now);
    const TokenReach::Groups& groups = masks.reached().groups(now);
    for (const TokenReach::Group& group : groups.groups) {
        if (masks.to_end(group.state) + hidden > left) {
            const int tokens = bound->of_reached(now, group.state);
            if (tokens < 0) return false;
            if (tokens > left) continue;
        }
        if (group.mask != nullptr) tight_ |= *group.mask;
        for (const int token : group.tokens) tight_.set(token);
    }
    const auto decide = [&](int token, State reached) {
        if (token >= 0 && leaves_enough(reached)) tight_.set(token);
    };
    const TokenTrie& trie = language_->trie();
    for (const int exit : groups.exits) {
        const State there = read_bytes(language_->recognizer(), now, trie.path(exit));
        if (there == Recognizer::dead) continue;
        decide(trie.nodes()[index(exit)].token, there);
        trie.walk(language_->recognizer(), there, exit + 1, trie.end(exit), walked_,
                  [&](int i, const TokenTrie::Node& node, State reached) {
                      decide(node.token, reached);
                      return i + 1;
                  });
    }
    return true;
}

// Can the text be completed in time after a token that led to this state?
bool GrammarMatcher::leaves_enough(State reached) {
    Closing& closing = language_->closing();
    const bool any = budget_ == no_budget && closing.has_all_byte_tokens();
    return any || closing.fits(reached, remaining() - 1);
}

bool GrammarMatcher::allows(int token) {
    if (ended_ || token < 0 || token >= language_->trie().vocabulary()) return false;
    if (token == language_->trie().eos()) return complete();
    const std::string& bytes = language_->trie().bytes(token);
    const State reached = language_->within_limit(
        [&] { return read_bytes(language_->recognizer(), state(), bytes); });
    return !bytes.empty() && reached != Recognizer::dead && leaves_enough(reached);
}

void GrammarMatcher::advance(int token) {
    if (!allows(token)) {
        const bool known = token >= 0 && token < language_->trie().vocabulary();
        throw Error("guided: token " + std::to_string(token) +
                    (known ? " \"" + visible(language_->trie().bytes(token)) + "\"" : "") +
                    " is not allowed here" + (ended_ ? ": the text has ended" : "") +
                    "; choose a token that the mask allows");
    }
    tight_ready_ = false;
    if (token == language_->trie().eos()) {
        ended_ = true;
    } else {
        states_.push_back(
            read_bytes(language_->recognizer(), state(), language_->trie().bytes(token)));
        ids_.push_back(token);
    }
}

void GrammarMatcher::rollback(int tokens) {
    const int read = length() + (ended_ ? 1 : 0);
    if (tokens < 0 || tokens > read)
        throw Error("guided: rolling back " + std::to_string(tokens) + " tokens, expected 0 to " +
                    std::to_string(read));
    tight_ready_ = false;
    if (tokens > 0 && ended_) {
        ended_ = false;
        --tokens;
    }
    ids_.resize(ids_.size() - static_cast<std::size_t>(tokens));
    states_.resize(ids_.size() + 1);
}

GrammarMatcher& ConstraintFollower::follow(std::span<const int> generated) {
    std::size_t best = 0, common = 0;
    for (std::size_t i = 0; i < texts_.size(); ++i) {
        const std::vector<int>& read = texts_[i].read;
        const auto other =
            std::mismatch(read.begin(), read.end(), generated.begin(), generated.end());
        const std::size_t shared = index(other.first - read.begin());
        // Among equal prefixes, prefers a text that need not be rolled back.
        if (shared > common ||
            (shared == common && read.size() == shared && texts_[best].read.size() > common))
            best = i, common = shared;
    }
    if (texts_[best].read.size() > common && texts_.size() < max_texts) {
        texts_.push_back(texts_[best]);  // the new text branches off here: keep both
        best = texts_.size() - 1;
    }
    Text& text = texts_[best];
    text.constraint.rollback(to_int(text.read.size() - common));
    text.read.resize(common);
    for (const int id : generated.subspan(common)) {
        text.constraint.advance(id);
        text.read.push_back(id);
    }
    return text.constraint;
}

}  // namespace tbt
