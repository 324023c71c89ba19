// English verbs in any tense: "ate", "has eaten", "did (not) eat", "is going to eat".
#pragma once

#include <optional>
#include <string>

#include "lib/corpus/lexicon.hpp"

namespace tbt::grammar {

enum class Form {
    past,
    pres,
    habit,  // often eats
    perf,
    pastperf,
    prog,
    pastprog,
    fut,
    would,
    could,
    can,
    should,
    must,
    going,  // is going to eat
    used,   // used to eat
    now,    // is hungry, has lost
    since,  // was hungry, had lost
    inf,
    ing,
    have,  // have eaten, after "must" and "to"
    part,  // eaten, after "having"
};

std::optional<Form> form_named(const std::string& name);

struct Agreement {
    bool third = false, am = false, plural = false;  // eats; am; are and were
};

struct VerbGroup {
    std::string first;   // the finite verb: "did", "ate", "has"
    std::string second;  // what follows "not" or the subject of a question: "eat", "eaten"
    bool auxiliary = true;
    Form form = Form::past;
};

// helped: negative or a question, which need "do" if there is no other auxiliary.
VerbGroup conjugate(const Lexicon& lexicon, const Verb& verb, Form form, const Agreement& agreement,
                    bool helped);

// A verb that takes the same form after "and": stopped and *cried*, will stop and *cry*.
const std::string& coordinated(const Verb& verb, const VerbGroup& group,
                               const Agreement& agreement);

}  // namespace tbt::grammar
