// The promises of the library for today's architectures: logits depend on the tokens and the
// weights alone, to the last bit. On the thirteen small models of the reference data, whose prompts
// here are longer than their windows.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/model_config.hpp"
#include "lib/serve/prefix_cache.hpp"
#include "tests/lib/logits.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::part;
using test::Reference;
using test::Way;

namespace {

const char* const names[] = {"tiny-llama",        "tiny-llama-bf16-sharded",
                             "tiny-llama3",       "tiny-qwen2",
                             "tiny-qwen3",        "tiny-qwen2-window",
                             "tiny-smollm2",      "tiny-smollm3",
                             "tiny-gemma3",       "tiny-mistral",
                             "tiny-gemma3-types", "tiny-phi3",
                             "tiny-olmo2",        "tiny-qwen3-yarn",
                             "tiny-gemma2",       "tiny-granite",
                             "tiny-olmo3",        "tiny-gpt-neo",
                             "tiny-gpt-neox",     "tiny-phi3-longrope",
                             "tiny-qwen3-moe",    "tiny-mixtral",
                             "tiny-gpt-oss"};
constexpr int length = 100;

constexpr Way ways[] = {{WeightType::f32},
                        {WeightType::f16, WeightType::f16},
                        {WeightType::bf16},
                        {WeightType::int8},
                        {WeightType::int4, WeightType::f16}};

Transformer model_of(const std::string& name, const Way& way, int threads) {
    return load_transformer("tests/data/" + name, way.options(threads));
}

std::vector<int> some_text(std::uint64_t seed) { return test::random_ids(length, 97, seed); }

Reference reference_of(const std::string& name, const Way& way, const std::vector<int>& ids) {
    return {model_of(name, way, 1), ids};
}

}  // namespace

// A model that reads pictures: the text model is in text_config, and other names begin the weights.
TEST_CASE("of a model that reads pictures the text model opens, with its bits", "[architectures]") {
    const std::vector<int> ids = some_text(3);
    const std::string plain = "tests/data/tiny-gemma3";
    const Reference reference = reference_of("tiny-gemma3", {WeightType::f32}, ids);
    const Safetensors file = Safetensors::open_directory(plain);
    const Json text = read_json(plain + "/config.json");
    std::vector<float> picture(6, 0.5f);
    for (const auto& [head, model, vision] :
         {std::tuple{"language_model.", "language_model.model.", "vision_tower."},
          {"", "model.language_model.", "model.vision_tower."}}) {
        const test::TemporaryFolder folder;
        std::vector<TensorToWrite> tensors{{vision + std::string("a.weight"), {2, 3}, picture}};
        std::vector<Tensor> kept;
        for (const auto& [name, tensor] : file.tensors()) {
            kept.push_back(file.read(name, tensor.shape));
            const std::string stored =
                name.starts_with("model.") ? model + name.substr(6) : head + name;
            tensors.push_back({stored, tensor.shape, {}});
            INFO(stored);
            CHECK(weight_name(stored) == name);
        }
        for (std::size_t i = 0; i < kept.size(); ++i) tensors[i + 1].values = kept[i].values();
        write_safetensors(folder.file("model.safetensors"), tensors);
        Json whole = {{"model_type", "gemma3"}, {"text_config", text}, {"eos_token_id", 7}};
        whole["vision_config"] = {{"hidden_size", 3}};
        whole["text_config"].erase("model_type"), whole["text_config"].erase("eos_token_id");
        write_file(folder.file("config.json"), json_text(whole));
        Transformer transformer = load_transformer(folder.path());
        CHECK(transformer.config().eos_token_ids == std::vector{7});
        CHECK(test::all_logits(transformer, ids) == reference.rows);
    }
}

TEST_CASE("every architecture has the same bits token by token, in pieces and with three threads",
          "[architectures][contract]") {
    const test::FullTeams full;
    const std::vector<int> ids = some_text(1);
    for (const std::string name : names)
        for (const Way& way : ways) {
            const Reference reference = reference_of(name, way, ids);
            Transformer model = model_of(name, way, 3);
            int wrong = 0;
            for (const int piece : {1, 7, 17, 64}) {
                KvCache cache(model.config());
                for (int t = 0; t < length; t += piece) {
                    const int end = std::min(length, t + piece);
                    wrong += !reference.is_row(end - 1, model.forward(cache, part(ids, t, end)));
                }
            }
            INFO(name << ", " << way.name());
            CHECK(wrong == 0);
        }
}

TEST_CASE("every architecture has the same bits in a batch as alone", "[architectures][contract]") {
    const test::FullTeams full;
    const std::vector<int> a = some_text(1), b = some_text(2);
    for (const std::string name : names)
        for (const Way& way : ways) {
            const Reference of_a = reference_of(name, way, a), of_b = reference_of(name, way, b);
            Transformer model = model_of(name, way, 2);
            KvCache first(model.config()), second(model.config());
            model.forward(first, part(a, 0, 37));
            const Step steps[] = {{&first, part(a, 37, 60)}, {&second, part(b, 0, 90)}};
            const Logits logits = model.forward(steps);
            INFO(name << ", " << way.name());
            CHECK(of_a.is_row(59, logits.row(0)));
            CHECK(of_b.is_row(89, logits.row(1)));
        }
}

