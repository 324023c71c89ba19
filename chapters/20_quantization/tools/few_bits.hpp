// Part 5 of chapter 20: weights in three and four bits, rounded to the nearest and by GPTQ, on
// held-out texts whose entropy floor is known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "chapters/20_quantization/plain_factor.hpp"
#include "lib/core/tensor.hpp"
#include "lib/corpus/documents.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

inline constexpr int calibrated = 100;  // the number of calibration documents for GPTQ

// Documents as ids between two separators.
struct KnownTexts {
    std::vector<std::vector<int>> ids;
    double bytes = 0, floor_bits = 0;  // of all texts; the bits of the generator's choices
};

// held_out_texts: the first `documents` held-out documents of the validation stream.
// calibration_texts: documents of the kind that training reads. None is longer than `longest` ids.
KnownTexts held_out_texts(const DocumentSource& source, const Tokenizer& tokenizer, int documents,
                          std::size_t longest);
KnownTexts calibration_texts(const DocumentSource& source, const Tokenizer& tokenizer,
                             int documents, std::size_t longest);

// The user's own calibration text, in pieces of `longest` ids. Throws Error if it has fewer than
// two ids.
std::vector<std::vector<int>> calibration_pieces(const std::string& text,
                                                 const Tokenizer& tokenizer, std::size_t longest);

// For each matrix of the layers ("h.0.attn.c_attn"), the factor U (plain_factor.hpp) of its inputs
// for these texts.
std::map<std::string, Square> input_factors(const PlainGpt& model,
                                            const std::vector<std::vector<int>>& texts);

// A matrix (K, N) with each column quantised by GPTQ to `bits` bits with a scale for every `group`
// weights, and restored to floats.
Tensor gptq_rounded(const Tensor& w, const Square& factor, int bits, int group);

// Prints the table. The rounded weights are in memory as floats: this measures the effect of
// rounding, not speed.
void show_few_bits(const std::string& directory, const std::string& corpus);

}  // namespace tbt
