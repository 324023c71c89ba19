// Of chapter 24: ways to write faster that change no text; texts outside the language.
#include "tests/catch.hpp"

#include "chapters/24_which_decoder/tools/results.hpp"
#include "chapters/24_which_decoder/tools/whole_run.hpp"

using namespace tbt;

TEST_CASE("sped up: drafts, lookups and heads write the texts of plain drawing in fewer passes") {
    const Corpus corpus = Corpus::load("data/corpus");
    const Language language(corpus);
    TextGenerator generator(shipped_model("storyteller").string());
    const std::vector<Passage> passages =
        language.passages(generator.model().tokenizer, "weather", 4, 1);
    const std::vector<SpedUp> ways = compare_sped_up(generator, passages, 1, 40);
    REQUIRE(ways.size() == 4);
    for (const SpedUp& way : ways) {
        CAPTURE(way.way);
        CHECK(way.texts == 4);
        CHECK(way.same == 4);
        CHECK(way.tokens == ways[0].tokens);
        CHECK((&way == &ways[0] || way.passes < ways[0].passes));
    }
}

TEST_CASE("tables show a dash, not nan, where no text was written") {
    CHECK(table_of(std::vector<SpedUp>{{"plain"}}) ==
          "temperature 1            texts   the same   tokens a pass\n"
          "plain                        0          0               -\n");
    const double none = std::nan("");
    Measured nothing;
    nothing.model = "storyteller", nothing.decoder = "best of all";
    nothing.valid = nothing.kl_qp = nothing.kl_pq = nothing.divergence = {none, none, none};
    nothing.lost = nothing.m_bits = nothing.p_bits = nothing.microseconds = none;
    for (const std::string& table :
         {table_of({nothing}, true), best_of({nothing}), searches_of({nothing})}) {
        CAPTURE(table);
        CHECK(table.find("nan") == std::string::npos);
    }
}

TEST_CASE("language: a text outside it, none, or another genre's is infinitely improbable") {
    const Corpus corpus = Corpus::load("data/corpus");
    const Language language(corpus);
    const Model model = load_model(shipped_model("sketch"));
    const Passage passage = language.passages(model.tokenizer, "weather", 1, 1).at(0);
    CHECK(std::isfinite(language.bits(passage, passage.rest)));
    for (const std::string& text :
         {std::string(), passage.rest + "!", passage.rest.substr(0, passage.rest.size() - 1),
          std::string(" xylophone"), std::string(10000, 'x'), std::string("\xff\0\n", 3)}) {
        CAPTURE(text.size());
        CHECK(std::isinf(language.bits(passage, text)));
    }
}
