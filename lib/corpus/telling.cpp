#include "lib/corpus/telling.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/expansion.hpp"  // takes_an

namespace tbt::grammar {

namespace {

std::string rest_of(std::istringstream& in) {
    std::string rest;
    std::getline(in >> std::ws, rest);
    return rest;
}

// The kinds of people that person_of() knows; all others are classes of nouns.
const std::set<std::string> kinds_of_people = {"I",      "you", "name",  "given",  "role",   "kin",
                                               "plural", "we",  "third", "person", "someone"};

// Throws Error if the command names a section or class that the lexicon does not have.
void check_name(const Command& c, const Lexicon& lexicon, const std::string& where) {
    using What = Command::Kind;
    const bool who = c.kind == What::who || c.kind == What::other;
    if (c.kind == What::adjective ||
        (who && (!c.part.empty() || kinds_of_people.count(c.name) == 0)))
        lexicon.class_named(c.name, where);
    const bool known = c.kind == What::chain  ? lexicon.chains.count(c.name) != 0
                       : c.kind == What::acts ? lexicon.acts.count(c.name) != 0
                       : c.kind == What::adverb
                           ? c.name.empty() || lexicon.adverbs.count(c.name) != 0
                           : true;
    if (!known) throw Error(where + ": there is no '" + c.name + "'");
}

}  // namespace

// ---- commands -----------------------------------------------------------------------------------

Command command_of(const std::string& text, const Lexicon& lexicon, const std::string& place) {
    using What = Command::Kind;
    static const std::map<std::string, What> kinds = {
        {"who", What::who},   {"other", What::other},   {"chain", What::chain},
        {"acts", What::acts}, {"say", What::say},       {"place", What::place},
        {"time", What::time}, {"adverb", What::adverb}, {"adjective", What::adjective},
    };
    std::istringstream in(text);
    std::string word;
    in >> word;
    Command c;
    if (const auto kind = kinds.find(word); kind != kinds.end()) {
        c.kind = kind->second;
        if (c.kind == What::say) {
            c.words = lexicon.words(rest_of(in), place);
            return c;
        }
        in >> c.name;
        if (c.kind != What::chain) in >> c.part;
        else in >> c.number;
        check_name(c, lexicon, place + "{!" + text + "}");
        return c;
    }
    if (word == "S" || (word == "O" && in.eof()) || word.starts_with("S.") ||
        word.starts_with("O.")) {
        c.kind = What::subject;
        c.name = word.substr(0, 1);
        c.part = word.size() > 2 ? word.substr(2) : "he";
        if (c.part != "he" && c.part != "him" && c.part != "his" && c.part != "himself" &&
            c.part != "full" && c.part != "new")
            throw Error(place + "{!" + text + "}: '" + c.part + "' is not understood");
        return c;
    }
    c.kind = What::tell;
    for (; !form_named(word); in >> word) {
        if (word == "q") c.question = true;
        else if (word == "timed") c.times = "past_time";
        else if (word == "sudden") c.times = "suddenly";
        else if (word == "vp") c.without_subject = true;
        else if (word == "not") c.negative = true;
        else if (word == "I" || word == "you") c.speaker = word;
        else if (word == "O") c.main = word;
        else throw Error(place + "{!" + text + "}: '" + word + "' is not understood");
        if (in.eof()) throw Error(place + "{!" + text + "}: no tense");
    }
    c.form = *form_named(word);
    const std::string rest = rest_of(in);
    c.of_acts = rest.size() == 2 && rest[0] == 'a' && rest[1] >= '1' && rest[1] <= '9';
    if (c.of_acts) c.number = index(rest[1] - '0');
    else if (!rest.empty() && rest[0] >= '1' && rest[0] <= '9') c.number = index(rest[0] - '0');
    else c.clause = lexicon.clause(rest, place + "{!" + text + "}");
    return c;
}

void Telling::run(const Command& c, std::string& out) {
    using What = Command::Kind;
    count_sentences(out);
    Tokens tokens;
    const auto parts = [&](const std::vector<std::vector<Word>>& all) {
        if (!all.empty()) words(all[choices_.one_of(all.size())], {}, {}, tokens);
    };
    switch (c.kind) {
        case What::who:
            return draw_who(c, "S");
        case What::other:
            other_ = &c;
            variables_.erase("O");
            return;
        case What::chain:
            return draw_chain(c);
        case What::acts:
            acts_wanted_ = &c;
            acts_ = nullptr;
            told_acts_.clear();
            return;
        case What::tell:
            tell(c, tokens);
            break;
        case What::say:
            words(c.words, {}, {}, tokens);
            break;
        case What::subject: {
            if (c.part == "new") entities_[index(variable(c.name))].told = false;
            if (c.part == "full" || c.part == "new") mention(variable(c.name), Role::full, tokens);
            else {
                main_ = c.name;
                word({Word::Kind::subject, c.part}, {}, {}, tokens);
                main_ = "S";
            }
            break;
        }
        case What::place:
            parts(acts().places);
            break;
        case What::time:
            parts(acts().times);
            break;
        case What::adverb: {
            const std::string& group = c.name.empty() ? acts().adverbs : c.name;
            if (group.empty()) break;
            const auto& all = lexicon_.adverbs.at(group);
            tokens.push_back(all[choices_.one_of(all.size())]);
            break;
        }
        case What::adjective:
            if (!c.part.empty()) tokens.push_back(article);
            tokens.push_back(adjective_for(lexicon_.class_named(c.name, "")));
            break;
    }
    write(tokens, out);
}

void Telling::count_sentences(const std::string& out) {
    for (std::size_t i = std::min(counted_, out.size()); i < out.size(); ++i)
        if (out[i] == '.' || out[i] == '?' || out[i] == '!' || out[i] == '\n') ++sentence_;
    counted_ = out.size();
}

void Telling::write(const Tokens& tokens, std::string& out) const {
    bool first = true;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::string& token = tokens[i];
        if (token.empty()) continue;
        if (!first && token[0] != '\'' && token != "n't" && token[0] != ',') out += ' ';
        first = false;
        if (token == article)
            out += i + 1 < tokens.size() && takes_an(tokens[i + 1], 0) ? "an" : "a";
        else out += token;
    }
}

