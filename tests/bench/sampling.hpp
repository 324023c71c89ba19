// Steps of the chain on rows of logits.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "chapters/06_combining/steps.hpp"
#include "lib/core/rng.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

// Normal logits with this standard deviation.
inline LineVector<float> normal_row(std::size_t size, double sigma) {
    Rng rng(7);
    LineVector<float> row(size);
    for (float& s : row) s = static_cast<float>(sigma * rng.normal());
    return row;
}

inline Contender step(std::string name, std::shared_ptr<const LineVector<float>> row,
                      std::function<void(Candidates&)> work) {
    const auto candidates = std::make_shared<Candidates>();
    return repeated(std::move(name), [=] {
        candidates->reset(*row);
        work(*candidates);
        keep(static_cast<float>(candidates->size()));
    });
}

// What most people ask for: the best 40, a temperature, top-p, a draw.
inline void usual_chain(Candidates& c) {
    keep_top_k(c, 40), apply_temperature(c, 0.8), keep_top_p(c, 0.9);
    keep(static_cast<float>(draw(c, 0.7)));
}

}  // namespace tbt::bench
