// The parts of chapter 20's program.
#pragma once

#include <string>

namespace tbt {

// 1. A row of numbers in 8 bits, and the same row with an outlier.
void show_row();
// 2. The model's matrices with scales for the whole matrix, for each column, for groups.
void show_matrices(const std::string& directory);
// 3. What it costs the model: how far its law moves, on texts it writes itself.
void show_quality(const std::string& directory);
// 4. Tokens a second. The only part with a clock.
void show_speed(const std::string& directory);

}  // namespace tbt
