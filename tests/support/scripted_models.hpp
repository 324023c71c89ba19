// For tests of the generator: tokens that are bytes, models whose every answer is
// known, a small network.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/same_text.hpp"

namespace tbt::test {

constexpr int eos = 256;
constexpr std::size_t vocabulary = 257;  // the bytes, and EOS

// Token i is byte i.
inline const TokenBytes one_byte = [](int id) -> std::string_view {
    static const std::string all = [] {
        std::string s;
        for (int b = 0; b < 256; ++b) s += static_cast<char>(b);
        return s;
    }();
    return id < 256 ? std::string_view(all).substr(static_cast<std::size_t>(id), 1)
                    : std::string_view("<EOS>");
};

inline std::vector<int> bytes_of(const std::string& text) {
    std::vector<int> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
}

// Writes what it was told, whatever the prompt, and then EOS.
inline NextLogits script(std::size_t prompt_length, std::vector<int> answer) {
    return [=, row = std::vector<float>(vocabulary)](
               std::span<const int> ids) mutable -> std::span<const float> {
        const std::size_t at = ids.size() - prompt_length;
        row.assign(vocabulary, -std::numeric_limits<float>::infinity());
        row[static_cast<std::size_t>(at < answer.size() ? answer[at] : eos)] = 0;
        return row;
    };
}

// Any of eight letters, depending on everything read before:
// a wrong id anywhere changes all that follows.
inline NextLogits letters() {
    return [row = std::vector<float>(vocabulary)](
               std::span<const int> ids) mutable -> std::span<const float> {
        std::uint64_t hash = 1;
        for (const int id : ids)
            hash = (hash ^ static_cast<std::uint64_t>(id)) * 0x9E3779B97F4A7C15ull;
        Rng rng(hash);
        row.assign(vocabulary, -std::numeric_limits<float>::infinity());
        for (int i = 0; i < 8; ++i)
            row[static_cast<std::size_t>('a' + i)] = static_cast<float>(rng.normal());
        return row;
    };
}

inline GenerateRequest request(int max_new_tokens, std::vector<std::string> stops = {}) {
    GenerateRequest r;
    r.stop.eos = {eos};
    r.stop.strings = StopStrings(std::move(stops));
    r.stop.max_new_tokens = max_new_tokens;
    r.stop.context = 64;
    return r;
}

inline GeneratedText write(const std::string& prompt, const std::string& answer,
                           const GenerateRequest& r, std::vector<std::string>* pieces = nullptr) {
    GenerateObserver observer;
    if (pieces)
        observer.on_text = [pieces](std::size_t, const std::string& piece) {
            pieces->push_back(piece);
        };
    return generate_texts(one_at_a_time(script(prompt.size(), bytes_of(answer))), one_byte,
                          bytes_of(prompt), r, observer)[0];
}

inline TransformerConfig small_config() { return gpt_config(2, 2, 32, 64, to_int(vocabulary)); }

inline Tensor random_weight(const std::string& name, const Shape& shape) {
    std::uint64_t stream = 0;
    for (const char c : name) stream = stream * 131 + static_cast<unsigned char>(c);
    Rng rng(3, stream);
    Tensor t(shape);
    for (float& v : t.values()) v = static_cast<float>(rng.normal() * 0.3);
    return t;
}

}  // namespace tbt::test
