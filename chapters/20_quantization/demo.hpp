// Parts 1, 2 and 4 of chapter 20's program; part 3 is in quality.hpp.
#pragma once

#include <string>

namespace tbt {

// 1. A row of numbers in 8 bits, and the same row with an outlier.
void show_row();
// 2. The model's matrices with scales for the whole matrix, for each column, for groups.
void show_matrices(const std::string& directory);
// 4. Tokens per second, the only part that measures time.
void show_speed(const std::string& directory);

}  // namespace tbt
