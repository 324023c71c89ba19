// Hostile arguments to chapter 19: the corpus, batches, validation.
#include "tests/catch.hpp"

#include <climits>
#include <cmath>
#include <vector>

#include "chapters/19_training/tools/corpus_lint.hpp"
#include "chapters/19_training/tools/export.hpp"
#include "chapters/19_training/training.hpp"
#include "lib/corpus/batches.hpp"
#include "lib/corpus/corpus.hpp"
#include "lib/corpus/expansion.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/files/random_model.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;

namespace {

const char* const walk =
    "table person: name\n  Ada\n  Ben\n  Cleo\n  Dov\n  Eva\n  Finn\n  Gus\n  Hana\n"
    "table place: name\n  Arden\n  Brook\n  Corin\n  Delta\n  Elm\n  Ford\n  Glen\n  Hill\n"
    "genre walk 1 hold p.name t.name\n"
    "  {p=person}{t=place}{p.name} walked to {t.name}.\n";

Corpus small() { return Corpus::from_text({{"t.grammar", walk}}); }

}  // namespace

TEST_CASE("api: a corpus", "[api]") {
    for (const std::string& text : hostile_texts) {
        REFUSES(Corpus::load(text), Corpus::load_files({text}));
        HOLDS(Corpus::from_text({{text, text}}));
        HOLDS(lint_text(text));
        HOLDS(grammar::takes_an(text, 0), grammar::takes_an(text, SIZE_MAX));
        std::string copy = text;
        HOLDS(grammar::capitalise(copy, SIZE_MAX), grammar::capitalise(copy, 0));
    }
    REFUSES(Corpus::from_text({}), Corpus::load_files({}));
    const Corpus corpus = small();
    for (const int genre : {-1, 1, INT_MIN, INT_MAX}) REFUSES(corpus.document_of(genre, 1, 1));
    REFUSES(corpus.genre_named(""));
    HOLDS(corpus.document(UINT64_MAX, UINT64_MAX), corpus.unused());
}

TEST_CASE("api: batches and validation", "[api]") {
    const Corpus corpus = small();
    const Tokenizer tokenizer = babble_tokenizer(300);
    BatchSource batches(corpus, tokenizer, 1);
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN, INT64_MAX})
        REFUSES(batches.next(bad, 4), batches.next(4, bad), Validation(corpus, tokenizer, 1, bad));
    batches.seek(UINT64_MAX);
    HOLDS(batches.next(1, 1));
    const Validation validation(corpus, tokenizer, 1, 2);
    const auto none = [](const std::vector<std::int32_t>&, const std::vector<std::int32_t>&,
                         std::int64_t, std::int64_t) { return std::vector<double>(); };
    REFUSES(validation.run(none, 8));
    for (const std::int64_t bad : {std::int64_t{0}, std::int64_t{-1}, INT64_MIN})
        REFUSES(validation.run(none, bad));
    REFUSES(validation.total({}), validation.total(std::vector<GenreResult>(5)),
            evaluate_directory(corpus, "/nowhere", -1, 1));
    CurvePoint point;
    point.validation = {1, 2, 3, 4};
    HOLDS(curve_csv({point, {}}, {"a"}), curve_csv({}, {}), validation_table({}, {}));
}

TEST_CASE("api: training", "[api]") {
    const Corpus corpus = small();
    const Tokenizer tokenizer = babble_tokenizer(300);
    const auto refused = [&](auto&& change) {
        TrainingOptions o;
        o.shape = gpt_config(1, 2, 16, 8, 300);
        o.batch = 2, o.steps = 4, o.warm_up = 1, o.threads = 1;
        change(o);
        return outcome([&] { Training(corpus, tokenizer, o).step(); }) != "";
    };
    REQUIRE_FALSE(refused([](TrainingOptions&) {}));
    for (const std::int64_t bad : {std::int64_t{-1}, INT64_MIN}) {
        REQUIRE(refused([&](TrainingOptions& o) { o.batch = bad; }));
        REQUIRE(refused([&](TrainingOptions& o) { o.steps = bad; }));
        REQUIRE(refused([&](TrainingOptions& o) { o.warm_up = bad; }));
    }
    REQUIRE(refused([](TrainingOptions& o) { o.parts = 0; }));
    REQUIRE(refused([](TrainingOptions& o) { o.learning_rate = NAN; }));
    REQUIRE(refused([](TrainingOptions& o) { o.shape.n_layer = 0; }));
    REQUIRE(refused([](TrainingOptions& o) { o.shape.n_embd = INT_MAX; }));
    REQUIRE(refused([](TrainingOptions& o) { o.teacher = "/nowhere"; }));
    const test::TemporaryFolder folder;
    TrainingOptions o;
    o.shape = gpt_config(1, 2, 16, 8, 300);
    o.threads = 1;
    Training training(corpus, tokenizer, o);
    REFUSES(training.load(folder.file("none")), training.load(folder.write("bad", "\xff")));
}
