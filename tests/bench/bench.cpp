#include "tests/bench/bench.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>

#include "lib/core/rng.hpp"
#include "lib/show/terminal.hpp"

namespace tbt::bench {

std::vector<Section>& sections() {
    static std::vector<Section> all;
    return all;
}

Section::Section(std::string section_name, int section_order, std::string what,
                 void (*function)(const Settings&))
    : name(std::move(section_name)), order(section_order), about(std::move(what)), run(function) {
    sections().push_back(*this);
}

double now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

namespace {
bool only_once = false, all_rounds = false;
}
bool quick() { return only_once; }
void set_quick() { only_once = true; }
bool thorough() { return all_rounds; }
void set_thorough() { all_rounds = true; }

void keep(float value) {
    static std::atomic<float> sink;
    sink.store(value, std::memory_order_relaxed);
}

namespace {

double measure(const Contender& contender, int times) {
    const double start = now();
    contender.work(times);
    return (now() - start) / times;
}

// How often the work must be done to last as long as asked; also warms the caches up.
int calibrate(const Contender& contender, double seconds) {
    if (quick()) return 1;
    for (int times = 1;; times *= 4) {
        const double took = measure(contender, times) * times;
        if (took >= seconds / 4 || times >= (1 << 24))
            return std::max(1, static_cast<int>(times * seconds / took));
    }
}

Timing timing_of(std::vector<double> seconds) {
    std::sort(seconds.begin(), seconds.end());
    const std::size_t n = seconds.size();
    return {seconds[n / 2], seconds[n / 4], seconds[n - 1 - n / 4]};
}

}  // namespace

std::vector<Timing> interleaved(const std::vector<Contender>& contenders, int rounds,
                                double seconds) {
    if (!thorough()) rounds = std::min(rounds, quick() ? 1 : 3);
    const auto rest = [](const Contender& c) {
        if (c.spins) std::this_thread::sleep_for(std::chrono::milliseconds(30));
    };
    std::vector<int> times;
    for (const Contender& c : contenders) {
        times.push_back(calibrate(c, seconds));
        rest(c);
    }
    std::vector<std::vector<double>> measured(contenders.size());
    for (int round = 0; round < rounds; ++round) {
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            // Once unmeasured: the contender before has left other data in the caches.
            if (times[i] > 1) contenders[i].work(1);
            measured[i].push_back(measure(contenders[i], times[i]));
            rest(contenders[i]);
        }
    }
    std::vector<Timing> timings;
    for (std::vector<double>& m : measured) timings.push_back(timing_of(std::move(m)));
    return timings;
}

// ---- reporting ----

nlohmann::ordered_json& results() {
    static nlohmann::ordered_json all = nlohmann::ordered_json::object();
    return all;
}

namespace {

// The first column holds names, flush left; figures are flush right.
// Not bytes but characters count ("µs", "×").
int width_of(std::size_t column) { return column == 0 ? 24 : 11; }

void print_cell(std::size_t column, const std::string& text) {
    const int padding = std::max(0, width_of(column) - columns(text));
    if (column == 0) std::printf("  %s%*s", text.c_str(), padding, "");
    else std::printf(" %*s%s", padding, "", text.c_str());
}

}  // namespace

Table::Table(std::string section, std::vector<std::string> columns)
    : section_(std::move(section)), columns_(std::move(columns)) {
    for (std::size_t i = 0; i < columns_.size(); ++i) print_cell(i, columns_[i]);
    std::printf("\n");
}

void Table::row(const std::vector<Cell>& cells) {
    nlohmann::ordered_json entry = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < cells.size() && i < columns_.size(); ++i) {
        const Cell& cell = cells[i];
        if (cell.decimals < 0) {
            print_cell(i, cell.text);
            entry[columns_[i]] =
                cell.text.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(cell.text);
        } else {
            char number[64];
            std::snprintf(number, sizeof number, "%.*f", cell.decimals, cell.number);
            print_cell(i, number);
            entry[columns_[i]] = cell.number;
        }
    }
    std::printf("\n");
    std::fflush(stdout);
    results()[section_].push_back(entry);
}

Tensor random_tensor(const Shape& shape, std::uint64_t seed) {
    Tensor tensor(shape);
    Rng rng(seed);
    for (float& v : tensor.values()) v = rng.uniform_float() - 0.5f;
    return tensor;
}

}  // namespace tbt::bench
