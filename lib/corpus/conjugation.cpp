#include "lib/corpus/conjugation.hpp"

#include <algorithm>
#include <map>

namespace tbt::grammar {

namespace {

const std::map<std::string, Form> form_names = {
    {"past", Form::past},   {"pres", Form::pres},         {"habit", Form::habit},
    {"perf", Form::perf},   {"pastperf", Form::pastperf}, {"prog", Form::prog},
    {"fut", Form::fut},     {"pastprog", Form::pastprog}, {"would", Form::would},
    {"could", Form::could}, {"can", Form::can},           {"should", Form::should},
    {"must", Form::must},   {"going", Form::going},       {"used", Form::used},
    {"now", Form::now},     {"since", Form::since},       {"inf", Form::inf},
    {"ing", Form::ing},     {"have", Form::have},         {"part", Form::part},
};

const std::map<Form, std::string> modals = {
    {Form::fut, "will"}, {Form::would, "would"},   {Form::could, "could"},
    {Form::can, "can"},  {Form::should, "should"}, {Form::must, "must"},
};

// States have no progressive form, and are not over.
Form settled(const Verb& verb, Form form) {
    if (form == Form::since) return verb.state ? Form::past : Form::pastperf;
    if (form == Form::now) return verb.state ? Form::pres : Form::perf;
    if (verb.state && form == Form::prog) return Form::pres;
    if (verb.state && form == Form::pastprog) return Form::past;
    return form;
}

std::string be(const Agreement& a, bool past) {
    if (past) return a.plural ? "were" : "was";
    return a.am ? "am" : a.plural ? "are" : "is";
}

std::string participle(const Verb& verb) { return verb.base == "be" ? "been" : verb.participle; }

VerbGroup simple(const Verb& verb, Form form, const Agreement& a, bool helped) {
    const bool past = form == Form::past;
    VerbGroup g{"", "", true, form};
    if (verb.base == "be") g.first = be(a, past);
    else if (verb.base == "can" || verb.base == "must") g.first = past ? verb.past : verb.base;
    else if (helped) g.first = past ? "did" : a.third ? "does" : "do", g.second = verb.base;
    else {
        g.first = past ? verb.past : a.third ? verb.third : verb.base;
        g.auxiliary = false;
    }
    return g;
}

}  // namespace

std::optional<Form> form_named(const std::string& name) {
    const auto form = form_names.find(name);
    return form == form_names.end() ? std::nullopt : std::optional(form->second);
}

VerbGroup conjugate(const Lexicon& lexicon, const Verb& verb, Form wanted, const Agreement& a,
                    bool helped) {
    const Form form = settled(verb, wanted);
    if (form == Form::past || form == Form::pres || form == Form::habit)
        return simple(verb, form, a, helped);
    if (verb.base == "can") {  // has no infinitive
        VerbGroup g = conjugate(lexicon, *std::ranges::find(lexicon.verbs, "be", &Verb::base), form,
                                a, helped);
        g.second += g.second.empty() ? "able to" : " able to";
        return g;
    }
    if (const auto modal = modals.find(form); modal != modals.end())
        return {modal->second, verb.base, true, form};
    switch (form) {
        case Form::perf:
            return {a.third ? "has" : "have", participle(verb), true, form};
        case Form::pastperf:
            return {"had", participle(verb), true, form};
        case Form::prog:
        case Form::pastprog:
            return {be(a, form == Form::pastprog), verb.ing, true, form};
        case Form::going:
            return {be(a, false), "going to " + verb.base, true, form};
        case Form::used:
            return {"used", "to " + verb.base, true, form};
        case Form::ing:
            return {verb.ing, "", true, form};
        case Form::have:
            return {"have", participle(verb), true, form};
        case Form::part:
            return {participle(verb), "", true, form};
        default:
            return {verb.base, "", true, form};
    }
}

const std::string& coordinated(const Verb& verb, const VerbGroup& group,
                               const Agreement& agreement) {
    switch (group.form) {
        case Form::past:
            return group.auxiliary ? verb.base : verb.past;
        case Form::pres:
        case Form::habit:
            return group.auxiliary || !agreement.third ? verb.base : verb.third;
        case Form::perf:
        case Form::pastperf:
        case Form::have:
        case Form::part:
            return verb.participle;
        case Form::prog:
        case Form::pastprog:
        case Form::ing:
            return verb.ing;
        default:
            return verb.base;
    }
}

}  // namespace tbt::grammar
