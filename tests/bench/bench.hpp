// A small bench: contenders measured in turn, medians with spread, tables on stdout,
// the same figures as JSON.
//
// The speed of a machine drifts by a quarter within minutes. So everything that is compared runs
// interleaved, round after round, and shares are taken against a probe of the machine's limit
// from the same rounds.
//
// A section is a .cpp file of this folder with
//     static const bench::Section section{"tokenizer", 30, "encode and decode, MB/s", run};
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "lib/core/tensor.hpp"

namespace tbt::bench {

struct Settings {
    std::vector<int> threads;  // the numbers of threads to measure with
};

// ---- sections ----

struct Section {
    std::string name;
    int order;  // sections run in this order
    std::string about;
    void (*run)(const Settings&);

    Section(std::string section_name, int section_order, std::string what,
            void (*function)(const Settings&));
};
std::vector<Section>& sections();

// ---- measuring ----

double now();  // seconds

// --quick: everything runs once, smaller where it is long, so that what no longer works is noticed
// in seconds. The figures say nothing then.
bool quick();
void set_quick();

// --thorough, for figures that are written down: all rounds of each section, and the largest
// models. Otherwise nothing is measured more than three times.
bool thorough();
void set_thorough();

// The work, done `times` times over. Anything that would be optimised away goes to keep().
struct Contender {
    std::string name;
    std::function<void(int times)> work;
    bool spins = false;  // leaves threads spinning: wait before measuring the next one
};

// One that does this `times` times.
template <class Work>
Contender repeated(std::string name, Work work) {
    return {std::move(name), [work = std::move(work)](int times) mutable {
                for (int i = 0; i < times; ++i) work();
            }};
}

// Seconds for doing the work once.
struct Timing {
    double median = 0, low = 0, high = 0;  // low and high: the quartiles
};

// One timing per contender. Each measurement lasts `seconds` (or one run of the work,
// if that is longer).
std::vector<Timing> interleaved(const std::vector<Contender>& contenders, int rounds = 9,
                                double seconds = 0.004);

void keep(float value);

// ---- reporting ----

struct Cell {
    std::string text;
    double number = 0;
    int decimals = -1;  // -1: text; an empty text stands for a figure that could not be measured

    Cell(const char* words) : text(words) {}
    Cell(std::string words) : text(std::move(words)) {}
    Cell(double value, int places) : number(value), decimals(places) {}
    Cell(int whole) : Cell(whole, 0) {}
};

// Rows are printed as they come and kept for the JSON file under the section's name.
class Table {
public:
    Table(std::string section, std::vector<std::string> columns);
    void row(const std::vector<Cell>& cells);

private:
    std::string section_;
    std::vector<std::string> columns_;
};

nlohmann::ordered_json& results();

// ---- the machine's limits ----

// Multiply-adds on `threads` cores that nothing can feed faster: fma_probe_flops()
// operations each time.
Contender fma_probe(int threads);
double fma_probe_flops(int threads);

// Read `bytes` of memory, each thread its part, in two ways: the faster one is the limit.
std::vector<Contender> read_probes(std::int64_t bytes, int threads);

Tensor random_tensor(const Shape& shape, std::uint64_t seed);

}  // namespace tbt::bench
