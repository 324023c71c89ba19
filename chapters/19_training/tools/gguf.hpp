// Writes a model directory as one GGUF file, the format of llama.cpp and programs built on it.
//
//     "GGUF", version 3, the number of tensors, the number of values
//     values:   key, type, value      general.architecture = "gpt2", gpt2.block_count = 6,
//                                     tokenizer.ggml.tokens = ["!", …], …
//     tensors:  name, dimensions, type, offset of its numbers
//     numbers:  each tensor begins at a multiple of 32 bytes
//
// GGUF lists dimensions from the fastest to the slowest, and has matrices as (outputs, inputs),
// row-major. GPT-2's files have (inputs, outputs), so they are transposed. All of chapter 25's
// models can be written (lib/files/gguf_model.hpp lists the differences). The file includes the
// tokenizer: tokens in the byte alphabet, merges, special tokens, chat template.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernels/weight_type.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// Writes the file, atomically. With f32 every number is exact. With f16, matrices and the embedding
// are 16-bit; vectors and positions stay f32, as llama.cpp requires. Throws Error if the directory
// is not a model, if GGUF cannot express a property (windows in some layers, the way a tokenizer
// splits a text), for bf16, and for a number that is too large for f16.
void write_gguf(const std::string& directory, const std::string& path, WeightType type);

// What llama.cpp skips when it reads such a model, or why it does not open it (in its version of
// 2026), in one line for the user; empty if nothing.
std::string skipped_by_llama_cpp(const TransformerConfig& config);

// Collects numbers and texts as little-endian bytes.
class GgufBytes {
public:
    void u32(std::uint32_t n) { number(n, 4); }
    void u64(std::uint64_t n) { number(n, 8); }
    void text(const std::string& s) {
        u64(s.size());
        all += s;
    }
    std::string all;

private:
    void number(std::uint64_t n, int bytes) {
        for (int i = 0; i < bytes; ++i) all += static_cast<char>(n >> 8 * i & 0xff);
    }
};

// The values of a GGUF file (the sizes of a model, its tokens and other properties) as bytes, and
// their number.
class GgufValues {
public:
    void add(const std::string& key, std::uint32_t value);
    void add(const std::string& key, float value);
    void add(const std::string& key, const std::string& value);
    void add_flag(const std::string& key, bool value);
    void add_list(const std::string& key, const std::vector<std::string>& values);
    void add_list(const std::string& key, const std::vector<std::uint32_t>& values);
    void add_list(const std::string& key, const std::vector<float>& values);

    std::uint64_t count = 0;
    GgufBytes bytes;

private:
    GgufBytes& start(const std::string& key, std::uint32_t type);
};

}  // namespace tbt