// ---- mentioning --------------------------------------------------------------------------------

int Telling::variable(const std::string& name) {
    if (name == "O" && other_ != nullptr && variables_.count(name) == 0) draw_who(*other_, name);
    const auto at = variables_.find(name);
    if (at == variables_.end())
        throw Error("a document mentions " +
                    (name == "S" || name == "O" ? "{!" + name + "}" : "$" + name) +
                    " before it is drawn" + (chain_ == nullptr ? "" : " (" + chain_->source + ")"));
    return at->second;
}

Telling::Pronoun Telling::pronoun(int entity) {
    if (!speaker_.empty()) {  // in direct speech, one of the two is I, the other you
        const bool is_i = speaker_ == "I";
        if (entity == variable(main_)) return is_i ? Pronoun::I : Pronoun::you;
        const auto other = variables_.find(main_ == "S" ? "O" : "S");
        if (other != variables_.end() && entity == other->second)
            return is_i ? Pronoun::you : Pronoun::I;
    }
    return entities_[index(entity)].pronoun;
}

// The pronoun if it is clear who is meant: the last one that it meant, at most one sentence ago
// (the main person: three). After three sentences that begin with the pronoun comes the name.
void Telling::mention(int entity, Role role, Tokens& tokens) {
    static constexpr const char* words[][4] = {{"I", "me", "my", "myself"},
                                               {"you", "you", "your", "yourself"},
                                               {"he", "him", "his", "himself"},
                                               {"she", "her", "her", "herself"},
                                               {"it", "it", "its", "itself"},
                                               {"we", "us", "our", "ourselves"},
                                               {"they", "them", "their", "themselves"}};
    Entity& e = entities_[index(entity)];
    const Pronoun p = pronoun(entity);
    const bool always = p == Pronoun::I || p == Pronoun::you || (p == Pronoun::we && e.told);
    const auto last = last_.find(p);
    const bool same =
        last != last_.end() &&
        (last->second == entity || (entity == 0 && p == Pronoun::they && !is_person(last->second)));
    const bool clear =
        e.told && e.has_pronoun && same && sentence_ - e.sentence <= (entity == 0 ? 3 : 2) &&
        // Of two women, two men or two animals, only the main one is a pronoun as the subject.
        !(entity != 0 && role == Role::subject && p == entities_[0].pronoun);
    const bool tired = role == Role::subject && tokens.empty() && run_ >= 3 && !always;
    if (always || role == Role::reflexive || (clear && !tired && role != Role::full)) {
        if (role == Role::subject && tokens.empty() && !always) ++run_;
        tokens.emplace_back(
            words[static_cast<int>(p)][role == Role::full ? 0 : static_cast<int>(role)]);
    } else {
        if (entity == 0) run_ = 0;
        if (e.told && e.owned) mention(variable(main_), Role::possessive, tokens);
        // Not "a hiker from the village's door".
        const bool is_long = role == Role::possessive && e.first.find(" the ") != std::string::npos;
        tokens.push_back(e.told || is_long ? e.later : e.first);
        if (tokens.back().starts_with(article)) {
            tokens.back().erase(0, 2);
            tokens.insert(tokens.end() - 1, article);
        }
        if (role == Role::possessive)
            tokens.emplace_back(p == Pronoun::they && tokens.back().ends_with('s') ? "'" : "'s");
    }
    if (always) return;
    e.told = true;
    e.sentence = sentence_;
    // A thing or person without a name of its own does not take the pronoun of the main person.
    if (!e.passing || last == last_.end() || last->second != 0) last_[p] = entity;
}

