#include "training_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <numbers>

#include <unistd.h>

#include "../../lib/terminal.hpp"
#include "../../lib/train/fma_peak.hpp"
#include "export.hpp"

namespace tbt {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// The first signal ends the loop after the current step, a second one ends the program.
void request_stop(int signal) {
    stop_requested = 1;
    std::signal(signal, SIG_DFL);
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

std::string duration(double seconds) {
    const auto s = static_cast<long long>(std::max(0.0, seconds));
    char text[32];
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

// One line on stderr: rewritten each step on a terminal, a new one every 30 s elsewhere.
class Progress {
public:
    Progress(const Training& training, double peak) : training_(training), peak_(peak), flops_(0), terminal_(isatty(STDERR_FILENO) != 0) {}

    void step(double loss, double seconds, double flops_per_token) {
        flops_ = flops_per_token;
        const double tokens = static_cast<double>(training_.options().batch * training_.options().shape.context);
        const double bits = loss * tokens / std::numbers::ln2 / static_cast<double>(std::max<std::int64_t>(1, training_.last_bytes()));
        const auto smooth = [this](double& mean, double value) { mean = count_ == 0 ? value : 0.95 * mean + 0.05 * value; };
        smooth(loss_, loss);
        smooth(bits_, bits);
        smooth(rate_, tokens / seconds);
        ++count_;
        if (terminal_ || now() - shown_ > 30) show();
    }

    void show() {
        shown_ = now();
        const double done = static_cast<double>(training_.steps_done()), all = static_cast<double>(training_.options().steps);
        const double left = (all - done) * static_cast<double>(training_.options().batch * training_.options().shape.context) / rate_;
        std::fprintf(stderr, "%sstep %lld/%lld %s%s loss %.4f  %.4f bits/byte  %.0f tokens/s (%.0f %% of peak)  %s left%s",
                     terminal_ ? "\r\x1b[K" : "", static_cast<long long>(training_.steps_done()), static_cast<long long>(training_.options().steps),
                     terminal_ ? bar(done / all, 20).c_str() : "", terminal_ ? " " : "", loss_, bits_, rate_, 100 * rate_ * flops_ / peak_,
                     duration(left).c_str(), terminal_ ? "" : "\n");
        std::fflush(stderr);
    }

    // Before anything else is printed.
    void end_line() {
        if (count_ == 0) return;
        show();
        if (terminal_) std::fputc('\n', stderr);
    }

private:
    const Training& training_;
    double peak_, flops_;
    bool terminal_;
    double loss_ = 0, bits_ = 0, rate_ = 1, shown_ = 0;
    std::int64_t count_ = 0;
};

void print_profile(const train::Profile& p, double seconds) {
    std::fprintf(stderr, "profile (share of the time): forward %.1f %%, attention %.1f %%, head %.1f %%, backward %.1f %%, its attention %.1f %%, "
                 "weight gradients %.1f %%, packing %.1f %%\n",
                 100 * p.forward / seconds, 100 * p.attention / seconds, 100 * p.head / seconds, 100 * p.backward / seconds,
                 100 * p.attention_backward / seconds, 100 * p.weights / seconds, 100 * p.pack / seconds);
}

// What the loop carries from step to step.
struct Loop {
    Training& training;
    const Corpus& corpus;
    const Tokenizer& tokenizer;
    const LoopOptions& options;
    Validation validation;
    std::vector<GenreResult> results;
    GenreResult total;
    double nats = 0;  // since the last point of the curve
    std::int64_t bytes = 0, steps = 0;
    double step_seconds = 0;
    std::int64_t run_tokens = 0;

    void validate() {
        auto& model = training.model();
        results = validation.run([&](const auto& ids, const auto& targets, std::int64_t B, std::int64_t T) { return model.losses(ids, targets, B, T); },
                                 training.options().shape.context);
        total = validation.total(results);
    }

    void add_point(bool validated) {
        CurvePoint point{training.steps_done(), training.tokens_done(), 0, training.last_rate(), training.seconds, {}};
        if (bytes > 0) point.bits_per_byte = nats / std::numbers::ln2 / static_cast<double>(bytes);
        if (validated) {
            point.validation.push_back(total.bits_per_byte());
            for (const GenreResult& r : results) point.validation.push_back(r.documents > 0 ? r.bits_per_byte() : 0);
        }
        training.curve.push_back(std::move(point));
        nats = 0;
        bytes = steps = 0;
    }

    void save() {
        training.save(checkpoint_path(options.out));
        ExportInfo info{options.corpus_folder, options.half, results, total, step_seconds > 0 ? static_cast<double>(run_tokens) / step_seconds : 0};
        export_model(training, corpus, tokenizer, options.out, info);
    }
};

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& directory) { return directory / "checkpoint"; }

bool run_training(Training& training, const Corpus& corpus, const Tokenizer& tokenizer, const LoopOptions& options) {
    stop_requested = 0;
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    Loop loop{training, corpus, tokenizer, options, Validation(corpus, tokenizer, validation_seed, options.validation_documents), {}, {}};
    const std::int64_t last = training.options().steps, tokens = training.options().batch * training.options().shape.context;
    const std::int64_t point_every = std::max<std::int64_t>(1, std::min(options.validate_every, last / 200));
    const double peak = train::fma_peak(training.options().threads), flops = training.model().flops_per_token(training.options().shape.context);
    std::fprintf(stderr, "%lld parameters; %lld tokens a step, %.3g floating-point operations a token; this machine's peak is %.0f GF/s\n",
                 static_cast<long long>(training.model().layout().count()), static_cast<long long>(tokens), flops, peak / 1e9);
    Progress progress(training, peak);
    const double start = now();
    double mark = start, saved = start;
    training.model().profile = {};
    while (training.steps_done() < last && !stop_requested && (options.minutes <= 0 || now() - start < options.minutes * 60)) {
        const double before = now();
        const double loss = training.step();
        const double seconds = now() - before;
        loop.step_seconds += seconds;
        loop.run_tokens += tokens;
        loop.nats += loss * static_cast<double>(tokens);
        loop.bytes += training.last_bytes();
        progress.step(loss, seconds, flops);
        training.seconds += now() - mark;
        mark = now();
        const bool validate = training.steps_done() % options.validate_every == 0 && training.steps_done() < last;
        if (validate) {
            loop.validate();
            progress.end_line();
            std::fprintf(stderr, "step %lld: held out %.4f bits/byte, floor %.4f\n", static_cast<long long>(training.steps_done()),
                         loop.total.bits_per_byte(), loop.total.floor());
        }
        if (validate || training.steps_done() % point_every == 0) loop.add_point(validate);
        if (now() - saved > options.checkpoint_minutes * 60) {
            loop.save();
            saved = now();
        }
    }
    progress.end_line();
    if (options.profile && loop.step_seconds > 0) print_profile(training.model().profile, loop.step_seconds);
    const bool done = training.steps_done() >= last;
    loop.validate();
    if (done && (training.curve.empty() || training.curve.back().step != last || training.curve.back().validation.empty())) loop.add_point(true);
    loop.save();
    std::fputs(validation_table(loop.results, loop.total).c_str(), stderr);
    if (loop.step_seconds > 0) {
        const double rate = static_cast<double>(loop.run_tokens) / loop.step_seconds;
        std::fprintf(stderr, "%.0f tokens/s, %.1f %% of this machine's peak\n", rate, 100 * rate * flops / peak);
    }
    return done;
}

}  // namespace tbt
