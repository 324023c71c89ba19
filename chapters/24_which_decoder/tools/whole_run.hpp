// The whole run of `make decoders`: every setting, on several genres and models, into one file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/24_which_decoder/language.hpp"

namespace tbt {

struct WholeRun {
    // Shipped models; "diffusion": the storyteller and the model that fills masks, on passages that
    // fit its canvas.
    std::vector<std::string> models{"storyteller", "sketch", "diffusion"};
    std::vector<std::string> genres{"weather", "animals",           "dates",
                                    "three",   "people_said_world", "explain"};
    std::string file = "build/decoders.jsonl", corpus = "data/corpus,data/corpus/world";
    std::string decoder;  // only this one; empty: all
    int texts = 2000, searched = 40;
    std::uint64_t seed = 24;
};

// Measures what the file lacks, a line for each model, genre and setting, on default_threads()
// threads. Stopped at any moment, it goes on where it was. The file of a finished run is the same
// for any number of threads and stops, but for the times. Throws Error for a file with measurements
// of another number of texts.
void measure_what_is_missing(const WholeRun& run);

// Decoders that write several tokens a pass (chapters 12 and 21) change no text.
struct SpedUp {
    std::string way;
    long texts = 0, same = 0;  // as plain drawing writes them with the same seed
    long tokens = 0, passes = 0;
};

// Continues each passage at temperature 1: plainly, with drafts by the sketch, with lookups in the
// text itself, and with heads.
std::vector<SpedUp> compare_sped_up(TextGenerator& generator, const std::vector<Passage>& passages,
                                    std::uint64_t seed, int most_tokens = 100);

std::string table_of(const std::vector<SpedUp>& ways);

}  // namespace tbt
