#include "chapters/24_which_decoder/settings.hpp"

#include <functional>
#include <tuple>

#include "chapters/06_combining/chain.hpp"
#include "chapters/08_penalties/full_chain.hpp"
#include "lib/core/error.hpp"
#include "lib/show/short_number.hpp"

namespace tbt {

Chain Setting::chain() const { return full_chain(options, Dialect::ours); }

Mixture Setting::mixture() const {
    if (options.xtc_probability == 0) return {{1, chain()}};
    SamplingOptions heads = options, tails = options;
    heads.xtc_probability = 1;
    tails.xtc_probability = 0;
    return {{options.xtc_probability, full_chain(heads, Dialect::ours)},
            {1 - options.xtc_probability, full_chain(tails, Dialect::ours)}};
}

namespace {

using Set = std::function<void(SamplingOptions&, double)>;

// A decoder at T = 1 over its range; with `hot`, some of them at T = 1.5 too.
void add(std::vector<Setting>& all, const std::string& decoder, const std::vector<double>& range,
         const Set& set, const std::vector<double>& hot = {}) {
    for (const double temperature : {1.0, 1.5})
        for (const double value : temperature == 1 ? range : hot) {
            Setting s{decoder, short_number(value) + (temperature == 1 ? "" : ", T 1.5"), {}};
            s.options.temperature = temperature;
            set(s.options, value);
            all.push_back(s);
        }
}

// Against an amateur (chapter 23) and against early layers (DoLa).
void add_contrasts(std::vector<Setting>& all) {
    const auto push = [&](const char* decoder, const char* amateur, double strength,
                          double plausible) {
        Setting s{decoder, "", {}};
        s.amateur = amateur;
        s.contrast = {strength, plausible};
        s.value =
            strength == 0 ? amateur : short_number(strength) + ", α " + short_number(plausible);
        all.push_back(s);
    };
    for (const auto& [strength, plausible] :
         {std::pair{0.2, 0.1}, {0.5, 0.1}, {1.0, 0.1}, {0.2, 0.01}, {0.5, 0.01}})
        push("contrast, β", "sketch", strength, plausible);
    for (const char* layers : {"low", "high"}) push("DoLa", layers, 0, 0.1);
}

std::vector<Setting> all_settings() {
    using O = SamplingOptions;
    std::vector<Setting> all;
    Setting greedy{"greedy", "", {}};
    greedy.options.temperature = 0;
    all.push_back(greedy);
    add(all, "temperature", {0.3, 0.5, 0.7, 0.8, 0.9, 1, 1.1, 1.2, 1.5},
        [](O& o, double v) { o.temperature = v; });
    add(all, "top-k", {2, 5, 10, 20, 40, 100},
        [](O& o, double v) { o.top_k = static_cast<int>(v); }, {10, 40});
    add(all, "top-p", {0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995},
        [](O& o, double v) { o.top_p = v; }, {0.9, 0.98});
    add(all, "T 0.8 and top-p", {0.8, 0.9, 0.95, 0.98}, [](O& o, double v) {
        o.temperature = 0.8;
        o.top_p = v;
    });
    add(all, "min-p", {0.5, 0.3, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005},
        [](O& o, double v) { o.min_p = v; }, {0.1, 0.02});
    add(all, "typical-p", {0.5, 0.8, 0.9, 0.95, 0.99}, [](O& o, double v) { o.typical_p = v; },
        {0.9});
    add(all, "epsilon", {0.1, 0.02, 0.01, 0.003, 0.001},
        [](O& o, double v) { o.epsilon_cutoff = v; }, {0.01});
    add(all, "eta", {0.1, 0.02, 0.01, 0.003, 0.001}, [](O& o, double v) { o.eta_cutoff = v; },
        {0.01});
    add(all, "top-nσ", {0.5, 1, 2, 3}, [](O& o, double v) { o.top_n_sigma = v; }, {1});
    add(all, "XTC 0.1", {0.1, 0.5}, [](O& o, double v) { o.xtc_probability = v; });
    add(all, "mirostat 2, τ", {1, 2, 3, 5}, [](O& o, double v) {
        o.mirostat = 2;
        o.mirostat_tau = v;
    });
    add(all, "repetition", {1.05, 1.1, 1.2, 1.5}, [](O& o, double v) { o.repetition_penalty = v; });
    add(all, "frequency", {0.2, 0.5}, [](O& o, double v) { o.frequency_penalty = v; });
    add(all, "presence", {0.2, 0.5}, [](O& o, double v) { o.presence_penalty = v; });
    add(all, "no-repeat n-gram", {3, 4},
        [](O& o, double v) { o.no_repeat_ngram_size = static_cast<int>(v); });
    for (const Preset& preset : presets())
        all.push_back({"preset", std::string(preset.name), preset.options});
    // What one guide prints; our presets creative and balanced once had these values.
    for (const auto& [what, temperature, top_p, repetition] :
         {std::tuple{"stories", 1.2, 0.95, 1.3}, {"general text", 0.8, 0.9, 1.2}}) {
        Setting guide{"guide", what, {}};
        guide.options.temperature = temperature;
        guide.options.top_p = top_p;
        guide.options.repetition_penalty = repetition;
        all.push_back(guide);
    }
    add_contrasts(all);
    for (const int beams : {1, 2, 4, 8, 16, 32, 64})
        all.push_back({"beams", std::to_string(beams), {}, beams});
    for (const int beams : {4, 16}) {
        Setting drawn{"beams, drawn", std::to_string(beams), {}, beams};
        drawn.drawn_beams = true;
        all.push_back(drawn);
    }
    Setting exact{"best of all", "", {}, 16};
    exact.exact = true;
    all.push_back(exact);
    return all;
}

}  // namespace

std::vector<Setting> settings(const std::string& decoder) {
    std::vector<Setting> chosen;
    std::string names;
    for (Setting& s : all_settings()) {
        const std::string name = "'" + s.decoder + "'";
        if (names.find(name) == std::string::npos) names += (names.empty() ? "" : ", ") + name;
        if (decoder.empty() || s.decoder == decoder) chosen.push_back(std::move(s));
    }
    if (chosen.empty())
        throw UsageError("--decoder: got '" + decoder + "', expected one of: " + names);
    return chosen;
}

std::vector<Setting> fill_settings() {
    std::vector<Setting> all;
    for (const char* name : {"greedy ", "temperature 0.7", "temperature 1"})
        for (Setting& s : all_settings())
            if (s.name() == name) {
                s.value = s.decoder + (s.value.empty() ? "" : " ") + s.value;
                s.decoder = "left to right";
                all.push_back(std::move(s));
            }
    for (const char* order : {"random", "confidence"})
        for (const int passes : {0, 16, 8, 4, 2, 1}) {
            Setting s{std::string("diffusion, ") + order,
                      passes == 0   ? "one a pass"
                      : passes == 1 ? "1 pass"
                                    : std::to_string(passes) + " passes",
                      {}};
            s.fill = FillOptions{};
            s.fill->order = order;
            s.fill->steps = passes;
            all.push_back(s);
        }
    return all;
}

std::vector<Setting> few_settings() {
    std::vector<Setting> few;
    for (Setting& s : all_settings())
        for (const char* name :
             {"greedy ", "temperature 0.7", "temperature 1", "temperature 1.5", "top-k 10",
              "top-p 0.9", "top-p 0.99", "min-p 0.05", "repetition 1.2"})
            if (s.name() == name) few.push_back(std::move(s));
    return few;
}

}  // namespace tbt
