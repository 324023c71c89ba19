// Hostile arguments to lib/train.
#include "tests/catch.hpp"

#include <climits>
#include <vector>

#include "lib/model/model_config.hpp"
#include "lib/train/adamw.hpp"
#include "lib/train/checkpoint.hpp"
#include "lib/train/parameters.hpp"
#include "lib/train/trainer.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;
using namespace tbt::train;

namespace {

TransformerConfig tiny() { return gpt_config(1, 2, 16, 8, 11); }

}  // namespace

TEST_CASE("api: parameters", "[api]") {
    for (int TransformerConfig::*size :
         {&TransformerConfig::vocab_size, &TransformerConfig::n_positions,
          &TransformerConfig::n_embd, &TransformerConfig::n_layer, &TransformerConfig::n_head,
          &TransformerConfig::n_inner}) {
        for (const int value : {0, -1, INT_MIN, INT_MAX}) {
            TransformerConfig config = tiny();
            config.*size = value;
            REFUSES(ParameterLayout{config}, Trainer(config, 1));
        }
    }
    const ParameterLayout layout(tiny());
    for (const std::string& name : hostile_texts) REFUSES(layout[name]);
    std::vector<float> few(10);
    REFUSES(initialise(few, layout, tiny(), 1));
}

TEST_CASE("api: updates", "[api]") {
    const ParameterLayout layout(tiny());
    std::vector<float> all(static_cast<std::size_t>(layout.total)), few(10), none;
    AdamW optimiser(layout, {});
    REFUSES(optimiser.step(few, all, 1, 0.1, 1), optimiser.step(all, few, 1, 0.1, 1),
            optimiser.step(all, all, 0, 0.1, 1), optimiser.step(all, all, INT64_MIN, 0.1, 1));
    HOLDS(optimiser.step(all, all, 1, 0.1, -1));
    HOLDS(norm(none, INT_MIN), norm(few, 0));
    REFUSES(learning_rate(-1, 1, 10, 1), learning_rate(1, -1, 10, 1),
            learning_rate(1, 1, INT64_MIN, 1));
    HOLDS(learning_rate(INT64_MAX, 0, 0, 1), learning_rate(0, 0, 0, NAN));
    REFUSES(fma_peak(0), fma_peak(-1), fma_peak(1, NAN), fma_peak(1, HUGE_VAL));
    HOLDS(fma_peak(1, -1));
}

TEST_CASE("api: batches to learn from", "[api]") {
    for (const int bad : {0, -1, INT_MIN}) REFUSES(Trainer(tiny(), bad), Trainer(tiny(), 1, bad));
    Trainer trainer(tiny(), 1);
    const std::vector<std::int32_t> four{1, 2, 3, 4}, none;
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{3}, INT64_MAX})
        REFUSES(trainer.gradient(four, four, bad, 2), trainer.gradient(four, four, 2, bad),
                trainer.losses(four, four, bad, bad));
    REFUSES(trainer.gradient(none, none, 0, 0), trainer.gradient(four, none, 2, 2));
    for (const int id : hostile_ids) {
        REFUSES(trainer.gradient(std::vector<std::int32_t>{1, id}, std::vector<std::int32_t>{1, 2},
                                 1, 2));
        if (id != -1)
            REFUSES(trainer.losses(std::vector<std::int32_t>{1, 2},
                                   std::vector<std::int32_t>{id, 2}, 1, 2));
    }
    Trainer other(gpt_config(1, 2, 16, 8, 12), 1);
    REFUSES(trainer.learn_from(&other));
    HOLDS(trainer.learn_from(nullptr), trainer.flops_per_token(INT64_MIN), trainer.profile());
}

TEST_CASE("api: checkpoints", "[api]") {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("checkpoint");
    std::vector<float> block(5), other(6);
    for (const std::string& text : hostile_texts) {
        REFUSES(read_checkpoint_header(folder.write("bad", text)), read_checkpoint(text, {}));
        HOLDS(write_checkpoint(path, text, {block}));
        REQUIRE(read_checkpoint_header(path) == text);
        REFUSES(read_checkpoint(path, {other}), read_checkpoint(path, {}));
    }
    REFUSES(write_checkpoint("", "x", {}));
}