bool Telling::is_person(int entity) const {
    const int noun = entities_[index(entity)].noun;
    return noun < 0 || lexicon_.is_a(lexicon_.nouns[index(noun)], "people");
}

// ---- chains and acts ----------------------------------------------------------------------------

void Telling::draw_chain(const Command& c) {
    const auto& all = lexicon_.chains.at(c.name);
    std::vector<std::uint32_t> weights;
    for (const Chain& chain : all) weights.push_back(chain.steps.size() >= c.number ? 1 : 0);
    if (std::ranges::count(weights, 1u) == 0)
        throw Error("no chain of '" + c.name + "' has " + std::to_string(c.number) + " steps");
    chain_ = &all[choices_.weighted(weights)];
    steps_.clear();
    key_ += chain_->source + "|";
}

const Acts& Telling::acts() {
    if (acts_ == nullptr) {
        if (acts_wanted_ == nullptr)
            throw Error(
                "a document tells acts, their place or time before {!chain …} or {!acts …}");
        const auto& all = lexicon_.acts.at(acts_wanted_->name);
        std::vector<std::uint32_t> weights;
        for (const Acts& set : all)
            weights.push_back(static_cast<std::uint32_t>(set.clauses.size()));
        acts_ = &all[choices_.weighted(weights)];
    }
    return *acts_;
}

// The steps are drawn when they are needed, in their order.
const Clause& Telling::step(std::size_t number) {
    while (steps_.size() < number) {
        if (number > chain_->steps.size())
            throw Error(chain_->source + ": has no step " + std::to_string(number));
        const auto& alternatives = chain_->steps[steps_.size()];
        steps_.push_back(&alternatives[choices_.one_of(alternatives.size())]);
        introduce(*steps_.back());
    }
    return *steps_[number - 1];
}

// No two acts of a document have the same verb.
const Clause& Telling::act(std::size_t number) {
    while (told_acts_.size() < number) {
        std::vector<const Clause*> free;
        for (const Clause& clause : acts().clauses)
            if (std::ranges::none_of(told_acts_,
                                     [&](const Clause* a) { return a->verb == clause.verb; }))
                free.push_back(&clause);
        if (free.empty()) throw Error(acts().place + ": too few acts");
        told_acts_.push_back(free[choices_.one_of(free.size())]);
        introduce(*told_acts_.back());
        key_ += std::to_string(told_acts_.back()->verb) + "|";
    }
    return *told_acts_[number - 1];
}

