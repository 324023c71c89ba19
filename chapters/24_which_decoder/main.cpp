// Chapter 24: which decoder? Every decoder against the true distribution of the texts.
//
//   make run-24                              two languages by hand; nine decoders on one genre
//   make run-24 ARGS="--genre three --model data/models/sketch"
//   make decoders                            all of them, on six genres and three models (hours)
//
// Look for: what each decoder gains in valid texts, and what it pays in true texts that it can no
// longer write.
#include <cstdio>
#include <string>

#include "chapters/24_which_decoder/measure.hpp"
#include "chapters/24_which_decoder/plain_measures.hpp"
#include "chapters/24_which_decoder/whole_run/results.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/usual_options.hpp"

using namespace tbt;

namespace {

void show_two_languages() {
    const std::vector<double> p{0.4, 0.3, 0.2, 0.1};
    const auto show = [&](const char* name, const std::vector<double>& q) {
        std::printf("  %-22s %4.1f %4.1f %4.1f %4.1f   %6.3f   %6.3f\n", name, q[0], q[1], q[2],
                    q[3], plain_kl(q, p), plain_kl(p, q));
    };
    std::printf(
        "1. A language of four sentences, and what decoders make of it\n\n"
        "                            q of each     KL(q‖p)  KL(p‖q)   bits\n");
    show("the truth", p);
    show("bolder", {0.5, 0.3, 0.1, 0.1});
    show("without the last one", {0.4 / 0.9, 0.3 / 0.9, 0.2 / 0.9, 0});
    show("greedy", {1, 0, 0, 0});
}

}  // namespace

int main(int argc, char** argv) {
    std::string directory = shipped_model("storyteller").string(),
                corpus = "data/corpus,data/corpus/world";
    std::string genre = "animals";
    int texts = 40;
    std::uint64_t seed = 0;
    return run_program(
        argc, argv, "Chapter 24: every decoder against the true distribution.",
        [&](CommandLine line) {
            model_option(line, directory);
            line.option("--genre", genre, "of the corpus").shows_default();
            line.option("--texts", texts, "how many each decoder writes")
                .shows_default()
                .above_zero();
            line.option("--corpus", corpus, "folder of the grammar files").shows_default();
            seed_option(line, seed);
        },
        [&] {
            const Corpus grammar = Corpus::load(corpus);
            const Language language(grammar);
            Model model = load_model(directory);
            OtherModels others(model, directory);
            DecoderMeasure measure(language, model, others,
                                   language.passages(model.tokenizer, genre, texts, seed),
                                   few_settings());
            show_two_languages();
            std::printf("\n2. %d beginnings of the genre %s, continued\n\n", texts, genre.c_str());
            std::vector<Measured> rows;
            for (std::size_t k = 0; k < measure.settings().size(); ++k)
                rows.push_back(measure.run(k, seed));
            std::fputs(table_of(rows).c_str(), stdout);
            const Diversity& truth = measure.truth().diversity;
            std::printf(
                "the truth               100 %%    0 %%     0.00     0.00       0.00"
                "  %8.2f  %7.1f %%\n",
                truth.distinct[3], 100 * truth.repeated);
        });
}
