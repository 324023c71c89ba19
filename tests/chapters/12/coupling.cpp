// Coupling by seed: the text that plain decoding writes, whoever drafts, in fewer passes; and its
// rounds, told afterwards.
#include "tests/catch.hpp"

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/12_speculative/coupling.hpp"
#include "chapters/12_speculative/tools/rounds.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/small_model.hpp"
#include "tests/support/toy_models.hpp"

using namespace tbt;

namespace {

// A model for chapter 10's loop that counts how often it is asked.
BatchLogits counted(NextLogits model, int& passes) {
    return [model = one_at_a_time(std::move(model)), &passes](std::span<const BatchText> texts) {
        ++passes;
        return model(texts);
    };
}

GenerateRequest request_of(std::uint64_t seed) {
    SamplingOptions cuts;
    cuts.temperature = 0.9, cuts.top_p = 0.95, cuts.repetition_penalty = 1.2;
    GenerateRequest r;
    r.chain = full_chain(cuts, Dialect::ours);
    r.stop.max_new_tokens = 24, r.stop.context = 100;
    r.seed = seed;
    return r;
}

const TokenBytes no_bytes = [](int) -> std::string_view { return ""; };
const std::vector<int> prompt{0, 1};

}  // namespace

TEST_CASE("coupled by seed, any draft of any length leaves the text as it was") {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const BatchLogits target = one_at_a_time(toy::ToyModel(5, 1.5));
        const std::vector<int> plain =
            generate_texts(target, no_bytes, prompt, request_of(seed))[0].ids;
        for (const int length : {1, 4, 9}) {
            for (const int draft_seed : {5, 8}) {  // the target itself, and another model
                int passes = 0;
                GenerateRequest request = request_of(seed);
                const auto count = std::make_shared<GuessCount>();
                guess_with<ModelDraft>(
                    request,
                    [&](std::size_t) {
                        return ModelDraft(toy::ToyModel(draft_seed, draft_seed == 5 ? 1.5 : 1),
                                          100);
                    },
                    DraftLength::fixed(length), count);
                const auto guessed = watch_guesses(request);
                const std::vector<int> ids = generate_texts(counted(toy::ToyModel(5, 1.5), passes),
                                                            no_bytes, prompt, request)[0]
                                                 .ids;
                INFO("seed " << seed << ", drafts of " << length << " from " << draft_seed);
                REQUIRE(ids == plain);
                // Who knows the target draws what the target draws: nothing is rejected.
                if (draft_seed == 5) CHECK(count->right == count->guessed);
                CHECK(count->right + passes == static_cast<long>(ids.size()));
                const std::vector<Round> rounds = coupled_rounds(ids, *guessed);
                CHECK(rounds.size() == index(passes));
                long accepted = 0;
                std::vector<int> told;
                for (const Round& round : rounds) {
                    accepted += round.accepted();
                    told.insert(told.end(), round.tokens.begin(), round.tokens.end());
                }
                CHECK(accepted == count->right);
                CHECK(told == ids);
            }
        }
    }
}

TEST_CASE("the rounds of a coupled text: what stood, what did not, and the target's own") {
    // 4 alone; 5 6 guessed and right, a bonus 7; 8 guessed, 9 drawn; 3 right, and the text ends.
    const std::vector<int> ids{4, 5, 6, 7, 9, 3};
    const std::vector<GuessedRound> guessed{{1, {5, 6}}, {4, {8, 3}}, {5, {3, 1}}};
    const std::vector<Round> rounds = coupled_rounds(ids, guessed);
    REQUIRE(rounds.size() == 4);
    CHECK(rounds[0].drafted.empty());
    CHECK(rounds[0].bonus);
    CHECK(rounds[1].tokens == std::vector<int>{5, 6, 7});
    CHECK(rounds[1].accepted() == 2);
    CHECK(rounds[1].bonus);
    CHECK(rounds[2].tokens == std::vector<int>{9});
    REQUIRE(rounds[2].judged.size() == 1);
    CHECK_FALSE(rounds[2].judged[0].accepted);
    CHECK(rounds[2].judged[0].id == 8);
    CHECK(std::isnan(rounds[2].judged[0].p));
    CHECK_FALSE(rounds[2].bonus);
    CHECK(rounds[3].tokens == std::vector<int>{3});
    CHECK(rounds[3].accepted() == 1);
    CHECK(rounds[3].judged.size() == 1);
    CHECK_FALSE(rounds[3].bonus);
    GenerateRequest nobody;
    CHECK_THROWS_AS(watch_guesses(nobody), Error);
}

