// The tests of an exercise: compiled against exercises/ (the learner's file),
// solutions/ or a mutant by include path.
#pragma once

#include "exercises/exercise.hpp"
#include "tests/catch.hpp"
