// The pool with a limit, and the cache for everyone on a network: what is shared, what is copied,
// what is refused, and the same bits in all of it.
#include "tests/catch.hpp"

#include "chapters/10_generate/batch.hpp"
#include "lib/serve/prefix_cache.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

TransformerConfig long_config() {
    TransformerConfig config = small_config();
    config.n_positions = 320;
    return config;
}

std::vector<int> some_ids(std::size_t n, std::uint64_t seed) {
    Rng rng(seed);
    std::vector<int> ids(n);
    for (int& id : ids) id = to_int(rng.below(257));
    return ids;
}

std::vector<float> alone(Transformer& gpt, const std::vector<int>& ids) {
    KvCache cache(gpt.config());
    const std::span<const float> logits = gpt.forward(cache, ids);
    return {logits.begin(), logits.end()};
}

// Reads what is not known of a text; the logits after it.
std::vector<float> read(PrefixCache& cache, const std::vector<int>& ids, int known) {
    KvCache text = cache.start(ids);
    REQUIRE(text.length() == known);
    const std::span<const float> logits =
        cache.model().forward(text, std::span(ids).subspan(index(known)));
    cache.remember(ids, text);
    return {logits.begin(), logits.end()};
}

}  // namespace

TEST_CASE("a pool refuses what is above its limit, unless somebody gives a block back") {
    KvPool pool(long_config(), 2);
    const int a = pool.take(), b = pool.take();
    REQUIRE(a != b);
    REQUIRE_THROWS_WITH(
        pool.take(),
        "kv pool: all 2 blocks are in use; end a sequence, or give the cache more memory");
    pool.share(a);
    pool.release(a);
    REQUIRE(pool.owners(a) == 1);
    REQUIRE(pool.used() == 2);
    int asked = 0;
    pool.when_full([&] {
        if (++asked < 3) return true;  // it says so, and gives nothing
        pool.release(b);
        return true;
    });
    REQUIRE(pool.take() == b);
    REQUIRE(asked == 3);
    REQUIRE(pool.bytes() == 2 * pool.block_bytes());
    pool.release(a);
    REQUIRE_THROWS_WITH(pool.release(a), "kv pool: block 0 has no owner");
    for (const int nobody : {-1, 2, 1 << 30}) {
        REQUIRE_THROWS_AS(pool.share(nobody), Error);
        REQUIRE_THROWS_AS(pool.memory(nobody), Error);
    }
    REQUIRE_THROWS_AS(KvPool(long_config(), -1), Error);
}

TEST_CASE("a pool holds caches of one shape and one type only") {
    const auto pool = std::make_shared<KvPool>(long_config());
    REQUIRE_NOTHROW(KvCache(pool, long_config()));
    TransformerConfig other = long_config();
    other.cache_type = WeightType::f16;
    REQUIRE_THROWS_WITH(
        KvCache(pool, other),
        "kv cache: the pool was made for another model; make one from this model's configuration");
    other = long_config(), other.n_layer = 3;
    REQUIRE_THROWS_AS(KvCache(pool, other), Error);
    REQUIRE_THROWS_AS(KvCache(nullptr, long_config()), Error);
    KvCache cache(pool, long_config());
    const std::vector<int> taken = {pool->take()};
    REQUIRE_THROWS_AS(cache.begin_with(taken, 65), Error);
    REQUIRE_THROWS_AS(cache.begin_with(taken, 0), Error);
    REQUIRE_THROWS_AS(cache.begin_with(std::vector<int>{7}, 3), Error);
    REQUIRE(pool->owners(taken[0]) == 1);
}

TEST_CASE("a text starts after what is known, at every border of a page, with the same bits") {
    for (const WeightType type : {WeightType::f32, WeightType::f16}) {
        Transformer gpt(long_config(), random_weight, {1, {}, type});
        for (const std::size_t length : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u, 200u})
            for (const std::size_t common :
                 {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{65},
                  length - 1, length}) {
                if (common > length) continue;
                PrefixCache cache(gpt);
                const std::vector<int> first = some_ids(length, 1);
                std::vector<int> second = some_ids(length + 5, 2);
                std::copy_n(first.begin(), common, second.begin());
                second[common] = (first[std::min(common, length - 1)] + 1) % 257;
                INFO(length << " tokens, " << common << " in common");
                REQUIRE(read(cache, first, 0) == alone(gpt, first));
                const int known = static_cast<int>(common);
                REQUIRE(read(cache, second, known) == alone(gpt, second));
                REQUIRE(read(cache, first, static_cast<int>(length) - 1) == alone(gpt, first));
            }
    }
}

TEST_CASE("what is longest not used is forgotten when memory is needed, and read again") {
    Transformer gpt(long_config(), random_weight, {1});
    PrefixCache cache(gpt, 4);
    const std::vector<int> a = some_ids(100, 1), b = some_ids(100, 2), c = some_ids(100, 3);
    const auto bits_a = alone(gpt, a), bits_b = alone(gpt, b), bits_c = alone(gpt, c);
    REQUIRE(read(cache, a, 0) == bits_a);
    REQUIRE(read(cache, b, 0) == bits_b);
    REQUIRE(cache.remembered() == 4);
    REQUIRE(cache.known(a) == 99);  // now b is the older one
    REQUIRE(read(cache, c, 0) == bits_c);
    REQUIRE(cache.known(b) == 0);
    REQUIRE(read(cache, a, 99) == bits_a);
    REQUIRE(cache.used() <= 4);
    {
        const KvCache running = cache.start(a);
        REQUIRE(cache.has_room(2));
        REQUIRE_FALSE(cache.has_room(3));  // two pages run
    }
    REQUIRE(cache.has_room(4));
    REQUIRE_FALSE(cache.has_room(5));
}

