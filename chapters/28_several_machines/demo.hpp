// The parts of chapter 28's program that one process shows alone.
#pragma once

#include <string>

#include "chapters/28_several_machines/costs.hpp"

namespace tbt {

// 1. A product by columns and by rows: by hand, and with a matrix of the storyteller's size.
void show_products();
// 2. What a layer sends for each token, and what each machine keeps.
void show_traffic();
// 3. Tokens per second of one text, over networks of 1, 10 and 100 Gb/s.
void show_costs(const Machine& machine, double latency);

// Both ways of part 1 as a picture.
void write_split_figure(const std::string& file);

}  // namespace tbt