// Two texts with 80 tokens in common: a page, and a part of the next, both longer than windows.
TEST_CASE("every architecture goes on from pages that another text left, in the same bits",
          "[architectures][contract]") {
    const test::FullTeams full;
    const std::vector<int> a = some_text(1), other = some_text(2);
    std::vector<int> b = a;
    std::copy(other.begin() + 80, other.end(), b.begin() + 80);
    b[80] = (a[80] + 1) % 97;
    for (const std::string name : names)
        for (const Way& way : ways) {
            const Reference of_a = reference_of(name, way, a), of_b = reference_of(name, way, b);
            Transformer model = model_of(name, way, 2);
            PrefixCache cache(model, 4);
            {
                KvCache first = cache.start(a);
                model.forward(first, a);
                cache.remember(a, first);
            }
            INFO(name << ", " << way.name());
            KvCache second = cache.start(b);
            CHECK(second.length() == 80);
            CHECK(of_b.is_row(length - 1, model.forward(second, part(b, 80, length))));
            KvCache third = cache.start(a);
            CHECK(third.length() == length - 1);
            CHECK(of_a.is_row(length - 1, model.forward(third, part(a, length - 1, length))));
        }
}

TEST_CASE("every architecture reads the branch of a tree as it would read the text, and keeps it",
          "[architectures][contract][tree]") {
    const test::FullTeams full;
    const std::vector<int> ids = some_text(1), parents = {-1, -1, 0, 1, 1, 3};
    const std::vector<int> branch = {1, 3, 5};  // the others are guesses beside it
    for (const std::string name : names)
        for (const Way& way : ways) {
            const Reference reference = reference_of(name, way, ids);
            Transformer model = model_of(name, way, 2);
            for (const int known : {0, 20, 62}) {
                INFO(name << ", " << way.name() << ", known " << known);
                const std::vector<int> next(ids.begin() + known, ids.begin() + known + 3);
                const int other = next[1] == 0 ? 3 : next[1] - 1;
                const std::vector<int> tokens = {
                    (next[0] + 1) % 97, next[0], 5, next[1], other, next[2]};
                KvCache cache(model.config());
                if (known > 0) model.forward(cache, part(ids, 0, known));
                const Step step{&cache, tokens, true, parents};
                const Logits logits = model.forward({&step, 1});
                for (int i = 0; i < 3; ++i)
                    CHECK(reference.is_row(known + i,
                                           logits.row(branch[static_cast<std::size_t>(i)])));
                cache.commit(branch);
                CHECK(reference.is_row(known + 9,
                                       model.forward(cache, part(ids, known + 3, known + 10))));
            }
        }
}

TEST_CASE("a watch sees shares that sum to one, and nothing before a window", "[architectures]") {
    Transformer model = model_of("tiny-mistral", {WeightType::f32}, 1);  // window 16
    AttentionWatch watch{1, 3};
    model.watch(&watch);
    KvCache cache(model.config());
    model.forward(cache, some_text(1));
    REQUIRE(watch.rows.size() == length);
    for (int t = 0; t < length; ++t) {
        const std::vector<float>& shares = watch.rows[static_cast<std::size_t>(t)];
        REQUIRE(static_cast<int>(shares.size()) == t + 1);
        double sum = 0;
        for (int u = 0; u <= t; ++u) {
            const float share = shares[static_cast<std::size_t>(u)];
            CHECK((share > 0) == (u > t - 16));
            sum += static_cast<double>(share);
        }
        CHECK(std::abs(sum - 1) <= 1e-6);  // sixteen roundings of numbers up to 1
    }
}

TEST_CASE("two query heads that read one head of keys do as with a copy each", "[architectures]") {
    // The weights of k and v of the second model hold each head of the first twice.
    const TransformerConfig grouped = llama_config(2, 4, 2, 64, 96, 128, 97),
                            copied = llama_config(2, 4, 4, 64, 96, 128, 97);
    const WeightSource source = random_weights(grouped, 3);
    const WeightSource twice = [&](const std::string& name, const Shape& shape) {
        if (name.find("k_proj") == std::string::npos && name.find("v_proj") == std::string::npos)
            return source(name, shape);
        const Tensor w = source(name, {32, 64});
        Tensor both(shape);
        for (std::int64_t row = 0; row < 64; ++row)
            std::copy_n(w.data() + (row / 32 * 16 + row % 16) * 64, 64, both.data() + row * 64);
        return both;
    };
    Transformer a(grouped, source), b(copied, twice);
    KvCache of_a(a.config()), of_b(b.config());
    const std::vector<int> ids = some_text(5);
    const std::span<const float> x = a.forward(of_a, ids), y = b.forward(of_b, ids);
    CHECK(std::ranges::equal(x, y));
    CHECK(KvCache::bytes_per_token(grouped) == 2 * 2 * 2 * 16 * 4);  // half of the other's
    CHECK(KvCache::bytes_per_token(copied) == 2 * KvCache::bytes_per_token(grouped));
}

TEST_CASE("ids that the tokenizer has no text for are never chosen", "[architectures]") {
    Transformer model = model_of("tiny-qwen2", {WeightType::f32}, 2);
    KvCache cache(model.config());
    const std::vector<int> ids = some_text(1);
    const std::span<const float> all = model.forward(cache, ids);
    std::vector<float> expected = test::copied(all);
    std::fill(expected.begin() + 90, expected.end(), -std::numeric_limits<float>::infinity());
    model.mask_ids_from(90);
    cache.clear();
    CHECK(std::ranges::equal(model.forward(cache, ids), expected));
    CHECK(test::error_of([&] { model.mask_ids_from(98); }) ==
          "transformer: 98 ids with a text, expected 1 to 97");
    CHECK(test::error_of([&] { model.mask_ids_from(0); }) != "");
}
