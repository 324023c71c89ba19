// Chapter 19: how the model is made, in one small run.
//
// Expands a document of the corpus, trains a tokenizer, trains a very small GPT for a few seconds,
// and shows what it writes before, halfway through and after training. The same code makes the
// shipped models (make train).
//
// Run it: make run-19
//         make run-19 ARGS=--gradients      compares the backward passes with finite differences
// Look for: bits per byte fall towards the floor; the model learns spelling early and meaning late.
#include <algorithm>
#include <cstdio>
#include <numbers>
#include <string>
#include <vector>

#include "chapters/19_training/gradient_check.hpp"
#include "chapters/19_training/training.hpp"
#include "lib/core/index.hpp"
#include "lib/corpus/batches.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/model/transformer.hpp"
#include "lib/show/terminal.hpp"
#include "lib/text/tokenizer_train.hpp"

using namespace tbt;

namespace {

constexpr std::uint64_t seed = 1;
constexpr const char* prompt = "Once upon a time";

// The model as it is now, for inference.
Transformer snapshot(Training& training) {
    train::Trainer& model = training.model();
    return Transformer(model.shape(), [&](const std::string& name, const Shape& shape) {
        return Tensor(shape, model.of(model.layout()[name]));
    });
}

// Greedy decoding, explained in chapters 01 and 02.
std::string continued(Training& training, const Tokenizer& tokenizer, int tokens) {
    Transformer gpt = snapshot(training);
    KvCache cache(gpt.config());
    std::vector<int> ids = tokenizer.encode(prompt);
    std::span<const int> fresh = ids;
    for (int i = 0; i < tokens; ++i) {
        const std::span<const float> logits = gpt.forward(cache, fresh);
        ids.push_back(to_int(std::max_element(logits.begin(), logits.end()) - logits.begin()));
        fresh = std::span(ids).last(1);
    }
    return visible(tokenizer.decode(ids));
}

TrainingOptions small_options(int steps) {
    TrainingOptions options;
    options.shape = gpt_config(2, 2, 64, 128, 0);  // the vocabulary is the tokenizer's
    options.batch = 8;
    options.steps = steps;
    options.warm_up = 20;
    options.learning_rate = 5e-3;
    options.seed = seed;
    return options;
}

Document show_document(const Corpus& corpus) {
    Document document = corpus.document(seed, 9);
    std::printf(
        "1. A document of the corpus (%s), drawn with %.1f bits of choices, %.3f bits a "
        "byte:\n\n%s\n\n",
        corpus.genres[static_cast<std::size_t>(document.genre)].c_str(), document.bits,
        document.bits / static_cast<double>(document.text.size()), document.text.c_str());
    return document;
}

Tokenizer learn_tokens(const Corpus& corpus, const std::string& example) {
    TokenizerTrainer trainer;
    for (std::uint64_t i = 0; i < 2000; ++i) trainer.add_text(corpus.document(seed, i).text);
    TokenizerOptions options;
    options.vocab_size = 768;
    Tokenizer tokenizer = trainer.train(options);
    std::printf(
        "2. A tokenizer of %d tokens, learned from 2,000 documents, cuts it like this:\n\n  ",
        tokenizer.vocab_size());
    const std::vector<int> ids = tokenizer.encode(example);
    for (std::size_t i = 0; i < ids.size() && i < 24; ++i)
        std::printf(" %s", visible(tokenizer.token_bytes(ids[i])).c_str());
    std::printf(" …\n\n");
    return tokenizer;
}

// Trains, and returns what the model writes halfway. Each line of the table has the mean loss since
// the line before.
std::string learn(Training& training, const Tokenizer& tokenizer, int steps) {
    std::string halfway;
    double bits = 0, bytes = 0;
    for (int step = 1; step <= steps; ++step) {
        const double nats = training.step();
        bits += nats / std::numbers::ln2 * static_cast<double>(training.tokens_per_step());
        bytes += static_cast<double>(training.last_bytes());
        if (step == std::max(1, steps / 2)) halfway = continued(training, tokenizer, 24);
        if (step % std::max(1, steps / 8) != 0) continue;
        std::printf("   %4d  %9.2f  %s\n", step, bits / bytes, bar(bits / bytes / 4, 48).c_str());
        std::fflush(stdout);
        bits = bytes = 0;
    }
    return halfway;
}

// The entropy floor: the bits of the choices in the text, as the mean over some documents.
double floor_of(const Corpus& corpus) {
    double bits = 0, bytes = 0;
    for (std::uint64_t i = 0; i < 2000; ++i) {
        const Document document = corpus.document(seed, i);
        bits += document.bits;
        bytes += static_cast<double>(document.text.size());
    }
    return bits / bytes;
}

}  // namespace

int main(int argc, char** argv) {
    std::string folder = "data/corpus";
    int steps = 240;
    bool gradients = false;
    return run_program(
        argc, argv, "Chapter 19: corpus, tokenizer and training in one small run.",
        [&](CommandLine line) {
            const DeclaredOption from =
                line.option("--corpus", folder, "folder of the grammar files").shows_default();
            const DeclaredOption length = line.option("--steps", steps, "updates of the weights")
                                              .shows_default()
                                              .between(1, 100000);
            line.option("--gradients", gradients, "only check the backward passes by small changes")
                .excludes(from)
                .excludes(length);
        },
        [&] {
            if (gradients) return show_gradients();
            const Corpus corpus = Corpus::load(folder);
            const Tokenizer tokenizer = learn_tokens(corpus, show_document(corpus).text);
            Training training(corpus, tokenizer, small_options(steps));
            std::printf(
                "3. A GPT of %lld parameters learns to predict the next token, %lld tokens a "
                "step:\n\n   step  bits/byte\n",
                static_cast<long long>(training.model().layout().count()),
                static_cast<long long>(training.tokens_per_step()));
            const std::string first = continued(training, tokenizer, 24),
                              halfway = learn(training, tokenizer, steps);
            const double floor = floor_of(corpus);
            std::printf("   floor  %8.2f  %s  (the choices in the text itself)\n", floor,
                        bar(floor / 4, 48).c_str());
            std::printf(
                "\n4. What it writes, always taking the most probable token:\n\n"
                "   at the start:  %s\n   halfway:       %s\n   at the end:    %s\n",
                first.c_str(), halfway.c_str(), continued(training, tokenizer, 24).c_str());
        });
}
