// The values of a GGUF file: the sizes of a model, its tokens and other properties.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lib/kernels/weight_type.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

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

// The values as bytes, and their number.
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

// All values of the model in this directory, including its tokenizer and chat template. Throws
// Error if GGUF cannot express a property.
GgufValues gguf_values(const std::string& directory, const TransformerConfig& config,
                       WeightType type);

}  // namespace tbt
