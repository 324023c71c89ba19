// The part of the language with which a grammar simulates a world [Meehan 1977, TALE-SPIN]:
//
//     {if boat.owner=h.name}    this alternative is possible only if this is true
//     {boat.owner:={@h}}        an event changes the world
//     {@h}                      the pronoun of a person or thing if it is clear who is meant, else
//                               the name
//
// A rule is a task. Its alternatives are the ways to do it, each with its preconditions. So a story
// is what characters do in a world, and its bits are still those of its choices: an alternative
// that does not fit has probability 0, and the probabilities of the others are normalised.
// (Different choices may write the same text. Then the recorded bits are more than −log2 of the
// text's probability, so the floor of a simulated genre is an upper bound of its entropy.)
//
// These are the functions of corpus_expansion.hpp that corpus_world.cpp defines.
#pragma once

#include "chapters/19_training/corpus/corpus_expansion.hpp"

namespace tbt::grammar {

// The maximum number of successive sentences that begin with the pronoun; the next one begins with
// the name.
inline constexpr int max_pronouns = 3;

}  // namespace tbt::grammar
