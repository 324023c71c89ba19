#include "chapters/19_training/tools/training_loop.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <numbers>

#include <unistd.h>

#include "chapters/19_training/tools/export.hpp"
#include "lib/core/error.hpp"
#include "lib/corpus/validation.hpp"
#include "lib/machine/files.hpp"
#include "lib/model/processes.hpp"
#include "lib/show/terminal.hpp"
#include "lib/train/trainer.hpp"

namespace tbt {
namespace {

volatile std::sig_atomic_t stop_requested = 0;

// The first signal ends the loop after the current step, a second one ends the program.
void request_stop(int signal) {
    stop_requested = 1;
    std::signal(signal, SIG_DFL);
}

// Of several processes, the first one writes, and decides when to stop.
bool is_first() { return !default_processes() || default_processes()->rank() == 0; }
bool first_says(bool answer) {
    return default_processes() ? default_processes()->first_says(answer) : answer;
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

std::string duration(double seconds) {
    const auto s = static_cast<long long>(std::max(0.0, seconds));
    char text[32];
    std::snprintf(text, sizeof text, "%lld:%02lld:%02lld", s / 3600, s / 60 % 60, s % 60);
    return text;
}

long long whole(std::int64_t n) { return static_cast<long long>(n); }

// The progress line on stderr: rewritten at each step on a terminal, otherwise a new line every
// 30 s.
class Progress {
public:
    Progress(Training& training, double peak)
        : training_(training),
          tokens_(static_cast<double>(training.tokens_per_step())),
          flops_(training.model().flops_per_token(training.options().sequence)),
          peak_(peak),
          terminal_(isatty(STDERR_FILENO) != 0) {}

    void step(double loss, double seconds) {
        const double bytes = static_cast<double>(std::max<std::int64_t>(1, training_.last_bytes()));
        smooth(loss_, loss);
        smooth(bits_, loss * tokens_ / std::numbers::ln2 / bytes);
        smooth(rate_, tokens_ / seconds);
        ++count_;
        if (terminal_ || now() - shown_ > 30) show();
    }

    // Call this before anything else is printed.
    void end_line() {
        if (count_ == 0) return;
        show();
        if (terminal_) std::fputc('\n', stderr);
    }

private:
    void smooth(double& mean, double value) const {
        mean = count_ == 0 ? value : 0.95 * mean + 0.05 * value;
    }

    void show() {
        shown_ = now();
        const std::int64_t done = training_.steps_done(), all = training_.options().steps;
        const double share = static_cast<double>(done) / static_cast<double>(all);
        const double left = static_cast<double>(all - done) * tokens_ / rate_;
        if (terminal_) std::fprintf(stderr, "\r\x1b[K%s ", bar(share, 20).c_str());
        std::fprintf(
            stderr,
            "step %lld/%lld  loss %.4f  %.4f bits/byte  %.0f tokens/s (%.0f %% of peak)  %s left",
            whole(done), whole(all), loss_, bits_, rate_, 100 * rate_ * flops_ / peak_,
            duration(left).c_str());
        if (!terminal_) std::fputc('\n', stderr);
        std::fflush(stderr);
    }

    const Training& training_;
    double tokens_, flops_, peak_;
    bool terminal_;
    double loss_ = 0, bits_ = 0, rate_ = 1, shown_ = 0;
    std::int64_t count_ = 0;
};

void print_profile(const train::Profile& p, double seconds) {
    const std::pair<const char*, double> phases[] = {{"forward", p.forward},
                                                     {"attention", p.attention},
                                                     {"head", p.head},
                                                     {"backward", p.backward},
                                                     {"attention backward", p.attention_backward},
                                                     {"weight gradients", p.weights}};
    double rest = seconds;
    for (const auto& [name, spent] : phases) {
        std::fprintf(stderr, "%-20s %5.1f %%\n", name, 100 * spent / seconds);
        rest -= spent;
    }
    std::fprintf(stderr, "%-20s %5.1f %%\n", "update, data, waiting", 100 * rest / seconds);
}

std::unique_ptr<Validator> make_validator(const Training& training, const DocumentSource& source,
                                          const Tokenizer& tokenizer, std::int64_t documents) {
    const TrainingOptions& o = training.options();
    if (o.fill_masks)
        return std::make_unique<CanvasValidation>(source, tokenizer, validation_seed, documents,
                                                  o.sequence);
    return std::make_unique<Validation>(source, tokenizer, validation_seed, documents);
}

// The state of the loop between steps.
struct Loop {
    Training& training;
    const DocumentSource& source;
    const Tokenizer& tokenizer;
    const LoopOptions& options;
    std::unique_ptr<Validator> validation;
    std::vector<GenreResult> results = {};
    GenreResult total = {};
    double nats = 0;  // sum of the training loss since the last point of the curve
    std::int64_t bytes = 0;
    std::int64_t tokens = 0;  // in this run
    double seconds = 0;

    double rate() const { return seconds > 0 ? static_cast<double>(tokens) / seconds : 0; }

    void step(Progress& progress) {
        const double before = now();
        const double loss = training.step();
        const double spent = now() - before;
        seconds += spent;
        tokens += training.tokens_per_step();
        nats += loss * static_cast<double>(training.tokens_per_step());
        bytes += training.last_bytes();
        training.seconds += spent;
        progress.step(loss, spent);
    }

    void validate() {
        if (!is_first()) return;
        const LossFunction loss = [this](const auto& ids, const auto& targets, std::int64_t B,
                                         std::int64_t T) {
            return training.model().losses(ids, targets, B, T);
        };
        results = validation->run(loss, training.options().sequence);
        total = validation->total(results);
    }

    void print_validation() const {
        std::fprintf(stderr, "step %lld: held out %.4f bits/byte", whole(training.steps_done()),
                     total.bits_per_byte());
        if (!std::isnan(total.floor())) std::fprintf(stderr, ", floor %.4f", total.floor());
        std::fputc('\n', stderr);
    }

    void add_point(bool validated) {
        if (!is_first()) return;
        CurvePoint point;
        point.step = training.steps_done();
        point.tokens = training.tokens_done();
        if (bytes > 0) point.bits_per_byte = nats / std::numbers::ln2 / static_cast<double>(bytes);
        point.learning_rate = training.last_rate();
        point.seconds = training.seconds;
        if (validated) {
            point.validation.push_back(total.bits_per_byte());
            for (const GenreResult& r : results) {
                point.validation.push_back(r.documents > 0 ? r.bits_per_byte() : 0);
            }
        }
        training.curve.push_back(std::move(point));
        nats = 0;
        bytes = 0;
    }

    void save() {
        if (!is_first()) return;
        training.save(checkpoint_path(options.out));
        export_model(training, source, tokenizer, options.out,
                     {options.folder, options.half, results, total});
    }

    // Saves at the end. If that fails, an existing checkpoint still has the training.
    template <class Save>
    void at_last(Save save_it) const {
        try {
            save_it();
        } catch (const Error& e) {
            if (!file_exists(checkpoint_path(options.out).string())) throw;
            throw Error(std::string(e.what()) +
                        "; once that is fixed, the same command with --resume continues from the "
                        "last checkpoint");
        }
    }

    void try_to_save(Progress& progress) {
        try {
            save();
        } catch (const Error& e) {
            progress.end_line();
            std::fprintf(stderr, "%s; training goes on, and tries again later\n", e.what());
        }
    }
};

// Prints what will be trained. Returns the floating-point operations per token.
double announce(Training& training, double peak) {
    const double flops = training.model().flops_per_token(training.options().sequence);
    std::fprintf(
        stderr,
        "%lld parameters, %lld tokens a step, %.1f MFLOP a token; %d threads, peak %.0f GF/s\n",
        whole(training.model().layout().count()), whole(training.tokens_per_step()), flops / 1e6,
        training.options().threads, peak / 1e9);
    return flops;
}

}  // namespace

std::filesystem::path checkpoint_path(const std::filesystem::path& directory) {
    return directory / "checkpoint";
}

TrainingEnd run_training(Training& training, const DocumentSource& source,
                         const Tokenizer& tokenizer, const LoopOptions& options) {
    stop_requested = 0;
    std::signal(SIGINT, request_stop);
    std::signal(SIGTERM, request_stop);
    if (std::signal(SIGHUP, request_stop) == SIG_IGN) std::signal(SIGHUP, SIG_IGN);  // nohup
    Loop loop{training, source, tokenizer, options,
              make_validator(training, source, tokenizer, options.validation_documents)};
    const std::int64_t last = training.options().steps;
    const std::int64_t point_every =
        std::max<std::int64_t>(1, std::min(options.validate_every, last / 200));
    const double peak = train::fma_peak(training.options().threads);
    const double flops = announce(training, peak);
    Progress progress(training, peak);
    const double start = now();
    double saved = start;
    const auto time_is_up = [&] {
        return options.minutes > 0 && now() - start >= options.minutes * 60;
    };
    while (training.steps_done() < last && !first_says(stop_requested || time_is_up())) {
        loop.step(progress);
        if (training.steps_done() == last) break;  // the last point is added below
        const bool validated = training.steps_done() % options.validate_every == 0;
        if (validated) {
            loop.validate();
            progress.end_line();
            loop.print_validation();
        }
        if (validated || training.steps_done() % point_every == 0) loop.add_point(validated);
        if (now() - saved > options.checkpoint_minutes * 60) {
            loop.try_to_save(progress);
            saved = now();
        }
    }
    progress.end_line();
    if (options.profile && loop.seconds > 0) {
        print_profile(training.model().profile(), loop.seconds * training.options().threads);
    }
    const bool done = training.steps_done() >= last;
    if (!done &&
        first_says(stop_requested)) {  // save at once, since the user may press Ctrl-C again
        loop.at_last([&] { loop.save(); });
        return TrainingEnd::signal;
    }
    loop.at_last([&] {
        if (is_first()) training.save(checkpoint_path(options.out));
    });
    loop.validate();
    if (done && (training.curve.empty() || training.curve.back().step < last)) loop.add_point(true);
    loop.at_last([&] { loop.save(); });
    if (is_first()) std::fputs(validation_table(loop.results, loop.total).c_str(), stderr);
    std::fprintf(stderr, "%.0f tokens/s, %.1f %% of this machine's peak\n", loop.rate(),
                 100 * loop.rate() * flops / peak);
    return done ? TrainingEnd::done : TrainingEnd::time_is_up;
}

}  // namespace tbt
