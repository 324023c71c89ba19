// A small corpus, its tokenizer and random weights, for tests of chapter 22.
#pragma once

#include <cstdint>
#include <string>

#include "chapters/19_training/corpus/corpus.hpp"
#include "lib/kernels/rng.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/text/tokenizer_train.hpp"

namespace tbt::test {

inline const char* const grammar =
    "table person: name\n"
    "  Ada\n  Ben\n  Cleo\n  Dov\n  Eva\n  Finn\n  Gus\n  Hana\n"
    "table place: name\n"
    "  Arden\n  Brook\n  Corin\n  Delta\n  Elm\n  Ford\n  Glen\n  Hill\n"
    "genre walk 3 hold p.name t.name\n"
    "  {p=person}{t=place}{p.name} walked to {t.name}{ and came back|, sang and came home}.\n"
    "genre long 1 hold p.name t.name\n"
    "  {p=person}{t=place}{p.name} went from {t.name} to {t.name} to {t.name} to {t.name} to "
    "{t.name} to {t.name} to {t.name} to {t.name} to {t.name} to {t.name} to {t.name}.\n"
    "genre greeting 1 hold p.name t.name\n"
    "  {p=person}{t=place}Hello, {p.name} of {t.name}!\n";

struct World {
    Corpus corpus = Corpus::from_text({{"test.grammar", grammar}});
    Tokenizer tokenizer = make();

    Tokenizer make() const {
        TokenizerTrainer trainer;
        for (std::uint64_t i = 0; i < 200; ++i) trainer.add_text(corpus.document(9, i).text);
        TokenizerOptions options;
        options.vocab_size = 300;
        return trainer.train(options);
    }
};

inline Tensor noise(const std::string& name, const Shape& shape) {
    Rng rng(11, name.size() * 100 + static_cast<std::uint64_t>(name[name.size() / 2]));
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.4);
    return t;
}

}  // namespace tbt::test
