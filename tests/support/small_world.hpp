// A small corpus of people and places, and its tokenizer, for tests of training.
#pragma once

#include <cstdint>
#include <string>

#include "lib/corpus/corpus.hpp"
#include "lib/text/tokenizer_train.hpp"

namespace tbt::test {

struct SmallWorld {
    // genres: rules over the tables person and place, each with a column "name".
    explicit SmallWorld(const std::string& genres)
        : corpus(Corpus::from_text({{"test.grammar", names + genres}})), tokenizer(make()) {}

    Corpus corpus;
    Tokenizer tokenizer;

private:
    static constexpr const char* names =
        "table person: name\n"
        "  Ada\n  Ben\n  Cleo\n  Dov\n  Eva\n  Finn\n  Gus\n  Hana\n"
        "table place: name\n"
        "  Arden\n  Brook\n  Corin\n  Delta\n  Elm\n  Ford\n  Glen\n  Hill\n";

    Tokenizer make() const {
        TokenizerTrainer trainer;
        for (std::uint64_t i = 0; i < 200; ++i) trainer.add_text(corpus.document(9, i).text);
        TokenizerOptions options;
        options.vocab_size = 300;
        return trainer.train(options);
    }
};

}  // namespace tbt::test
