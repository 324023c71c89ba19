#include "lib/corpus/lexicon.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"

namespace tbt::grammar {

namespace {

bool is_vowel(char c) { return std::string("aeiou").find(c) != std::string::npos; }

bool hisses(const std::string& word) {
    for (const char* end : {"s", "x", "z", "ch", "sh"})
        if (word.ends_with(end)) return true;
    return false;
}

bool ends_in_consonant_y(const std::string& word) {
    return word.size() > 1 && word.back() == 'y' && !is_vowel(word[word.size() - 2]);
}

bool strip_end(std::string& word, char mark) {
    if (word.empty() || word.back() != mark) return false;
    word.pop_back();
    return true;
}

std::string with_blanks(std::string word) {
    std::ranges::replace(word, '_', ' ');
    return word;
}

}  // namespace

std::string plural_of(const std::string& noun) {
    if (hisses(noun)) return noun + "es";
    if (ends_in_consonant_y(noun)) return noun.substr(0, noun.size() - 1) + "ies";
    return noun + "s";
}

std::string with_s(const std::string& verb) {
    if (hisses(verb) || verb.ends_with("o")) return verb + "es";
    if (ends_in_consonant_y(verb)) return verb.substr(0, verb.size() - 1) + "ies";
    return verb + "s";
}

std::string with_ed(const std::string& verb, bool doubled) {
    if (verb.ends_with("e")) return verb + "d";
    if (ends_in_consonant_y(verb)) return verb.substr(0, verb.size() - 1) + "ied";
    return verb + (doubled ? std::string(1, verb.back()) : "") + "ed";
}

std::string with_ing(const std::string& verb, bool doubled) {
    if (verb.ends_with("ie")) return verb.substr(0, verb.size() - 2) + "ying";
    if (verb.ends_with("e") && !verb.ends_with("ee") && !verb.ends_with("oe") && verb != "be")
        return verb.substr(0, verb.size() - 1) + "ing";
    return verb + (doubled ? std::string(1, verb.back()) : "") + "ing";
}

namespace {

// Whichever alternatives are drawn, a variable is introduced before it is mentioned.
void check_variables(const Chain& chain) {
    std::set<std::string> sure;
    for (const auto& step : chain.steps) {
        std::set<std::string> in_all = sure;
        for (std::size_t i = 0; i < step.size(); ++i) {
            std::set<std::string> here = sure;
            for (const auto* words : {&step[i].subject, &step[i].rest})
                for (const Word& w : *words) {
                    if (w.kind == Word::Kind::mention && here.count(w.name) == 0)
                        throw Error(chain.source + ": $" + w.name +
                                    " is not drawn in every way to come here");
                    if (w.kind == Word::Kind::noun) here.insert(w.name);
                }
            if (i == 0) in_all = here;
            std::erase_if(in_all, [&](const std::string& name) { return here.count(name) == 0; });
        }
        sure = in_all;
    }
}

}  // namespace

std::vector<std::string> parts_of(const std::string& text, char separator) {
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) {
        const std::size_t from = part.find_first_not_of(' '), to = part.find_last_not_of(' ');
        parts.push_back(from == std::string::npos ? "" : part.substr(from, to - from + 1));
    }
    return parts;
}

Lexicon::Lexicon(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, contents] : files) read(name, contents);
    for (const NounClass& c : classes)
        if (!c.defined) throw Error("lexicon: class '" + c.name + "' has no nouns");
    for (std::size_t n = 0; n < nouns.size(); ++n)
        for (const int c : nouns[n].classes) classes[index(c)].nouns.push_back(to_int(n));
    for (const Section& section : sections_) read_section(section);
}

int Lexicon::class_id(const std::string& name) {
    const auto [at, added] = class_ids_.emplace(name, count(classes));
    if (added) classes.push_back({name, {}, {}, {}, false});
    return at->second;
}

int Lexicon::class_named(const std::string& name, const std::string& place) const {
    const auto at = class_ids_.find(name);
    if (at == class_ids_.end()) throw Error(place + ": no class of nouns named '" + name + "'");
    return at->second;
}

bool Lexicon::is_a(const Noun& noun, const std::string& class_name) const {
    const auto at = class_ids_.find(class_name);
    return at != class_ids_.end() && std::ranges::count(noun.classes, at->second) != 0;
}

void Lexicon::read(const std::string& name, const std::string& contents) {
    std::istringstream in(contents);
    int number = 0;
    for (std::string text; std::getline(in, text);) {
        ++number;
        if (text.empty() || text[0] == '#') continue;
        const Line line{text, name + ":" + std::to_string(number)};
        if (text[0] == ' ') item(line);
        else head(line);
    }
}

