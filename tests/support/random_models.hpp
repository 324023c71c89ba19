// Models with random weights in a folder that goes with them: a target, a draft of the same words,
// and heads for the target.
#pragma once

#include "lib/files/random_model.hpp"
#include "tests/support/random_heads.hpp"
#include "tests/support/temporary.hpp"

namespace tbt::test {

struct RandomModels {
    TemporaryFolder folder;
    std::string target = folder.file("target"), draft = folder.file("draft"),
                heads = folder.file("heads");
    explicit RandomModels(int context, int draft_layers = 2, std::uint64_t heads_seed = 7) {
        write_random_model(target, gpt_config(2, 2, 32, context, 300), {1, WeightType::f32});
        write_random_model(draft, gpt_config(draft_layers, 2, 32, context, 300),
                           {2, WeightType::f32});
        write_random_heads(heads, target, 3, heads_seed);
    }
};

}  // namespace tbt::test
