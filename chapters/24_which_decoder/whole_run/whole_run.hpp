// The whole run of `make decoders`: every setting, on several genres and models, into one file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

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

}  // namespace tbt
