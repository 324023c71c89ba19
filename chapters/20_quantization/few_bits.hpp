// Part 5 of chapter 20: three and four bits, to the nearest and by GPTQ, on held-out texts whose
// floor is known.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "chapters/18_transformer/plain_gpt.hpp"
#include "chapters/19_training/documents.hpp"
#include "chapters/20_quantization/plain_factor.hpp"
#include "lib/kernels/tensor.hpp"
#include "lib/text/tokenizer.hpp"

namespace tbt {

inline constexpr int calibrated = 100;  // documents that GPTQ looks at

// Documents as ids between two separators.
struct KnownTexts {
    std::vector<std::vector<int>> ids;
    double bytes = 0, floor_bits = 0;  // of all; the bits of the generator that wrote them
};

// The first `documents` held-out ones of the stream that validation reads; or, to calibrate with,
// such as training reads. None longer than `longest` ids.
KnownTexts held_out_texts(const DocumentSource& source, const Tokenizer& tokenizer, int documents,
                          std::size_t longest);
KnownTexts calibration_texts(const DocumentSource& source, const Tokenizer& tokenizer,
                             int documents, std::size_t longest);

// A text of one's own to calibrate with, in pieces of `longest` ids. Throws Error for one with less
// than two ids.
std::vector<std::vector<int>> calibration_pieces(const std::string& text,
                                                 const Tokenizer& tokenizer, std::size_t longest);

// For each matrix of the layers ("h.0.attn.c_attn"), the factor of the inputs it gets on the texts.
std::map<std::string, Square> input_factors(const PlainGpt& model,
                                            const std::vector<std::vector<int>>& texts);

// A matrix (K, N), each column by GPTQ in `bits` bits with a scale for `group` weights, restored.
Tensor gptq_rounded(const Tensor& w, const Square& factor, int bits, int group);

// The table. The weights stay in memory as floats: what is measured is what rounding does to them.
void show_few_bits(const std::string& directory, const std::string& corpus);

}  // namespace tbt
