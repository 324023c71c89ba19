// The engine with a cache for everyone: small pools, so that texts are preempted, and known
// prefixes change no bit of any text.
#include "tests/catch.hpp"

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/26_serving/engine.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

constexpr int context = 320;  // five pages

TransformerConfig five_pages() {
    TransformerConfig config = small_config();
    config.n_positions = context;
    return config;
}

struct Wanted {
    std::vector<int> prompt;
    GenerateRequest request;
    std::vector<GeneratedText> alone;
};

std::vector<int> random_ids(Rng& rng, std::size_t n) {
    std::vector<int> ids(n);
    for (int& id : ids) id = to_int(rng.below(257));
    return ids;
}

// Most prompts begin with one of two texts, and part from it anywhere.
Wanted random_request(Rng& rng, Transformer& gpt) {
    Rng two(rng.below(2));
    Wanted w;
    w.prompt = random_ids(two, 200);
    w.prompt.resize(rng.below(3) == 0 ? 64 * (1 + rng.below(3)) : 1 + rng.below(200));
    for (const int id : random_ids(rng, rng.below(3) == 0 ? 0 : rng.below(40)))
        w.prompt.push_back(id);
    w.request = request(1 + to_int(rng.below(70)));
    w.request.stop.context = context;
    if (rng.below(2) == 0) w.request.stop.eos = {};
    if (rng.below(5) == 0) {
        w.request.stop.context = 100;
        w.request.stop.policy = ContextPolicy::slide;
    }
    SamplingOptions o;
    o.temperature = static_cast<double>(rng.below(3)) * 0.5;
    if (rng.below(2) == 0) o.top_p = 0.9;
    if (rng.below(3) == 0) o.repetition_penalty = 1.3;
    w.request.chain = full_chain(o, Dialect::ours);
    w.request.seed = rng.below(5);
    w.request.samples = 1 + to_int(rng.below(2));
    if (rng.below(3) == 0) w.request.traced_tokens = 2;
    CachedBatch fresh(gpt);
    w.alone = generate_texts(std::ref(fresh), one_byte, w.prompt, w.request);
    return w;
}

struct Load {
    long texts = 0, different = 0, preemptions = 0, cached = 0;
    int max_pages = 0;
};

// Random arrivals in random slots and chunks; each text against itself alone.
void serve(const std::vector<Wanted>& wanted, PrefixCache& cache, std::uint64_t seed, Load& load) {
    Rng rng(seed);
    const int slots = 1 + to_int(rng.below(6));
    const int budget = rng.below(3) == 0 ? 0 : slots + to_int(rng.below(60));
    CachedBatch batch(cache);
    Engine engine(&batch, one_byte, static_cast<int>(vocabulary),
                  PlainScheduler(slots, budget, rng.below(4) == 0));
    std::vector<std::pair<int, const GeneratedText*>> sent;
    for (std::size_t i = 0;
         i < wanted.size() || engine.scheduler().running() + engine.scheduler().waiting() > 0;) {
        if (i < wanted.size() && rng.below(4) == 0) {
            const Wanted& w = wanted[i++];
            for (int s = 0; s < w.request.samples; ++s)
                sent.emplace_back(engine.add(w.prompt, w.request, s), &w.alone[index(s)]);
        } else {
            engine.step();
            load.max_pages = std::max(load.max_pages, cache.used());
        }
    }
    for (const auto& [text, alone] : sent) {
        const ServedText served = engine.take(text);
        ++load.texts, load.cached += served.cached;
        load.different += !test::same(served.text, *alone) || !served.error.empty();
    }
    load.preemptions += engine.preemptions();
}

}  // namespace

TEST_CASE("texts are what they are alone, in pools of any size, with known prefixes and without") {
    Load all;
    long forked = 0;  // known because a text that runs begins alike
    for (const int threads : {1, 2})
        for (const WeightType type : {WeightType::f32, WeightType::f16}) {
            Transformer gpt(five_pages(), random_weight, {threads, {}, type});
            Rng rng(26);
            std::vector<Wanted> wanted;
            for (int i = 0; i < 14; ++i) wanted.push_back(random_request(rng, gpt));
            for (const bool remembers : {true, false})
                for (const int pages : {6, 7, 9, 14, 0}) {
                    Load load;
                    PrefixCache cache(gpt, pages, remembers);
                    for (int round = 0; round < 2; ++round)  // the second finds the first
                        serve(wanted, cache, rng.next(), load);
                    INFO(pages << " pages, " << threads << " threads, remembers " << remembers);
                    REQUIRE(load.different == 0);
                    REQUIRE((pages == 0 || load.max_pages <= pages));
                    (remembers ? all.cached : forked) += load.cached;
                    all.texts += load.texts, all.preemptions += load.preemptions;
                    if (!remembers) REQUIRE(cache.used() == 0);
                    cache.forget_all();
                    REQUIRE(cache.used() == 0);
                }
        }
    REQUIRE(all.texts > 600);
    REQUIRE(all.preemptions > 50);
    REQUIRE(all.cached > 3 * forked / 2);
}

TEST_CASE("when two texts need a page and none is left, the younger gives its pages back") {
    Transformer gpt(five_pages(), random_weight, {1});
    PrefixCache cache(gpt, 6);
    CachedBatch batch(cache);
    Engine engine(&batch, one_byte, static_cast<int>(vocabulary), PlainScheduler(2));
    Rng rng(4);
    GenerateRequest r = request(200);
    r.stop.context = context, r.stop.eos = {};
    // Both have three pages when they come to token 193.
    const std::vector<int> a = random_ids(rng, 60), b = random_ids(rng, 60);
    const int older = engine.add(a, r), younger = engine.add(b, r);
    while (engine.step()) REQUIRE(cache.used() <= 6);
    REQUIRE(engine.preemptions() == 1);
    for (const auto& [text, prompt] : {std::pair(older, a), std::pair(younger, b)}) {
        CachedBatch fresh(gpt);
        const ServedText served = engine.take(text);
        REQUIRE(served.cached == 0);  // a text that is preempted has begun before
        REQUIRE(test::same(served.text, generate_texts(std::ref(fresh), one_byte, prompt, r)[0]));
    }
    r.stop.max_new_tokens = 261;  // 321 tokens, or the context of 320: five pages and a copy
    REQUIRE_NOTHROW(engine.add(a, r));
    PrefixCache small(gpt, 5);
    CachedBatch few(small);
    Engine refuses(&few, one_byte, static_cast<int>(vocabulary), PlainScheduler(2));
    REQUIRE_THROWS_WITH(refuses.add(a, r),
                        "engine: a text of up to 320 tokens needs 6 pages, and the cache has 5; "
                        "ask for fewer tokens, or give it more memory");
    r.stop.max_new_tokens = 1;
    REQUIRE_NOTHROW(refuses.add(a, r));
}
