#include "chapters/28_several_machines/demo.hpp"

#include <algorithm>
#include <cstdio>
#include <string>

#include "chapters/28_several_machines/plain_split.hpp"
#include "lib/core/index.hpp"
#include "lib/core/rng.hpp"
#include "lib/show/svg.hpp"

namespace tbt {

void show_products() {
    using plain::Matrix;
    using plain::Row;
    const Row x = {1, 1, 1, 1};
    const Matrix w = {{1e8f, 1}, {1, 2}, {-1e8f, 3}, {1, 4}};
    std::printf(
        "1. y = x · w with x = (1, 1, 1, 1). The columns of w are (1e8, 1, -1e8, 1) and\n"
        "   (1, 2, 3, 4).\n\n");
    const auto show = [](const char* how, const Row& y) {
        std::printf("   %-26s y = (%g, %g)\n", how, static_cast<double>(y[0]),
                    static_cast<double>(y[1]));
    };
    show("one machine", plain::product(x, w));
    show("two machines, by columns", plain::by_columns(x, w, 2));
    show("two machines, by rows", plain::by_rows(x, w, 2));

    Rng rng(28);
    const auto number = [&] { return static_cast<float>(rng.uniform()) - 0.5f; };
    Row many(1024);
    std::ranges::generate(many, number);
    Matrix large(1024, Row(256));
    for (Row& row : large) std::ranges::generate(row, number);
    const Row alone = plain::product(many, large);
    const auto different = [&](const Row& y) {
        int n = 0;
        for (std::size_t i = 0; i < y.size(); ++i) n += y[i] != alone[i];
        return n;
    };
    std::printf(
        "\n   1,024 random numbers times a matrix (1024, 256), as in the storyteller's MLP:\n"
        "   how many of the 256 sums have other bits than on one machine?\n\n"
        "   machines    by columns   by rows\n");
    for (const std::size_t machines : {2u, 4u, 8u})
        std::printf("   %8zu  %12d  %8d\n", machines,
                    different(plain::by_columns(many, large, machines)),
                    different(plain::by_rows(many, large, machines)));
}

void show_traffic() {
    std::printf(
        "2. What one of n machines receives in a layer for one token, and how many exchanges that\n"
        "   are; what it keeps of the weights.\n\n"
        "                  by columns: 4 gathers        columns, then rows: 2 sums\n"
        "                  n = 2     n = 4     n = 8     n = 2     n = 4     n = 8    weights / "
        "4\n");
    for (const KnownModel& model : known_models()) {
        std::printf("   %-12s", model.name.c_str());
        for (const int n : {2, 4, 8})
            std::printf(" %6.1f KB",
                        bytes_to_gather(traffic_by_columns(model.config).numbers, n) / 1e3);
        for (const int n : {2, 4, 8})
            std::printf(" %6.1f KB", bytes_to_sum(traffic_by_rows(model.config).numbers, n) / 1e3);
        const double gb =
            static_cast<double>(parameter_count(model.config)) * model.bytes_per_weight / 4 / 1e9;
        if (gb < 1) std::printf("  %7.1f MB\n", gb * 1e3);
        else std::printf("  %7.1f GB\n", gb);
    }
}

void show_costs(const Machine& machine, double latency) {
    std::printf(
        "3. Tokens per second of one text, if each machine has %g GB of memory, reads it at\n"
        "   %g GB/s, and a message arrives after %g ms. -: does not fit into so few machines.\n\n"
        "                          n = 1     n = 2     n = 4     n = 8\n",
        machine.memory / 1e9, machine.memory_bandwidth / 1e9, latency * 1e3);
    for (const KnownModel& model : known_models()) {
        const double weights =
            static_cast<double>(parameter_count(model.config)) * model.bytes_per_weight;
        for (const int gigabits : {1, 10, 100}) {
            const Network network{gigabits * 1e9 / 8, latency};
            std::printf("   %-12s %3d Gb/s", gigabits == 1 ? model.name.c_str() : "", gigabits);
            for (const int n : {1, 2, 4, 8}) {
                const double rate = 1 / seconds_per_token(model.config, model.bytes_per_weight,
                                                          machine, network, n);
                if (weights / n > 0.9 * machine.memory) std::printf("         -");
                else std::printf(" %9.*f", rate < 100 ? 1 : 0, rate);
            }
            std::printf("\n");
        }
    }
}

void write_split_figure(const std::string& file) {
    constexpr int cell = 34, size = 4, top = 84, both = -1;
    std::string all;
    const auto box = [&](int x, int y, int machine, const std::string& text = "") {
        all += svg_rect(x, y, cell - 3, cell - 3, machine == both ? svg_grey : svg_colour(machine),
                        "fill-opacity=\"0.45\"");
        all += svg_text(x + (cell - 3) / 2.0, y + 20, text, "middle", 12);
    };
    for (const bool rows : {false, true}) {
        const int left = rows ? 380 : 20, w = left + 2 * cell, below = top + size * cell + 16;
        const auto label = [&](int x, int y, const std::string& text) {
            all += svg_text(x, y, text, "start", 12);
        };
        all += svg_text(left, 20, rows ? "by rows" : "by columns", "start", 15);
        label(left, 42,
              rows ? "each has half of x and a part of every sum"
                   : "each has all of x and half of the sums");
        label(left + 10, top - 8, "x");
        label(w + 2, top - 8, "w");
        for (int k = 0; k < size; ++k) {
            box(left, top + k * cell, rows ? k / 2 : both, "x" + std::to_string(k));
            for (int n = 0; n < size; ++n) box(w + n * cell, top + k * cell, (rows ? k : n) / 2);
        }
        for (int n = 0; n < size; ++n) {
            const std::string y = "y" + std::to_string(n);
            box(w + n * cell, below, rows ? 0 : n / 2, rows ? "" : y);
            if (rows) box(w + n * cell, below + cell, 1);
            box(w + n * cell, below + (rows ? 2 : 1) * cell + 24, both, y);
        }
        const int arrow = below + (rows ? 2 : 1) * cell + 14, right = w + size * cell + 8;
        label(w, arrow,
              rows ? "↓ reduce: each receives 4 numbers, and adds"
                   : "↓ gather: each receives 2 numbers");
        label(right, arrow + 30, rows ? "other bits" : "same bits");
    }
    for (const int machine : {0, 1}) {
        box(20 + 120 * machine, 346, machine);
        all += svg_text(58 + 120 * machine, 366, "machine " + std::to_string(machine));
    }
    box(260, 346, both);
    all += svg_text(298, 366, "both");
    write_svg(file, "A product on two machines: split by columns and gathered, by rows and added",
              700, 390, all);
}

}  // namespace tbt
