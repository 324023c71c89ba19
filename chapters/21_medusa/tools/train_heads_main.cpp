// Trains heads for a frozen target.
//
//   build/train_heads --out build/models/medusa        (make train-medusa)
//
// What to look for: the overlap Σ min(p, q) of each head, which is how often a drawn guess of it
// would be accepted; a head knows the tokens before its own, so the third is not much worse than
// the first.
#include "chapters/21_medusa/tools/train_heads.hpp"
#include "lib/machine/command_line.hpp"

int main(int argc, char** argv) {
    tbt::HeadTrainingOptions o;
    bool measure = false;
    return tbt::run_program(
        argc, argv, "Trains Medusa's heads on a frozen target.",
        [&](tbt::CommandLine line) {
            line.option("--target", o.target, "the model they guess for").shows_default();
            line.option("--out", o.out, "directory of the heads").required();
            line.option("--corpus", o.corpus,
                        "folder of the grammar files (else the target's own, with its genres)");
            line.option("--heads", o.shape.heads, "tokens that are guessed ahead").between(1, 16);
            line.option("--inner", o.shape.inner, "width inside of a head").shows_default();
            line.option("--draft-vocab", o.draft_vocab, "frequent tokens that are drafted")
                .shows_default();
            line.option("--batch", o.batch, "texts a step").shows_default();
            line.option("--sequence", o.sequence, "tokens of a text").shows_default();
            line.option("--steps", o.steps, "updates").shows_default();
            line.option("--warmup", o.warm_up, "steps until the full learning rate");
            line.option("--lr", o.learning_rate, "highest learning rate").shows_default();
            line.option("--seed", o.seed, "of weights and documents").shows_default();
            line.option("--parts", o.parts, "parts that a batch is split into, for the threads");
            line.option("--threads", o.threads, "0: all cores");
            line.option("--measure", measure,
                        "do not train: measure again how often those in --out are right");
            line.option("--smoke", o.smoke, "a few steps, to see that everything works");
        },
        [&] {
            if (!measure) tbt::train_heads(o);
            tbt::measure_heads(o.out, o.target, o.threads);
        });
}
