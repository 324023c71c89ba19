// The generator on one screen, and the real one: the same tokens, the same text.
#include "tests/catch.hpp"

#include "chapters/08_penalties/full_chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/plain_generate.hpp"
#include "lib/core/rng.hpp"
#include "tests/support/scripted_models.hpp"

using namespace tbt;
using namespace tbt::test;

namespace {

struct Both {
    PlainText plain;
    GeneratedText real;
};

Both write_both(const NextLogits& model, const std::string& prompt, SamplingOptions options,
                int max_new_tokens, const std::vector<std::string>& stops, std::uint64_t seed) {
    GenerateRequest real = request(max_new_tokens, stops);
    real.chain = full_chain(options, Dialect::transformers), real.seed = seed;
    PlainRequest plain;
    plain.temperature = options.temperature, plain.top_p = options.top_p;
    plain.top_k = options.top_k, plain.max_new_tokens = max_new_tokens;
    plain.eos = eos, plain.stop_strings = stops;
    Rng rng(seed);
    plain.uniform = [&] { return rng.uniform(); };
    plain.decode = [](int id) { return std::string(one_byte(id)); };
    return {plain_generate(model, bytes_of(prompt), plain),
            generate_texts(one_at_a_time(model), one_byte, bytes_of(prompt), real)[0]};
}

}  // namespace

TEST_CASE("the generator on one screen writes what the real one writes") {
    int stopped = 0, several = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SamplingOptions o;
        const double temperatures[] = {0, .4, 1, 1.7}, ps[] = {.3, .8, 1};
        o.temperature = temperatures[seed % 4], o.top_p = ps[seed % 3];
        o.top_k = static_cast<int>(seed % 5);
        const auto [plain, real] = write_both(letters(), "say", o, 30, {"ab", "gg"}, seed);
        INFO("seed " << seed << ", T = " << o.temperature << ", k = " << o.top_k);
        REQUIRE(plain.ids == real.ids);
        REQUIRE(plain.text == real.text);
        stopped += real.reason == FinishReason::stop_string;
        several += real.ids.size() > 5;
    }
    CHECK(stopped > 5);
    CHECK(several > 20);
}

TEST_CASE("… and ends where the end-of-text token comes, or the tokens are used up") {
    for (const int most : {0, 3, 20}) {
        const auto [plain, real] = write_both(script(3, bytes_of("hello")), "say", {}, most, {}, 1);
        CHECK(plain.ids == real.ids);
        CHECK(plain.text == real.text);
    }
}
