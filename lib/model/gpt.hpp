// The old name of transformer.hpp, from when GPT-2 was the only architecture.
#pragma once

#include "lib/model/transformer.hpp"