TEST_CASE("sequences outlive the cache that they came from") {
    Transformer gpt(long_config(), random_weight, {1});
    const std::vector<int> ids = some_ids(100, 1);
    auto cache = std::make_unique<PrefixCache>(gpt, 2);
    KvCache text = cache->start(ids);
    gpt.forward(text, std::span(ids).first(90));
    cache->remember(ids, text);
    cache.reset();
    const std::span<const float> logits = gpt.forward(text, std::span(ids).subspan(90));
    REQUIRE(std::ranges::equal(logits, alone(gpt, ids)));
    PrefixCache other(gpt);
    REQUIRE_THROWS_AS(other.remember(ids, text), Error);
    REQUIRE_THROWS_AS(PrefixCache::pages_in(10, gpt.config()), Error);
    REQUIRE(PrefixCache::pages_in(10 * other.page_bytes() + 1, gpt.config()) == 10);
}

TEST_CASE("four beams share the pages of their prompt and have one more each") {
    Transformer gpt(long_config(), random_weight, {1});
    PrefixCache cache(gpt);
    CachedBatch batch(cache);
    std::vector<int> prompt = some_ids(200, 1);
    const BatchText one{0, prompt};
    batch({&one, 1});
    REQUIRE(cache.used() == 4);
    std::vector<std::vector<int>> beams(4, prompt);
    std::vector<BatchText> texts;
    for (std::size_t b = 0; b < 4; ++b) {
        beams[b].push_back(static_cast<int>(b));
        texts.push_back({b, beams[b]});
    }
    const auto rows = batch(texts);
    for (std::size_t b = 0; b < 4; ++b) REQUIRE(std::ranges::equal(rows[b], alone(gpt, beams[b])));
    REQUIRE(cache.used() == 3 + 4);  // apart they would have 16
    REQUIRE(batch.computed() == 200 + 4);
}

TEST_CASE("a turn of a chat reads what is new, also after another chat had the slot") {
    Transformer gpt(long_config(), random_weight, {1});
    PrefixCache cache(gpt);
    CachedBatch batch(cache);
    const auto turn = [&](const std::vector<int>& ids) {
        const long before = batch.computed();
        const BatchText text{0, ids};
        const std::vector<std::span<const float>> rows = batch({&text, 1});
        REQUIRE(std::ranges::equal(rows[0], alone(gpt, ids)));
        batch.release(0);
        return batch.computed() - before;
    };
    std::vector<int> chat = some_ids(90, 1);
    REQUIRE(turn(chat) == 90);
    REQUIRE(turn(some_ids(70, 2)) == 70);
    for (const int id : some_ids(20, 3)) chat.push_back(id);
    REQUIRE(turn(chat) == 20);
}

TEST_CASE("a batch without room for a pass refuses it, and goes on when there is") {
    Transformer gpt(long_config(), random_weight, {1});
    PrefixCache cache(gpt, 3);
    CachedBatch batch(cache);
    const std::vector<int> a = some_ids(100, 1), b = some_ids(100, 2);
    const std::vector<BatchText> both = {{0, a}, {1, b}};
    REQUIRE_FALSE(batch.has_room(both));
    REQUIRE_THROWS_AS(batch(both), Error);
    batch.release(1);
    REQUIRE(std::ranges::equal(batch({both.data(), 1})[0], alone(gpt, a)));
    batch.release(0);
    REQUIRE(std::ranges::equal(batch({both.data() + 1, 1})[0], alone(gpt, b)));
    REQUIRE(cache.used() <= 3);
}

TEST_CASE("where there is room for a pass, the pass has it, in any order of texts") {
    Transformer gpt(long_config(), random_weight, {1});
    Rng rng(58);
    const auto below = [&](std::size_t n) { return index(rng.below(n)); };
    int promised = 0, refused = 0;
    for (int order = 0; order < 60; ++order) {
        PrefixCache cache(gpt, 4 + static_cast<int>(below(6)));
        CachedBatch batch(cache);
        std::vector<std::vector<int>> written(4);
        for (int pass = 0; pass < 20; ++pass) {
            // Some of the slots go on, begin anew with a beginning that others may have, or end.
            std::vector<BatchText> texts;
            for (std::size_t slot = 0; slot < written.size(); ++slot) {
                std::vector<int>& ids = written[slot];
                if (below(8) == 0) batch.release(slot), ids.clear();
                if (below(3) == 0) continue;
                if (ids.empty()) ids = some_ids(1 + below(150), below(3));
                for (std::size_t more = below(5); more-- > 0;)
                    ids.push_back(static_cast<int>(below(2)));
                if (ids.size() > 250) ids.resize(100);  // back, as after rejected guesses
                texts.push_back({slot, ids, std::min(1 + below(4), ids.size())});
            }
            if (texts.empty()) continue;
            if (!batch.has_room(texts)) {
                ++refused;
                batch.release(texts[0].slot), written[texts[0].slot].clear();
                continue;
            }
            ++promised;
            REQUIRE_NOTHROW(batch(texts));
            REQUIRE(cache.used() <= cache.limit());
        }
    }
    REQUIRE(promised > 300);
    REQUIRE(refused > 100);
}
