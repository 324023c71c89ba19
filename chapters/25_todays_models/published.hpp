// The sizes of published models that a cache depends on.
#pragma once

namespace tbt {

struct Published {
    const char* name;
    int layers, heads, kv_heads, head_size;

    // Keys and values of a token with so many heads of keys, 2 bytes a number.
    constexpr int bytes_per_token(int key_heads) const {
        return 2 * layers * key_heads * head_size * 2;
    }
};
inline constexpr Published published[] = {
    {"GPT-2 XL", 48, 25, 25, 64},     {"Llama 2 7B", 32, 32, 32, 128},
    {"Llama 3.1 8B", 32, 32, 8, 128}, {"Llama 3.2 1B", 16, 32, 8, 64},
    {"Qwen2.5 0.5B", 24, 14, 2, 64},  {"SmolLM2 135M", 30, 9, 3, 64},
    {"Mistral 7B", 32, 32, 8, 128}};

}  // namespace tbt
