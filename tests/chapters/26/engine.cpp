// Continuous batching on a network: each text is what it is alone.
#include "tests/catch.hpp"

#include <chrono>
#include <thread>

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/26_serving/engine.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

struct Wanted {
    std::vector<int> prompt;
    GenerateRequest request;
};

// Options of all kinds; prompts that often begin alike.
Wanted random_request(Rng& rng) {
    Wanted w;
    w.prompt = bytes_of("once upon a time there was");
    w.prompt.resize(1 + rng.below(w.prompt.size()));
    for (std::uint64_t n = rng.below(20); n > 0; --n) w.prompt.push_back(to_int(rng.below(257)));
    w.request = request(to_int(rng.below(24)));
    if (rng.below(4) == 0) w.request.stop.eos = {};
    if (rng.below(3) == 0)
        w.request.stop.strings = StopStrings({std::string(1, static_cast<char>(rng.below(128)))});
    if (rng.below(4) == 0) {
        w.request.stop.context = 30;
        w.request.stop.policy = ContextPolicy::slide;
        w.request.keep = to_int(rng.below(20));
    }
    SamplingOptions o;
    o.temperature = static_cast<double>(rng.below(4)) * 0.5;
    if (rng.below(2) == 0) o.top_k = static_cast<int>(1 + rng.below(40));
    if (rng.below(2) == 0) o.top_p = 0.5 + rng.uniform() / 2;
    if (rng.below(3) == 0) o.repetition_penalty = 1.3;
    if (rng.below(3) == 0) o.frequency_penalty = 0.4;
    if (rng.below(3) == 0) o.no_repeat_ngram_size = 2;
    if (o.temperature > 0 && rng.below(5) == 0) o.mirostat = 2, o.top_k = 0, o.top_p = 1;
    w.request.chain = full_chain(o, Dialect::ours);
    w.request.seed = rng.below(5);
    w.request.samples = 1 + to_int(rng.below(3));
    if (rng.below(3) == 0) w.request.traced_tokens = 2;
    return w;
}

// How many texts differ from those alone: random arrivals, slots and chunks.
int different(std::uint64_t seed, int requests, int threads, long& texts) {
    Transformer gpt(small_config(), random_weight, {threads});
    Rng rng(seed);
    const int slots = 1 + to_int(rng.below(8));
    const int budget = rng.below(3) == 0 ? 0 : slots + to_int(rng.below(12));
    CachedBatch batch(gpt);
    Engine engine(std::ref(batch), one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(slots, budget, rng.below(4) == 0));
    struct Sent {
        int text;
        GeneratedText alone;
        std::shared_ptr<std::string> streamed;
    };
    std::vector<Sent> sent;
    int wrong = 0;
    for (int i = 0;
         i < requests || engine.scheduler().running() + engine.scheduler().waiting() > 0;) {
        if (i < requests && rng.below(3) > 0) {
            ++i;
            const Wanted w = random_request(rng);
            CachedBatch fresh(gpt);
            const auto alone = generate_texts(std::ref(fresh), one_byte, w.prompt, w.request);
            for (int s = 0; s < w.request.samples; ++s) {
                const auto streamed = std::make_shared<std::string>();
                sent.push_back({engine.add(w.prompt, w.request, s,
                                           [streamed](const std::string& p, const TextWriter&) {
                                               *streamed += p;
                                           }),
                                alone[index(s)], streamed});
            }
        } else {
            engine.step();
        }
    }
    for (const Sent& s : sent) {
        const ServedText served = engine.take(s.text);
        wrong += !test::same(served.text, s.alone) || *s.streamed != s.alone.text ||
                 !served.error.empty();
        ++texts;
    }
    return wrong;
}

}  // namespace

TEST_CASE("random requests together are each alone: text, end, log-probabilities") {
    long texts = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed)
        for (const int threads : {1, 2}) {
            INFO("seed " << seed << ", " << threads << " threads");
            REQUIRE(different(seed, 16, threads, texts) == 0);
        }
    REQUIRE(texts > 600);
}

TEST_CASE("texts of one prompt share its reading, also those that join later") {
    Transformer gpt(small_config(), random_weight, {1});
    CachedBatch batch(gpt);
    Engine engine(std::ref(batch), one_byte, static_cast<int>(vocabulary), PlainScheduler(3, 8));
    const std::vector<int> prompt = bytes_of("a prompt of thirty-one letters!");
    GenerateRequest r = request(4);
    r.stop.eos = {};
    r.samples = 3;
    for (int s = 0; s < 3; ++s) engine.add(prompt, r, s);
    while (engine.step()) {
    }
    // Alone they read 31 tokens each. Here the second and third compute the last token of each
    // chunk only, because a cache keeps keys and values and no logits.
    const long prompts = batch.computed() - 3 * 3;
    REQUIRE(prompts >= 31 + 2);
    REQUIRE(prompts < 31 + 2 * 8);
}

