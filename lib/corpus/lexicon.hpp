// The words of a compositional English: nouns in classes, verbs with their forms, adjectives for
// classes, adverbs in groups, and clauses with gaps for nouns of a class. Clauses stand in chains
// (what leads to what) and in acts (what one does where). data/corpus/english/README.md describes
// the files.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace tbt::grammar {

struct Noun {
    std::string one, many;
    bool mass = false;         // water: no plural, "some" instead of "a"
    bool plural_only = false;  // trousers
    std::vector<int> classes;  // with those above them
};

struct NounClass {
    std::string name;
    std::vector<int> above;
    std::vector<int> nouns;               // of this class and those below it
    std::vector<std::string> adjectives;  // that fit it
    bool defined = false;
};

struct Verb {
    std::string base, third, past, participle, ing;
    bool state = false;  // has no progressive form
};

// One word of a clause, or a gap.
struct Word {
    enum class Kind {
        text,
        verb,     // &dry: takes the form of the clause's verb
        noun,     // $class, the $a:class: draws a noun, and calls it a
        mention,  // $a: what was drawn before, as a pronoun or with "the"
        subject,  // he, him, his, himself: the main person
        degree,   // ~: a place for "very"
    } kind = Kind::text;
    std::string text;       // text; noun: a, the, his or nothing; subject: he, him, his, himself
    int id = -1;            // verb, or class of nouns
    std::string name = {};  // the variable
    bool plural = false;    // $class+
    std::vector<std::string> options = {};  // text: "red/dark_blue" is one of them
};

struct Clause {
    std::vector<Word> subject;  // empty: the main person
    bool negative = false;
    std::string before;  // never, just: before the verb
    int verb = -1;
    std::vector<Word> rest;
};

// Steps; any alternative of a step leads to any of the next.
struct Chain {
    std::vector<std::vector<Clause>> steps;
    std::string source;  // "file:line"
};

struct Acts {
    std::string place;  // "file:line"
    std::vector<Clause> clauses;
    std::vector<std::vector<Word>> places, times;
    std::string adverbs;  // a group, or empty
};

class Lexicon {
public:
    // `files` are (name, contents). Throws Error for the first mistake: "file:line: what is wrong".
    explicit Lexicon(const std::vector<std::pair<std::string, std::string>>& files);

    // Reads a clause, "the $a:pet = be ill", or without a verb some words. `place` begins errors.
    Clause clause(const std::string& text, const std::string& place) const;
    std::vector<Word> words(const std::string& text, const std::string& place) const;

    int class_named(const std::string& name, const std::string& place) const;
    bool is_a(const Noun& noun, const std::string& class_name) const;

    std::vector<Noun> nouns;
    std::vector<NounClass> classes;
    std::vector<Verb> verbs;
    std::map<std::string, std::vector<std::string>> adverbs;
    std::map<std::string, std::vector<Chain>> chains;
    std::map<std::string, std::vector<Acts>> acts;

private:
    struct Line {
        std::string text, place;
    };
    // Of chains or acts; they are read at the end, when all words are known.
    struct Section {
        bool acts;
        Line head;
        std::vector<Line> lines = {};
    };
    void read(const std::string& name, const std::string& contents);
    void head(const Line& line);
    void item(const Line& line);
    void add_noun(const std::string& text, const std::string& place);
    void add_verb(const std::string& text, const std::string& place);
    void add_to_class(int noun, int class_id);
    std::vector<Clause> clauses(const std::string& text, const std::string& place) const;
    void read_section(const Section& section);
    int class_id(const std::string& name);

    std::map<std::string, int> class_ids_, noun_ids_, verb_ids_;
    std::string kind_;     // of the section
    std::string section_;  // its name
    int class_ = -1;
    std::vector<Section> sections_;
};

// English spelling.
std::string plural_of(const std::string& noun);
std::string with_s(const std::string& verb);
std::string with_ed(const std::string& verb, bool doubled);
std::string with_ing(const std::string& verb, bool doubled);

// The parts of a text between separators, without blanks at their ends.
std::vector<std::string> parts_of(const std::string& text, char separator);

}  // namespace tbt::grammar
