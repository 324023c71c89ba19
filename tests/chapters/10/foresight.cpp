// Chapter 10's loop told more than it must know (guesses, forced tokens) or asked for more
// (several prompts): the same texts, in fewer passes.
#include "tests/catch.hpp"

#include "chapters/10_generate/generate.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

BatchLogits counted(BatchLogits model, int& passes) {
    return [model = std::move(model), &passes](std::span<const BatchText> texts) {
        ++passes;
        return model(texts);
    };
}

struct Told {
    std::vector<int> ids;
    int passes = 0, guessed = 0, right = 0;
};

const std::vector<int> prompt = bytes_of("xyz");

Told write_with(GenerateRequest r) {
    Told told;
    r.foresight.judged = [&](std::size_t, int guessed, int right) {
        told.guessed += guessed, told.right += right;
    };
    const BatchLogits model = counted(one_at_a_time(letters()), told.passes);
    told.ids = generate_texts(model, one_byte, prompt, r)[0].ids;
    return told;
}

// After "a" comes "b", after "ab" comes "c"; otherwise there is a choice.
int after_a(const TextSoFar& text) {
    const std::size_t n = text.ids.size();
    if (text.ids[n - 1] == 'a') return 'b';
    return n > 1 && text.ids[n - 2] == 'a' && text.ids[n - 1] == 'b' ? 'c' : -1;
}

}  // namespace

TEST_CASE("guesses stay as far as they are what is drawn, and change nothing") {
    GenerateRequest r = request(20);
    r.seed = 9;
    const std::vector<int> plain = write_with(r).ids;
    // How many of three guesses are right, and the passes that 20 tokens then take: the first
    // token one, and each round one token more than is right.
    for (const auto& [right, passes] : {std::pair(3, 6), {1, 11}, {0, 20}}) {
        r.foresight.guess = [&, right = right](std::size_t number, const TextSoFar& text,
                                               const Rng&, int room) {
            const std::size_t at = text.generated().size();
            CHECK(number == 0);
            CHECK(room == 20 - static_cast<int>(at) - 1);
            std::vector<int> guesses;
            for (int i = 0; i < std::min(3, room); ++i)
                guesses.push_back(i < right ? plain[at + index(i)] : '!');
            return guesses;
        };
        const Told told = write_with(r);
        INFO(right << " of three guesses are right");
        REQUIRE(told.ids == plain);
        REQUIRE(told.passes == passes);
        REQUIRE(told.passes + told.right == 20);
        CHECK((told.right == told.guessed) == (right == 3));
    }
}

TEST_CASE("who guesses is given the text's own random numbers, and can draw what will be drawn") {
    GenerateRequest r = request(20);
    r.seed = 4;
    const std::vector<int> plain = write_with(r).ids;
    r.foresight.guess = [&](std::size_t, const TextSoFar& text, Rng random, int room) {
        NextLogits model = letters();
        std::vector<int> ids(text.ids.begin(), text.ids.end());
        Candidates scratch;
        for (int i = 0; i < std::min(4, room); ++i)
            ids.push_back(
                r.chain.pick(model(ids), {ids, text.prompt_length}, random.uniform(), scratch));
        return std::vector<int>(ids.begin() + static_cast<std::ptrdiff_t>(text.ids.size()),
                                ids.end());
    };
    const Told told = write_with(r);
    REQUIRE(told.ids == plain);
    REQUIRE(told.guessed > 0);
    REQUIRE(told.right == told.guessed);
}

TEST_CASE("a text that ends among its guesses ends there") {
    GenerateRequest r = request(20);
    const std::vector<int> answer = bytes_of("hello");
    int judged = -1;
    r.foresight.guess = [&](std::size_t, const TextSoFar&, const Rng&, int) {
        return std::vector<int>{'e', 'l', 'l', 'o', eos, 'n', 'o'};
    };
    r.foresight.judged = [&](std::size_t, int, int right) { judged = right; };
    const GeneratedText text =
        generate_texts(one_at_a_time(script(1, answer)), one_byte, bytes_of("?"), r)[0];
    REQUIRE(text.text == "hello");
    REQUIRE(text.reason == FinishReason::eos);
    REQUIRE(judged == 5);
}

TEST_CASE("what is forced takes no pass, and uses up its random number all the same") {
    int forced_in_all = 0;
    for (const char* beginning : {"xyz", "za"}) {
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            GenerateRequest r = request(25);
            r.seed = seed;
            r.foresight.forced = after_a;
            const std::vector<int> before = bytes_of(beginning);
            int passes = 0, all = 0;
            const auto ids =
                generate_texts(counted(one_at_a_time(letters()), passes), one_byte, before, r)[0]
                    .ids;
            // A trace asks the model for every token.
            r.traced_tokens = 0;
            REQUIRE(generate_texts(counted(one_at_a_time(letters()), all), one_byte, before, r)[0]
                        .ids == ids);
            REQUIRE(all == 25);
            std::vector<int> text = before;
            int forced = 0;
            for (const int id : ids) {
                const int only = after_a({text, before.size()});
                if (only >= 0) REQUIRE(id == only);
                forced += only >= 0;
                text.push_back(id);
            }
            REQUIRE(passes == 25 - forced);
            forced_in_all += forced;
        }
    }
    REQUIRE(forced_in_all > 50);
}

TEST_CASE("several prompts in the same passes: each text is what it is alone") {
    Transformer gpt(small_config(), random_weight, {1});
    GenerateRequest r = request(15);
    r.samples = 2;
    const std::vector<std::vector<int>> prompts{bytes_of("one"), bytes_of("a second prompt"),
                                                bytes_of("?")};
    CachedBatch batch(gpt);
    int passes = 0;
    std::vector<std::string> shown(6);
    GenerateObserver observer;
    observer.on_text = [&](std::size_t i, const std::string& piece) { shown.at(i) += piece; };
    const std::vector<GeneratedText> texts =
        generate_batch(counted(std::ref(batch), passes), one_byte, prompts, r, observer);
    REQUIRE(texts.size() == 6);
    std::size_t longest = 0;
    for (const GeneratedText& text : texts) longest = std::max(longest, text.ids.size());
    REQUIRE(passes == static_cast<int>(longest));
    for (std::size_t p = 0; p < prompts.size(); ++p) {
        CachedBatch alone(gpt);
        const auto expected = generate_texts(std::ref(alone), one_byte, prompts[p], r);
        for (std::size_t i = 0; i < 2; ++i) {
            INFO("prompt " << p << ", sample " << i);
            REQUIRE(texts[2 * p + i].ids == expected[i].ids);
            REQUIRE(shown[2 * p + i] == expected[i].text);
        }
    }
}

TEST_CASE("no more guesses are asked for than the context has room for") {
    GenerateRequest r = request(20);
    r.stop.context = count(prompt) + 5;
    int asked = 0;
    r.foresight.guess = [&](std::size_t, const TextSoFar& text, const Rng&, int room) {
        CHECK(room == r.stop.context - count(text.ids));
        ++asked;
        return Guesses();
    };
    write_with(r);
    CHECK(asked > 2);
}
