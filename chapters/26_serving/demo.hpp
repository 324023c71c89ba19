// The parts of chapter 26's program.
#pragma once

#include <string>

namespace tbt {

struct Model;

// 1. Eight requests of different lengths and two slots: whole batches, and continuous.
void show_slots();
// 2. A long prompt arrives while two texts are written: read whole, and in chunks.
void show_chunks();
// 3. Eight requests on the model, several ways; the texts against each one alone.
void show_texts(Model& model, int slots, int budget);

// Part 1 as a picture.
void write_slots_figure(const std::string& file);

}  // namespace tbt