TEST_CASE("a cancelled text frees its slot for the next pass and keeps what it has") {
    Engine engine(one_at_a_time(letters()), one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(1));
    const int first = engine.add(bytes_of("one"), request(20)),
              second = engine.add(bytes_of("two"), request(2));
    for (int i = 0; i < 3; ++i) engine.step();
    engine.cancel(first);
    REQUIRE(engine.ended(first));
    REQUIRE(engine.step());
    REQUIRE(engine.last_pass()[0].id == second);
    const ServedText text = engine.take(first);
    REQUIRE(text.text.ids.size() == 3);
    REQUIRE(text.text.reason == FinishReason::interrupted);
    REQUIRE_FALSE(engine.ended(second));
    REQUIRE_THROWS_WITH(engine.take(second),
                        "generate: this text has not ended, so it has no result yet");
    engine.cancel(second);
    engine.cancel(second);  // it has ended
    REQUIRE_FALSE(engine.step());
}

TEST_CASE("a text whose step fails ends alone, and the others go on") {
    Engine engine(one_at_a_time(letters()), one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(2));
    GenerateRequest bad = request(6);
    bad.foresight.forced = [](const TextSoFar& text) -> int {
        if (text.ids.size() > 5) throw Error("no token is left");
        return -1;
    };
    const int failing = engine.add(bytes_of("abc"), bad),
              good = engine.add(bytes_of("abc"), request(6));
    while (engine.step()) {
    }
    REQUIRE(engine.take(failing).error == "no token is left");
    const ServedText text = engine.take(good);
    REQUIRE(text.error.empty());
    REQUIRE(text.text.ids ==
            generate_texts(one_at_a_time(letters()), one_byte, bytes_of("abc"), request(6))[0].ids);
}

TEST_CASE("what is forced is written without a pass") {
    Engine engine(one_at_a_time(letters()), one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(1));
    GenerateRequest r = request(5);
    r.foresight.forced = [](const TextSoFar& text) { return text.ids.size() < 6 ? 'x' : -1; };
    const int text = engine.add(bytes_of("abc"), r);
    int passes = 0;
    while (engine.step()) ++passes;
    REQUIRE(passes == 2);
    REQUIRE(engine.take(text).text.ids ==
            generate_texts(one_at_a_time(letters()), one_byte, bytes_of("abc"), r)[0].ids);
}

// One whose masks take longer than many passes; each token leaves a single choice after three.
TEST_CASE("no pass waits for a form that is slow, and its text is the same") {
    const auto slow_request = [](int milliseconds) {
        GenerateRequest r = request(6);
        r.stop.eos = {};
        r.foresight.forced = [milliseconds](const TextSoFar& text) -> int {
            std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
            return text.ids.size() % 3 == 0 ? 'x' : -1;
        };
        return r;
    };
    Engine engine(one_at_a_time(letters()), one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(3));
    const int form = 0;
    const int slow = engine.add(bytes_of("abc"), slow_request(20), 0, {}, 1, &form),
              twin = engine.add(bytes_of("abcd"), slow_request(20), 0, {}, 1, &form);
    for (int i = 0; i < 2; ++i) engine.step();  // it shows how slow it is
    GenerateRequest quick = request(40);
    quick.stop.eos = {};
    const int other = engine.add(bytes_of("abc"), quick, 0, {}, 2);
    const auto begin = std::chrono::steady_clock::now();
    while (!engine.ended(other)) engine.step();
    // Forty passes: each of them would have taken the time of two masks.
    REQUIRE(std::chrono::steady_clock::now() - begin < std::chrono::milliseconds(40 * 2 * 20 / 2));
    while (engine.step()) {
    }
    for (const auto& [id, prompt] : {std::pair{slow, "abc"}, std::pair{twin, "abcd"}})
        REQUIRE(engine.take(id).text.ids == generate_texts(one_at_a_time(letters()), one_byte,
                                                           bytes_of(prompt), slow_request(0))[0]
                                                .ids);
    // One that is cancelled while its mask is on the way.
    const int gone = engine.add(bytes_of("abc"), slow_request(20), 0, {}, 1, &form);
    engine.cancel(gone);
    engine.take(gone);
    REQUIRE_FALSE(engine.step());
}

TEST_CASE("what cannot be served is refused before it waits") {
    Engine engine(one_at_a_time(letters()), one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(1));
    REQUIRE_THROWS_WITH(engine.add({}, request(1)),
                        "generate: an empty prompt; start from the document separator");
    REQUIRE_THROWS_WITH(
        engine.add({257}, request(1)),
        "engine: prompt: token 257 is not in the vocabulary, expected an id from 0 to 256");
    REQUIRE_THROWS_AS(engine.add(std::vector<int>(64, 1), request(1)), Error);
    REQUIRE_THROWS_WITH(engine.add({1}, request(1), 1),
                        "engine: sample: index 1 is out of range, expected 0 to 0");
    REQUIRE_THROWS_WITH(engine.cancel(3),
                        "engine: cancel: there is no text 3; it was taken, or never added");
    REQUIRE_FALSE(engine.step());
    REQUIRE_THROWS_AS(Engine({}, one_byte, 257, PlainScheduler(1)), Error);
    const int nothing = engine.add({1}, request(0));
    REQUIRE(engine.take(nothing).text.reason == FinishReason::length);
}
