// The backward passes of a whole net, against what a small change of a weight does to the loss.
#include "tests/catch.hpp"

#include "chapters/19_training/gradient_check.hpp"

using namespace tbt;

TEST_CASE("the backward passes of a whole net say what small changes show") {
    const bool llama = GENERATE(false, true);
    const std::vector<GradientCheck> checks = check_gradients(llama ? tiny_llama() : tiny_gpt2());
    // Two embeddings, twelve tensors of a layer, the last norm; or one, nine and a norm's gain.
    REQUIRE(checks.size() == (llama ? 11 : 16));
    for (const GradientCheck& check : checks) {
        CAPTURE(check.weight, check.backward, check.difference);
        CHECK(std::abs(check.backward) > 0.05);
        // Losses are rounded to about 1e-6 and divided by 2/128; the line is not quite straight.
        CHECK(std::abs(check.backward - check.difference) <= 5e-4);
    }
}
