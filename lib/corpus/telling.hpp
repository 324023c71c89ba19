// Tells what happens in the sentences of a compositional English: a clause of the lexicon in any
// tense, as a statement or a question, positive or negative, with pronouns that are clear.
//
// In a grammar, {!…} is one command:
//
//     {!who person}        draws the main person (or animal, or thing) of the document
//     {!other helper}      another one, O
//     {!chain person 3}    draws a chain of at least three steps; {!acts home} a set of acts
//     {!past 1}            tells step 1 with its subject: "Anna was hungry"
//     {!timed past 1}      with a time, if that fits: "last week, Anna lost her key";
//                          {!sudden past 1} "then Anna lost her key"
//     {!past a1}           tells one of the acts: of a set, or beside a chain
//     {!vp past 2}         without its subject: "ate an apple"; {!vp inf 2} "eat", ing "eating",
//                          have "have eaten", part "eaten"
//     {!q past 2}          as a question: "did she eat an apple"; {!not past 2} negative
//     {!I fut 2}           said by the main person: "I will eat an apple"; {!you should 2}
//     {!O past go home}    tells of the other one; a clause may be written here
//     {!say the $a:pet}    words with gaps; red/dark_blue is one of the two, here and in clauses
//     {!S} {!S.his}        the main person, as a pronoun if that is clear; {!O} the other one
//     {!S.new}             as it is named first: "a dragon"
//     {!place} {!time} {!adverb}   that fit the acts; {!adverb say}, {!adjective room}: of a group;
//     {!adjective room a} with a or an before it
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "lib/corpus/conjugation.hpp"
#include "lib/corpus/lexicon.hpp"

namespace tbt::grammar {

// Draws, and counts the bits of what it draws.
class Choices {
public:
    virtual ~Choices() = default;
    // An index, with a probability proportional to its weight.
    virtual std::size_t weighted(const std::vector<std::uint32_t>& weights) = 0;

    std::size_t one_of(std::size_t n) {
        return n == 1 ? 0 : weighted(std::vector<std::uint32_t>(n, 1));
    }
    bool chance(std::uint32_t yes, std::uint32_t no) { return weighted({no, yes}) == 1; }
};

// The tokens of a text are joined by blanks, but not before 's and n't. This one becomes a or an.
inline const std::string article = "\1";

struct Command {
    enum class Kind {
        who,
        other,
        chain,
        acts,
        tell,
        say,
        subject,
        place,
        time,
        adverb,
        adjective,
    } kind = Kind::say;
    std::string name;        // who, chain, acts, adverb, adjective; subject: S or O
    std::string part;        // subject: he, him, his, himself or full; who: a determiner
    std::size_t number = 0;  // chain: least number of steps; tell: the step; 0: its own clause
    Form form = Form::past;
    bool of_acts = false;  // tell: the step is one of the acts: {!past a1}
    bool question = false, without_subject = false, negative = false;
    std::string times;       // tell: a group of adverbs that may come first
    std::string speaker;     // "I" or "you": what the subject is called
    std::string main = "S";  // the subject
    Clause clause;
    std::vector<Word> words;
};

// Throws Error, with `place` in front, if the command or a word of it is unknown.
Command command_of(const std::string& text, const Lexicon& lexicon, const std::string& place);

// One document.
class Telling {
public:
    Telling(const Lexicon& lexicon, Choices& choices) : lexicon_(lexicon), choices_(choices) {}

    // Appends to the text, which so far holds the document's beginning.
    void run(const Command& command, std::string& out);

    // What makes this document: the main person and the chain or acts. Empty if it has none.
    const std::string& key() const { return key_; }

private:
    enum class Pronoun { I, you, he, she, it, we, they };
    struct Entity {
        std::string first, later;
        Pronoun pronoun = Pronoun::it;
        bool has_pronoun = true;  // not "France"
        bool told = false;
        int sentence = -1;  // the last one that mentioned it
        int noun = -1;
        bool owned = false;    // "my mother" also later
        bool passing = false;  // named once, without a variable
    };
    using Tokens = std::vector<std::string>;

    void draw_who(const Command& command, const std::string& variable);
    Entity person_of(const std::string& kind);
    Entity named(bool female);
    Entity full_name();
    Entity with_role();
    Entity relative();
    Entity several();
    Entity of_class(const std::string& name);
    int any_noun(const char* class_name);
    int class_named(const std::string& name) const { return lexicon_.class_named(name, "who"); }
    Entity with_noun(int class_id, const std::string& determiner, bool plural);
    Entity someone(const std::string& determiner, int class_id, bool plural);
    Entity plainly(const std::string& determiner, int class_id);
    Pronoun pronoun_of(const Noun& noun, bool plural);
    bool has_adjectives(int class_id) const;
    std::string adjective_for(int class_id);

    void draw_chain(const Command& command);
    const Acts& acts();
    const Clause& step(std::size_t number);
    const Clause& act(std::size_t number);
    void introduce(const Clause& clause);

    void tell(const Command& command, Tokens& tokens);
    Agreement subject(const Clause& clause, bool silent, Tokens& tokens);
    // `group` is that of the clause, for verbs after "and".
    void words(const std::vector<Word>& words, const VerbGroup& group, const Agreement& agreement,
               Tokens& tokens);
    void word(const Word& word, const VerbGroup& group, const Agreement& agreement, Tokens& tokens);
    void predicate(const Command& command, const Clause& clause, const VerbGroup& group,
                   const Tokens& subject, Tokens& tokens);
    Tokens finite(const VerbGroup& group, bool negative, bool question, bool after_pronoun);
    void noun(const Word& word, Tokens& tokens);
    bool is_person(int entity) const;
    enum class Role { subject, object, possessive, reflexive, full };
    void mention(int entity, Role role, Tokens& tokens);
    std::string main_word(const std::string& text) const;
    int variable(const std::string& name);
    Pronoun pronoun(int entity);
    void count_sentences(const std::string& out);
    void write(const Tokens& tokens, std::string& out) const;
    bool contracted();

    const Lexicon& lexicon_;
    Choices& choices_;
    std::vector<Entity> entities_;
    std::map<std::string, int> variables_;
    std::map<std::string, Word> introduced_;  // how a variable that is not told yet begins
    std::map<Pronoun, int> last_;             // who a pronoun means
    const Chain* chain_ = nullptr;
    const Acts* acts_ = nullptr;
    // The other one and the acts are drawn when they are first told: what no reader can see has no
    // bits.
    const Command *other_ = nullptr, *acts_wanted_ = nullptr;
    std::vector<const Clause*> steps_, told_acts_;
    std::string speaker_, main_ = "S", key_;
    int sentence_ = 0, run_ = 0, contracted_ = -1;
    std::size_t counted_ = 0;
};

}  // namespace tbt::grammar
