// A small corpus, its tokenizer and random weights, for tests of chapter 22.
#pragma once

#include <cstdint>
#include <string>

#include "lib/core/rng.hpp"
#include "lib/core/tensor.hpp"
#include "tests/support/small_world.hpp"

namespace tbt::test {

inline const char* const genres =
    "genre walk 3 hold p.name t.name\n"
    "  {p=person}{t=place}{p.name} walked to {t.name}{ and came back|, sang and came home}.\n"
    "genre long 1 hold p.name t.name\n"
    "  {p=person}{t=place}{p.name} went from {t.name} to {t.name} to {t.name} to {t.name} to "
    "{t.name} to {t.name} to {t.name} to {t.name} to {t.name} to {t.name} to {t.name}.\n"
    "genre greeting 1 hold p.name t.name\n"
    "  {p=person}{t=place}Hello, {p.name} of {t.name}!\n";

struct World : SmallWorld {
    World() : SmallWorld(genres) {}
};

inline Tensor noise(const std::string& name, const Shape& shape) {
    Rng rng(11, name.size() * 100 + static_cast<std::uint64_t>(name[name.size() / 2]));
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.4);
    return t;
}

}  // namespace tbt::test