void Lexicon::head(const Line& line) {
    std::istringstream in(line.text);
    in >> kind_ >> section_;
    if (kind_ == "nouns") {
        class_ = class_id(section_);
        classes[index(class_)].defined = true;
        std::string above;
        for (in >> above; in >> above;) {
            const int id = class_id(above);  // may reallocate the classes
            classes[index(class_)].above.push_back(id);
        }
    } else if (kind_ == "adjectives") {
        class_ = class_named(section_, line.place);
    } else if (kind_ == "acts" || kind_ == "chains") {
        sections_.push_back({kind_ == "acts", line});
    } else if (kind_ != "verbs" && kind_ != "adverbs") {
        throw Error(line.place + ": '" + kind_ +
                    "' is no section; expected nouns, verbs, adjectives, adverbs, chains or acts");
    }
}

void Lexicon::item(const Line& line) {
    if (kind_ == "chains" || kind_ == "acts") return sections_.back().lines.push_back(line);
    for (const std::string& part : parts_of(line.text, ',')) {
        if (part.empty()) throw Error(line.place + ": an empty word between two commas");
        if (kind_ == "nouns") add_noun(part, line.place);
        else if (kind_ == "verbs") add_verb(part, line.place);
        else if (kind_ == "adverbs") adverbs[section_].push_back(part);
        else if (kind_ == "adjectives") classes[index(class_)].adjectives.push_back(part);
        else throw Error(line.place + ": a line before the first section");
    }
}

void Lexicon::add_noun(const std::string& text, const std::string& place) {
    std::string one = text, many;
    if (const std::size_t slash = one.find('/'); slash != std::string::npos) {
        many = with_blanks(one.substr(slash + 1));
        one.resize(slash);
    }
    const bool mass = strip_end(one, '~'), plural_only = strip_end(one, '+');
    one = with_blanks(one);
    if (one.empty()) throw Error(place + ": a noun without a name");
    if (many.empty()) many = mass || plural_only ? one : plural_of(one);
    const auto [at, added] = noun_ids_.emplace(one, count(nouns));
    if (added) nouns.push_back({one, many, mass, plural_only, {}});
    Noun& noun = nouns[index(at->second)];
    if (mass != noun.mass || plural_only != noun.plural_only)
        throw Error(place + ": '" + one + "' is countable in one class and not in another");
    add_to_class(at->second, class_);
}

void Lexicon::add_to_class(int noun, int id) {
    auto& own = nouns[index(noun)].classes;
    if (std::ranges::count(own, id) != 0) return;
    own.push_back(id);
    for (const int above : classes[index(id)].above) add_to_class(noun, above);
}

void Lexicon::add_verb(const std::string& text, const std::string& place) {
    std::istringstream in(text);
    Verb v;
    std::string rest;
    in >> v.base >> v.past >> v.participle >> rest;
    bool doubled = false;
    for (bool more = true; more;) {
        const bool state = strip_end(v.base, '='), twice = strip_end(v.base, '+');
        v.state |= state;
        doubled |= twice;
        more = state || twice;
    }
    if (v.base.empty() || !rest.empty() || v.past.empty() != v.participle.empty())
        throw Error(place + ": '" + text + "': expected a verb, or its base, past and participle");
    if (!v.past.empty()) {
        const std::string& b = v.base;
        doubled = doubled || (b.size() > 2 && b != "give" &&
                              std::string("tnmgpbd").find(b.back()) != std::string::npos &&
                              is_vowel(b[b.size() - 2]) && !is_vowel(b[b.size() - 3]));
    }
    v.third = v.base == "have" ? "has" : with_s(v.base);
    if (v.base == "have") v.past = v.participle = "had";
    if (v.base == "can") v.past = "could";
    if (v.base == "must") v.past = "must";
    if (v.past.empty()) v.past = v.participle = with_ed(v.base, doubled);
    v.ing = with_ing(v.base, doubled);
    if (!verb_ids_.emplace(v.base, count(verbs)).second) return;
    verbs.push_back(v);
}

// ---- clauses ------------------------------------------------------------------------------------

