// Your own generator: the storyteller (lib/core) with what you have written in ten exercises. Each
// exercise that is written switches a part on; 10_01 and 12_01 work with ARGS="--guesses 4".
// Change what you like here, too. The exercises are included by <…>: they are your files, or, for
// the tests, the solutions.
//
// Run it: make mine PROMPT="The old clock" ARGS="--top-k 40 --stop END"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <01_01_loop.hpp>
#include <02_01_argmax.hpp>
#include <03_01_softmax.hpp>
#include <03_02_draw.hpp>
#include <04_01_top_k.hpp>
#include <05_01_top_p.hpp>
#include <06_01_chain.hpp>
#include <09_01_stop_string.hpp>
#include <10_01_when_over.hpp>
#include <12_01_round.hpp>
#include "chapters/02_greedy/greedy.hpp"
#include "chapters/07_kv_cache/cached_model.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/rng.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"

using namespace tbt;

namespace {

struct Request {
    std::string prompt = "Once upon a time", stop;
    double temperature = 0.8, top_p = 0.9;
    int top_k = 0, max_new_tokens = 200, guesses = 0;
    std::uint64_t seed = 0;
};

// Is this part written? What it returns or refuses here is of no interest.
bool written(const std::function<void()>& part) {
    try {
        part();
    } catch (const NotWritten&) {
        return false;
    } catch (const std::exception&) {
    }
    return true;
}

struct Part {
    const char* exercise;
    const char* what;
    bool is_written;
};

std::vector<Part> parts() {
    const std::vector<float> s{1, 2};
    ex09_01::Stream stream{"x", "", false};
    return {{"01_01", "the loop", written([] { ex01_01::write_on({}, {}, {}, 0, -1); })},
            {"02_01", "the most probable token", written([&] { ex02_01::best_token(s); })},
            {"03_01", "temperature", written([&] { ex03_01::probabilities(s, 1); })},
            {"03_02", "the draw", written([] {
                 ex03_02::spin({1, 1}, 0);
             })},
            {"04_01", "top-k", written([&] { ex04_01::keep_k(s, 1); })},
            {"05_01", "top-p", written([] {
                 ex05_01::nucleus({.5, .5}, 1);
             })},
            {"06_01", "the chain", written([] { ex06_01::run(ex06_01::in_order({}, {}), {1}); })},
            {"09_01", "stop strings", written([&] { ex09_01::push(stream, "a"); })},
            {"10_01", "when it is over", written([] {
                 ex10_01::end_of({}, {{}, 1, 2});
             })},
            {"12_01", "guessing ahead", written([] {
                 const auto half = [](const std::vector<int>&) { return std::vector{.5, .5}; };
                 ex12_01::speculate(half, half, {}, 1, {0, 0, 0});
             })}};
}

// What you have written so far, as a generator.
class Generator {
public:
    Generator(const Request& request, const std::vector<Part>& parts)
        : r_(request),
          parts_(parts),
          random_(request.seed),
          stream_{request.stop, "", false},
          model_(load_gpt(model_directory("storyteller"))),
          read_(model_.gpt) {}

    void write() {
        need("01_01");
        const std::vector<int> prompt = encode_prompt(model_, r_.prompt);
        text_.ids = prompt, text_.prompt_length = to_int(prompt.size());
        std::fputs(r_.prompt.c_str(), stdout);
        if (r_.guesses > 0) write_with_guesses();
        else
            ex01_01::write_on([&](const std::vector<int>& ids) { return logits(read_, ids); },
                              [&](const std::vector<float>& row) { return take(pick(row)); },
                              prompt, std::min(r_.max_new_tokens, context() - text_.prompt_length),
                              eos());
        if (has("09_01") && !r_.stop.empty()) std::fputs(ex09_01::finish(stream_).c_str(), stdout);
        std::printf("\n");
    }

private:
    bool has(std::string_view exercise) const {
        return std::any_of(parts_.begin(), parts_.end(),
                           [&](const Part& p) { return p.exercise == exercise && p.is_written; });
    }
    void need(const std::string& exercise) const {
        if (!has(exercise))
            throw Error("your generator needs exercise " + exercise +
                        ": make check EX=" + exercise);
    }
    int eos() const { return model_.tokenizer.eos_id(); }
    int context() const { return model_.config().n_positions; }
    static std::vector<float> logits(CachedModel<Gpt>& read, const std::vector<int>& ids) {
        const std::span<const float> row = read(ids);
        return {row.begin(), row.end()};
    }

