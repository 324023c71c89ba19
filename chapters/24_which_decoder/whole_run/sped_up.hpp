// Decoders that write several tokens a pass (chapters 12 and 21) change no text.
#pragma once

#include <string>
#include <vector>

#include "chapters/23_text_generator/text_generator.hpp"
#include "chapters/24_which_decoder/language.hpp"

namespace tbt {

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
