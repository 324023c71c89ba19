// Who and what a document is about: the people, animals and things that Telling draws.
#include <algorithm>
#include <array>

#include "lib/core/index.hpp"
#include "lib/corpus/telling.hpp"

namespace tbt::grammar {

Telling::Pronoun Telling::pronoun_of(const Noun& noun, bool plural) {
    if (plural || noun.plural_only) return Pronoun::they;
    if (lexicon_.is_a(noun, "female")) return Pronoun::she;
    if (lexicon_.is_a(noun, "male")) return Pronoun::he;
    if (!lexicon_.is_a(noun, "people")) return Pronoun::it;
    return choices_.one_of(2) == 0 ? Pronoun::she : Pronoun::he;
}

bool Telling::has_adjectives(int class_id) const {
    const NounClass& c = lexicon_.classes[index(class_id)];
    return !c.adjectives.empty() ||
           std::ranges::any_of(c.above, [&](int above) { return has_adjectives(above); });
}

std::string Telling::adjective_for(int class_id) {
    const NounClass& c = lexicon_.classes[index(class_id)];
    if (!c.adjectives.empty()) return c.adjectives[choices_.one_of(c.adjectives.size())];
    for (const int above : c.above)
        if (has_adjectives(above)) return adjective_for(above);
    return "";
}

// "a ripe pear", later "the pear". Two things of a document are never the same noun.
Telling::Entity Telling::with_noun(int class_id, const std::string& determiner, bool plural) {
    std::vector<int> free;
    for (const int n : lexicon_.classes[index(class_id)].nouns)
        if (std::ranges::none_of(entities_, [n](const Entity& e) { return e.noun == n; }))
            free.push_back(n);
    if (free.empty()) free = lexicon_.classes[index(class_id)].nouns;
    Entity e;
    e.noun = free[choices_.one_of(free.size())];
    const Noun& noun = lexicon_.nouns[index(e.noun)];
    const std::string& word = plural ? noun.many : noun.one;
    e.pronoun = pronoun_of(noun, plural);
    if (word[0] >= 'A' && word[0] <= 'Z') {  // France, English
        e.first = e.later = word;
        e.has_pronoun = false;
        return e;
    }
    const bool bare = determiner.empty() || word.find(' ') != std::string::npos;
    const std::string adjective = !bare && has_adjectives(class_id) && choices_.chance(2, 3)
                                      ? adjective_for(class_id)
                                      : std::string();
    e.later = "the " + word;
    e.first = adjective.empty() ? word : adjective + " " + word;
    const bool uncounted = plural || noun.mass || noun.plural_only;
    if (determiner == "a" || (determiner == "some" && !uncounted))
        e.first = (uncounted ? "some" : article) + (" " + e.first);
    else if (determiner == "his" && lexicon_.is_a(noun, "people")) e.owned = true, e.later = word;
    else if (!determiner.empty() && determiner != "his") e.first = determiner + " " + e.first;
    return e;
}

Telling::Entity Telling::someone(const std::string& determiner, int class_id, bool plural) {
    Entity e = with_noun(class_id, plural ? "" : determiner, plural);
    if (plural && determiner != "a") e.first = determiner + " " + e.first;
    if (plural && determiner == "a") e.first = "some " + e.first;
    if (determiner != "a" && determiner != "two") e.later = determiner + e.later.substr(3);
    return e;
}

Telling::Entity Telling::plainly(const std::string& determiner, int class_id) {
    Entity e = with_noun(class_id, "", false);
    if (!e.has_pronoun) return e;
    e.first = determiner == "a" ? article + e.later.substr(3) : determiner + e.later.substr(3);
    if (determiner != "a") e.later = e.first;
    return e;
}

int Telling::any_noun(const char* class_name) {
    const auto& all = lexicon_.classes[index(class_named(class_name))].nouns;
    return all[choices_.one_of(all.size())];
}

Telling::Entity Telling::named(bool female) {
    int noun;
    do noun = any_noun(female ? "namef" : "namem");
    while (std::ranges::any_of(entities_, [&](const Entity& e) { return e.noun == noun; }));
    const std::string& text = lexicon_.nouns[index(noun)].one;
    return {text, text, female ? Pronoun::she : Pronoun::he, true, false, -1, noun};
}

// Anna, Mrs Miller, Anna Miller, my friend Anna, Aunt Anna, old Anna
Telling::Entity Telling::full_name() {
    const bool female = choices_.one_of(2) == 0;
    Entity e = named(female);
    const auto surname = [&] { return " " + lexicon_.nouns[index(any_noun("surname"))].one; };
    switch (choices_.weighted({20, 3, 3, 2, 1, 1})) {
        case 1:
            e.first = e.later = (female ? "Mrs" : "Mr") + surname();
            break;
        case 2:
            e.first += surname();
            break;
        case 3:
            e.first = "my friend " + e.first;
            break;
        case 4:
            e.first = e.later = (female ? "Aunt " : "Uncle ") + e.first;
            break;
        case 5:
            e.first = e.later = "old " + e.first;
            break;
        default:
            break;
    }
    return e;
}

// the old baker; a nurse in the red coat, with the bag, from the library
Telling::Entity Telling::with_role() {
    const std::string determiner = choices_.chance(1, 2) ? "a" : "the";
    Entity e = someone(determiner, class_named(choices_.chance(1, 3) ? "adult" : "job"), false);
    if (!choices_.chance(1, 3)) return e;
    const auto any = [&](const char* name) { return lexicon_.nouns[index(any_noun(name))].one; };
    switch (choices_.weighted({2, 1, 1})) {
        case 0:
            e.first += " in the " + any("colour") + " " + any("clothing");
            break;
        case 1:
            e.first += " with the " + any(choices_.one_of(2) == 0 ? "hat" : "bagthing");
            break;
        default:
            e.first += " from the " + any("townplace");
    }
    return e;
}

Telling::Entity Telling::relative() {
    const bool female = choices_.one_of(2) == 0;
    Entity e = someone("my", class_named(female ? "kinf" : "kinm"), false);
    if (choices_.chance(1, 2)) {  // my brother Tom
        e.later = named(female).first;
        e.first += " " + e.later;
    }
    return e;
}

Telling::Entity Telling::several() {
    switch (choices_.weighted({2, 3, 2})) {
        case 0: {
            const std::string one = named(choices_.one_of(2) == 0).first;
            std::string other;
            do other = named(choices_.one_of(2) == 0).first;
            while (other == one);
            return {one + " and " + other, one + " and " + other, Pronoun::they};
        }
        case 1:
            return someone(choices_.chance(1, 1) ? "my" : "my two", class_named("relative"), true);
        default:
            return someone(choices_.chance(1, 1) ? "the" : "two", class_named("adult"), true);
    }
}

Telling::Entity Telling::of_class(const std::string& name) {
    const int class_id = class_named(name);
    static const std::array<const char*, 4> determiners = {"the", "our", "a", "my"};
    const Noun& example = lexicon_.nouns[index(lexicon_.classes[index(class_id)].nouns[0])];
    const std::size_t determiner = lexicon_.is_a(example, "pet") ? choices_.weighted({4, 2, 1, 2})
                                                                 : 2 * choices_.weighted({3, 1});
    return someone(determiners[determiner], class_id, choices_.chance(1, 5));
}

Telling::Entity Telling::person_of(const std::string& kind) {
    static const std::array<const char*, 6> kinds = {"name", "role", "kin", "I", "we", "plural"};
    if (kind == "I") return {"I", "I", Pronoun::I, true, true};
    if (kind == "you") return {"you", "you", Pronoun::you, true, true};
    if (kind == "name") return full_name();
    if (kind == "given") return named(choices_.one_of(2) == 0);
    if (kind == "role") return with_role();
    if (kind == "kin") return relative();
    if (kind == "plural") return several();
    if (kind == "we") {
        if (choices_.chance(2, 1)) return {"we", "we", Pronoun::we, true, true};
        const Entity e = choices_.chance(1, 1) ? named(choices_.one_of(2) == 0) : relative();
        return {e.first + " and I", "we", Pronoun::we, true, false, -1, e.noun};
    }
    if (kind == "third") return person_of(kinds[choices_.weighted({4, 2, 3})]);
    if (kind == "person") return person_of(kinds[choices_.weighted({8, 4, 5, 6, 3, 3})]);
    if (kind == "someone") return person_of(kinds[choices_.weighted({8, 0, 6, 6, 3, 3})]);
    return of_class(kind);
}

void Telling::draw_who(const Command& c, const std::string& variable) {
    Entity e =
        c.part.empty() ? person_of(c.name) : plainly(c.part, lexicon_.class_named(c.name, "who"));
    if (variable == "S") {
        entities_.clear();
        variables_.clear();
        introduced_.clear();
        last_.clear();
        run_ = 0;
        other_ = acts_wanted_ = nullptr;
    }
    key_ += e.later + "|";
    entities_.push_back(std::move(e));
    variables_[variable] = to_int(entities_.size() - 1);
}

}  // namespace tbt::grammar
