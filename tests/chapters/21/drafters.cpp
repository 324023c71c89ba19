// Part 4 of the program, which draws at temperatures of its own.
#include "tests/catch.hpp"

#include "chapters/10_generate/options.hpp"
#include "chapters/21_medusa/demo.hpp"

using namespace tbt;

TEST_CASE("part 4 has its own temperatures, whatever else is said about how to draw") {
    std::vector<GenerateOptions> given(7);
    given[1].greedy = true;
    given[2].do_sample = true;
    given[3].preset = "creative";
    given[4].watermark = 7;
    given[5].mirostat = 2;
    given[6].temperature = 1.5, given[6].top_p = .5, given[6].dynatemp_range = 1;
    for (GenerateOptions& options : given) {
        options.repetition_penalty = 1.2;
        for (const double temperature : {0.0, 0.8, 1.2}) {
            const SamplingOptions s = sampling_of(drawn_at(temperature, options));
            CHECK(s.temperature == temperature);
            CHECK(s.top_p == (temperature > 0 ? .9 : 1));
            CHECK(s.mirostat == 0);
            CHECK(s.dynatemp_range == 0);
            CHECK(s.repetition_penalty == 1.2);
            CHECK_FALSE(drawn_at(temperature, options).watermark.has_value());
        }
    }
}
