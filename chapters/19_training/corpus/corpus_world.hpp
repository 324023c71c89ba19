// The part of the language with which a grammar simulates a world [Meehan 1977, TALE-SPIN]:
//
//     {if boat.owner=h.name}    this alternative only where the world is so
//     {boat.owner:={@h}}        an event changes the world
//     {@h}                      a person or thing by pronoun where it is clear who is meant, else
//                               by name
//
// A rule is a task, its alternatives the ways to do it, each with what must be true before it. So a
// story is what characters do in a world, and its bits are still those of its choices: an
// alternative that does not fit has probability 0, and the others share its part.
// (Two ways of drawing may write the same text. Then the recorded bits are more than −log2 of the
// text's probability: the floor of a simulated genre is an upper bound of its entropy.)
//
// These are the functions of corpus_expansion.hpp that corpus_world.cpp defines.
#pragma once

#include "chapters/19_training/corpus/corpus_expansion.hpp"

namespace tbt::grammar {

// A sentence begins with the name again after so many that began with the pronoun.
inline constexpr int most_pronouns = 3;

}  // namespace tbt::grammar