    // The chain: top-k and top-p, as far as they are written, as steps on a row of logits.
    std::vector<float> chosen_from(const std::vector<float>& row) const {
        std::vector<ex06_01::Step> steps;
        const double T = r_.temperature, P = r_.top_p;
        if (has("04_01") && r_.top_k > 0)
            steps.push_back({"top-k", [&](const auto& s) { return ex04_01::keep_k(s, r_.top_k); }});
        if (has("03_01") && has("05_01") && P < 1)
            steps.push_back({"top-p", [T, P](std::vector<float> s) {
                                 const auto kept =
                                     ex05_01::nucleus(ex03_01::probabilities(s, T), P);
                                 for (std::size_t i = 0; i < s.size(); ++i)
                                     if (kept[i] == 0) s[i] = ex06_01::gone;
                                 return s;
                             }});
        if (has("06_01"))
            return ex06_01::run(ex06_01::in_order({"top-k", "top-p"}, steps), row).row;
        std::vector<float> s = row;
        for (const ex06_01::Step& step : steps) s = step.apply(s);
        return s;
    }
    std::vector<double> distribution(const std::vector<float>& row) const {
        return ex03_01::probabilities(chosen_from(row), r_.temperature);
    }
    int pick(const std::vector<float>& row) {
        if (!has("03_01") || !has("03_02") || r_.temperature == 0)
            return has("02_01") ? ex02_01::best_token(row)
                                : argmax(row);  // ours until yours is there
        const std::vector<double> p = distribution(row);
        std::vector<std::uint64_t> notches;
        for (const double p_i : p)
            notches.push_back(static_cast<std::uint64_t>(std::nearbyint(std::ldexp(p_i, 40))));
        return ex03_02::spin(notches, random_.uniform());
    }
    // Shows a token that was chosen, and says what follows: the token, or the end of the text.
    int take(int id) {
        text_.ids.push_back(id);
        if (id == eos() || stream_.stopped) return eos();
        const std::string bytes(model_.tokenizer.token_bytes(id));
        const bool stops = has("09_01") && !r_.stop.empty();
        std::fputs((stops ? ex09_01::push(stream_, bytes) : bytes).c_str(), stdout);
        std::fflush(stdout);
        text_.stop_string_seen = stream_.stopped;
        return stream_.stopped ? eos() : id;
    }
    bool over() const {
        const ex10_01::Limits limits{{eos()}, r_.max_new_tokens, context() - r_.guesses};
        return ex10_01::end_of(text_, limits) != ex10_01::End::not_yet;
    }
    void write_with_guesses() {
        need("03_01"), need("10_01"), need("12_01");
        GptModel sketch = load_gpt(model_directory("sketch"));
        CachedModel<Gpt> draft(sketch.gpt);
        const auto after = [&](CachedModel<Gpt>& read) {
            return [this, &read](const std::vector<int>& ids) {
                return distribution(logits(read, ids));
            };
        };
        while (!over()) {
            std::vector<double> u(2 * static_cast<std::size_t>(r_.guesses) + 1);
            for (double& x : u) x = random_.uniform();
            const std::vector<int> longer =
                ex12_01::speculate(after(read_), after(draft), text_.ids, r_.guesses, u);
            for (std::size_t i = text_.ids.size(); i < longer.size() && !over(); ++i)
                take(longer[i]);
        }
    }

    Request r_;
    std::vector<Part> parts_;
    Rng random_;
    ex09_01::Stream stream_;
    ex10_01::Text text_;
    GptModel model_;
    CachedModel<Gpt> read_;
};

}  // namespace

int main(int argc, char** argv) {
    Request r;
    return run_program(
        argc, argv, "Your own generator, of what you have written in the exercises.",
        [&](CommandLine line) {
            line.option("prompt", r.prompt, "the text to continue").shows_default();
            line.option("--temperature", r.temperature, "03").shows_default();
            line.option("--top-k", r.top_k, "04; 0: off").shows_default();
            line.option("--top-p", r.top_p, "05; 1: off").shows_default();
            line.option("--stop", r.stop, "09: the text ends before this");
            line.option("-n", r.max_new_tokens, "at most this many new tokens").shows_default();
            line.option("--guesses", r.guesses, "12: tokens that the sketch guesses ahead");
            line.option("--seed", r.seed, "of the random numbers").shows_default();
        },
        [&] {
            const std::vector<Part> mine = parts();
            for (const Part& p : mine)
                std::fprintf(stderr, "%s %s  %s\n", p.is_written ? "[x]" : "[ ]", p.exercise,
                             p.what);
            Generator(r, mine).write();
        });
}