std::vector<Word> Lexicon::words(const std::string& text, const std::string& place) const {
    std::vector<Word> result;
    std::istringstream in(text);
    std::string determiner;
    const auto flush = [&] {
        if (determiner == "his") result.push_back({Word::Kind::subject, "his"});
        else if (!determiner.empty()) result.push_back({Word::Kind::text, determiner});
        determiner.clear();
    };
    for (std::string token; in >> token;) {
        if (token[0] == '$') {
            Word word{Word::Kind::mention, determiner, -1, token.substr(1)};
            word.plural = strip_end(word.name, '+');
            const std::size_t colon = word.name.find(':');
            const std::string class_name =
                colon == std::string::npos ? word.name : word.name.substr(colon + 1);
            word.name = colon == std::string::npos && word.name.size() > 1
                            ? ""
                            : word.name.substr(0, colon);
            if (word.name.empty() || colon != std::string::npos) {
                word.kind = Word::Kind::noun;
                word.id = class_named(class_name, place);
            } else {
                flush();
            }
            determiner.clear();
            result.push_back(word);
            continue;
        }
        flush();
        if (token == "a" || token == "an" || token == "the" || token == "his" || token == "some" ||
            token == "two" || token == "three") {
            determiner = token == "an" ? "a" : token;
        } else if (token == "he" || token == "him" || token == "himself") {
            result.push_back({Word::Kind::subject, token});
        } else if (token[0] == '&') {
            const auto verb = verb_ids_.find(token.substr(1));
            if (verb == verb_ids_.end()) throw Error(place + ": no verb '" + token + "'");
            result.push_back({Word::Kind::verb, "", verb->second});
        } else {
            if (token[0] == '~') {
                result.push_back({Word::Kind::degree, ""});
                token.erase(0, 1);
            }
            const bool plural = strip_end(token, '+');
            Word plain{Word::Kind::text, token, -1, "", plural};
            if (token.find('/') != std::string::npos)
                for (const std::string& o : parts_of(token, '/'))
                    plain.options.push_back(with_blanks(o));
            result.push_back(plain);
        }
    }
    flush();
    return result;
}

Clause Lexicon::clause(const std::string& text, const std::string& place) const {
    Clause result;
    std::string predicate = text;
    if (const std::size_t equals = text.find(" = "); equals != std::string::npos) {
        result.subject = words(text.substr(0, equals), place);
        predicate = text.substr(equals + 3);
    }
    std::istringstream in(predicate);
    std::string head;
    in >> head;
    static const std::set<std::string> before = {"never", "always", "just",
                                                 "only",  "almost", "slowly"};
    if (head == "not" || before.count(head) != 0) {
        result.negative = head == "not";
        if (!result.negative) result.before = head;
        in >> head;
    }
    std::string rest;
    std::getline(in, rest);
    if (head == "can" && rest.starts_with(" not ")) {
        result.negative = true;
        rest.erase(0, 4);
    }
    const auto verb = verb_ids_.find(head);
    if (verb == verb_ids_.end())
        throw Error(place + ": '" + text + "': no verb '" + head + "' in the lexicon");
    result.verb = verb->second;
    result.rest = words(rest, place);
    return result;
}

std::vector<Clause> Lexicon::clauses(const std::string& text, const std::string& place) const {
    std::vector<Clause> result;
    for (const std::string& part : parts_of(text, ';')) {
        if (part.empty()) continue;
        // "run/hurry home" is two clauses.
        const std::size_t equals = part.find(" = ");
        const std::size_t from = equals == std::string::npos ? 0 : equals + 3;
        const std::size_t to = std::min(part.find(' ', from), part.size());
        for (const std::string& verb : parts_of(part.substr(from, to - from), '/'))
            result.push_back(clause(part.substr(0, from) + verb + part.substr(to), place));
    }
    return result;
}

void Lexicon::read_section(const Section& section) {
    // "chains NAME NAME", "acts NAME NAME | places | times | adverbs"
    std::vector<std::string> parts = parts_of(section.head.text, '|');
    parts.resize(4);
    std::vector<std::string> names = parts_of(parts[0], ' ');
    names.erase(names.begin());
    if (!section.acts) {
        for (const Line& line : section.lines) {
            Chain chain{{}, line.place};
            for (const std::string& step : parts_of(line.text, '>'))
                chain.steps.push_back(clauses(step, line.place));
            if (chain.steps.size() < 2) throw Error(line.place + ": a chain of one step");
            check_variables(chain);
            for (const std::string& name : names) chains[name].push_back(chain);
        }
        return;
    }
    Acts set{section.head.place, {}, {}, {}, parts[3]};
    for (const std::string& p : parts_of(parts[1], ';')) set.places.push_back(words(p, set.place));
    for (const std::string& p : parts_of(parts[2], ';')) set.times.push_back(words(p, set.place));
    if (!set.adverbs.empty() && adverbs.count(set.adverbs) == 0)
        throw Error(set.place + ": no group of adverbs named '" + set.adverbs + "'");
    for (const Line& line : section.lines)
        for (Clause& c : clauses(line.text, line.place)) set.clauses.push_back(std::move(c));
    for (const std::string& name : names) acts[name].push_back(set);
}

}  // namespace tbt::grammar