void Telling::introduce(const Clause& clause) {
    for (const auto* words : {&clause.subject, &clause.rest})
        for (const Word& word : *words)
            if (word.kind == Word::Kind::noun && !word.name.empty()) introduced_[word.name] = word;
}

// A gap: draws the noun, unless a later step has told it before.
void Telling::noun(const Word& word, Tokens& tokens) {
    if (!word.name.empty() && variables_.count(word.name) != 0)
        return mention(variables_.at(word.name), Role::object, tokens);
    if (word.text == "his") mention(variable(main_), Role::possessive, tokens);
    entities_.push_back(with_noun(word.id, word.text, word.plural));
    const int entity = to_int(entities_.size() - 1);
    if (!word.name.empty()) {
        variables_[word.name] = entity;
        introduced_.erase(word.name);
        if (chain_ == nullptr && acts_wanted_ == nullptr)  // else these make the document
            key_ += entities_[index(entity)].later + "|";
    }
    entities_[index(entity)].passing = word.name.empty();
    mention(entity, Role::object, tokens);
}

// ---- clauses ------------------------------------------------------------------------------------

bool Telling::contracted() {
    if (contracted_ < 0) contracted_ = choices_.chance(1, 2) ? 1 : 0;
    return contracted_ == 1;
}

Agreement Telling::subject(const Clause& clause, bool silent, Tokens& tokens) {
    if (clause.subject.empty()) {
        const int s = variable(main_);
        if (!silent) mention(s, Role::subject, tokens);
        const Pronoun p = pronoun(s);
        const bool third = p == Pronoun::he || p == Pronoun::she || p == Pronoun::it;
        return {third, p == Pronoun::I, !third && p != Pronoun::I};
    }
    Tokens own;
    const Word& head = clause.subject.back();
    const auto at = variables_.find(head.name);
    if (clause.subject.size() == 1 && head.kind == Word::Kind::mention && at != variables_.end())
        mention(at->second, Role::subject, own);
    else words(clause.subject, {}, {}, own);
    bool plural = head.plural;
    if (head.kind == Word::Kind::text) {
        const std::string& t = head.text;
        plural |= t == "children" || t == "people" || t == "both" ||
                  (t.ends_with("s") && !t.ends_with("ss") && t != "news" && t != "bus");
    } else if (head.kind != Word::Kind::subject) {
        const auto drawn = variables_.find(head.name);
        const Entity& e =
            drawn == variables_.end() ? entities_.back() : entities_[index(drawn->second)];
        plural = e.pronoun == Pronoun::they;
    }
    if (!silent) tokens.insert(tokens.end(), own.begin(), own.end());
    return {!plural, false, plural};
}

void Telling::words(const std::vector<Word>& all, const VerbGroup& group,
                    const Agreement& agreement, Tokens& tokens) {
    for (const Word& w : all) word(w, group, agreement, tokens);
}

void Telling::word(const Word& word, const VerbGroup& group, const Agreement& agreement,
                   Tokens& tokens) {
    static const std::map<std::string, Role> roles = {{"he", Role::subject},
                                                      {"him", Role::object},
                                                      {"his", Role::possessive},
                                                      {"himself", Role::reflexive}};
    switch (word.kind) {
        case Word::Kind::text: {
            const std::string& text = word.options.empty()
                                          ? word.text
                                          : word.options[choices_.one_of(word.options.size())];
            if (!text.empty()) tokens.push_back(text == "a" ? article : text);
            break;
        }
        case Word::Kind::verb:
            tokens.push_back(coordinated(lexicon_.verbs[index(word.id)], group, agreement));
            break;
        case Word::Kind::noun:
            noun(word, tokens);
            break;
        case Word::Kind::mention:
            if (variables_.count(word.name) == 0 && introduced_.count(word.name) != 0) {
                Word first = introduced_.at(word.name);  // after an adjective it had no article
                if (first.text.empty() && !first.plural) first.text = "the";
                noun(first, tokens);
            } else mention(variable(word.name), Role::object, tokens);
            break;
        case Word::Kind::subject:
            mention(variable(main_), roles.at(word.text), tokens);
            break;
        case Word::Kind::degree:
            if (choices_.chance(1, 3)) {
                const auto& very = lexicon_.adverbs.at("degree");
                tokens.push_back(very[choices_.one_of(very.size())]);
            }
            break;
    }
}

