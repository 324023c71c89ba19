// The tests of an exercise: compiled against exercises/ (the learner's file), solutions/ or a mutant by include path.
#pragma once

#include "../catch.hpp"
#include "exercises/exercise.hpp"
