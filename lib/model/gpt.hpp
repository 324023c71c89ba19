// The header's name from when GPT-2 was the only architecture.
#pragma once

#include "lib/model/transformer.hpp"