void Telling::tell(const Command& c, Tokens& tokens) {
    const bool of_acts = c.of_acts || chain_ == nullptr;
    const Clause& clause = c.number == 0 ? c.clause : of_acts ? act(c.number) : step(c.number);
    const std::string speaker = speaker_, main = main_;
    speaker_ = c.speaker;
    main_ = c.main;
    if (c.number == 0) introduce(clause);
    const Verb& verb = lexicon_.verbs[index(clause.verb)];
    const bool negative = clause.negative != c.negative;
    if (!c.times.empty() && clause.subject.empty() && !verb.state && !negative &&
        verb.base != "live") {
        const auto& times = lexicon_.adverbs.at(c.times);
        tokens.push_back(times[choices_.one_of(times.size())]);
        if (c.times == "past_time" && choices_.chance(1, 1)) tokens.emplace_back(",");
    }
    Tokens own;
    const Agreement agreement = subject(clause, c.without_subject, own);
    // "because the sun shone", though "because she had forgotten it"
    const bool plain = c.form == Form::since && !clause.subject.empty();
    const VerbGroup group =
        conjugate(lexicon_, verb, plain ? Form::past : c.form, agreement, negative || c.question);
    predicate(c, clause, group, own, tokens);
    words(clause.rest, group, agreement, tokens);
    speaker_ = speaker;
    main_ = main;
}

// Subject and verbs, with "not" and "often" in their places.
void Telling::predicate(const Command& c, const Clause& clause, const VerbGroup& group,
                        const Tokens& own, Tokens& tokens) {
    const bool negative = clause.negative != c.negative;
    const bool is_finite = group.form != Form::inf && group.form != Form::ing &&
                           group.form != Form::have && group.form != Form::part;
    std::string often = clause.before;
    if (c.form == Form::habit && often.empty() && !negative) {
        const auto& all = lexicon_.adverbs.at("frequency");
        often = all[choices_.one_of(all.size())];
    }
    const bool after_pronoun = own.size() == 1 && clause.subject.empty() && own[0].size() < 5;
    const Tokens verbs = is_finite ? finite(group, negative, c.question, after_pronoun)
                                   : Tokens{negative ? "not" : "", group.first};
    const auto add = [&](const Tokens& more) {
        tokens.insert(tokens.end(), more.begin(), more.end());
    };
    if (c.question) {
        add(verbs);
        add(own);
        if (negative && verbs == Tokens{group.first}) tokens.emplace_back("not");
        tokens.push_back(often);
    } else {
        add(own);
        const bool before = !group.auxiliary || !is_finite;
        if (before) tokens.push_back(often);
        add(verbs);
        if (!before) tokens.push_back(often);
    }
    tokens.push_back(group.second);
}

// The finite verb with "not": is not, isn't, cannot; after a pronoun also 's and 'll.
Telling::Tokens Telling::finite(const VerbGroup& group, bool negative, bool question,
                                bool after_pronoun) {
    const std::string& first = group.first;
    static const std::map<std::string, std::string> short_forms = {
        {"am", "'m"}, {"is", "'s"}, {"are", "'re"}, {"will", "'ll"}};
    const auto joined = short_forms.find(first);
    const bool can_join = group.auxiliary && group.form != Form::used &&
                          (negative ? first != "must" && (first != "am" || after_pronoun)
                                    : after_pronoun && !question && joined != short_forms.end());
    const bool is_short = can_join && contracted();
    if (is_short && after_pronoun && !question && joined != short_forms.end() &&
        (!negative || first == "am"))
        return negative ? Tokens{joined->second, "not"} : Tokens{joined->second};
    if (!negative) return {first};
    if (!is_short || first == "am") {
        if (question) return {first};
        return first == "can" ? Tokens{"cannot"} : Tokens{first, "not"};
    }
    if (first == "will") return {"won't"};
    if (first == "can") return {"can't"};
    return {first, "n't"};
}

}  // namespace tbt::grammar