namespace {

// Guesses as many tokens as it is asked for.
struct Obedient {
    std::vector<DraftedToken> propose(const Chain&, std::span<const int>, std::size_t, int count,
                                      const std::function<bool(int)>&, RandomChance&) {
        return std::vector<DraftedToken>(index(count));
    }
};

}  // namespace

TEST_CASE(
    "of a round the guesses count up to the first wrong one: those after it were not judged") {
    GenerateRequest request = request_of(1);
    DraftLength length = DraftLength::adaptive(8, 0.3);
    guess_with<Obedient>(
        request, [](std::size_t) { return Obedient(); }, length);
    Rng rng(2);
    int longest = 0, none = 0;
    for (int round = 0; round < 300; ++round) {
        const int asked = length.next();
        const Guesses guesses = request.foresight.guess(0, {prompt, prompt.size()}, Rng(1), 100);
        REQUIRE(guesses.ids.size() == index(asked));
        // Good times and bad.
        int right = 0;
        while (right < asked && rng.uniform() < (round / 50 % 2 == 0 ? .9 : .2)) ++right;
        request.foresight.judged(0, asked, right);
        length.learn(right < asked ? right + 1 : asked, right);
        longest = std::max(longest, asked), none += asked == 0;
    }
    CHECK(longest == 8);
    CHECK(none > 0);
}

TEST_CASE("of a tree of guesses, those along the text and the first that it passed by") {
    const std::vector<int> text{5, 6, 7};
    CHECK(chain_of(Guesses({5, 9, 8}), text) == std::vector<int>{5, 9, 8});  // all of a chain
    // 5 and 4 after the text, 9 and 6 after the 5, 3 after the 6.
    const Guesses tree({5, 4, 9, 6, 3}, {-1, -1, 0, 0, 3});
    CHECK(chain_of(tree, text) == std::vector<int>{5, 6, 3});
    CHECK(chain_of(tree, std::vector<int>{5, 1}) == std::vector<int>{5, 9});
    CHECK(chain_of(tree, std::vector<int>{2}) == std::vector<int>{5});
}

TEST_CASE(
    "a recorded round begins where the rounds before it end, and has the guesses made there") {
    std::vector<Round> rounds(3);
    rounds[0].tokens = {5, 6}, rounds[1].tokens = {7}, rounds[2].tokens = {8, 9};
    const std::vector<GuessedRound> guessed = {{0, Guesses({5, 4})}, {3, Guesses({8})}};
    const std::vector<RecordedRound> all = recorded_rounds(rounds, guessed);
    REQUIRE(all.size() == 3);
    const std::vector<int> steps{0, 2, 3};
    const std::vector<std::vector<int>> guesses{{5, 4}, {}, {8}};
    for (std::size_t i = 0; i < 3; ++i) {
        CHECK(to_int(all[i].step) == steps[i]);
        CHECK(all[i].round.tokens == rounds[i].tokens);
        CHECK(all[i].guesses.ids == guesses[i]);
    }
}

TEST_CASE("a correction is said to come from where it was drawn: the residual, or p") {
    const Model model = small_model();
    SpeculativeText written;
    written.rounds.resize(1);
    written.rounds[0].judged = {{'a', .1, .5, .9, false}};
    written.rounds[0].tokens = {'b'};
    const auto says = [&](Correction correction, const char* words) {
        const std::string shown =
            test::written_to(1, [&] { show_rounds(model.tokenizer, written, false, correction); });
        return shown.find(words) != std::string::npos;
    };
    CHECK(says(Correction::residual, "b             correction, from the residual\n"));
    CHECK(says(Correction::target, "b             correction, from p (wrong)\n"));
    CHECK_FALSE(says(Correction::target, "the residual"));
}
