// The sizes of published models: what their caches take.
#include "tests/catch.hpp"

#include "chapters/25_todays_models/published.hpp"

using namespace tbt;

TEST_CASE("a token's keys and values, in bytes, by hand") {
    for (const Published& p : published) {
        INFO(p.name);
        CHECK(p.heads % p.kv_heads == 0);
        CHECK(p.bytes_per_token(2 * p.kv_heads) == 2 * p.bytes_per_token(p.kv_heads));
        const std::string name = p.name;
        // Twice (keys and values) layers · heads · numbers · 2 bytes.
        if (name == "GPT-2 XL") CHECK(p.bytes_per_token(p.kv_heads) == 307'200);
        if (name == "Llama 2 7B") CHECK(p.bytes_per_token(p.kv_heads) == 524'288);
        if (name == "Llama 3.1 8B") CHECK(p.bytes_per_token(p.kv_heads) == 131'072);
        if (name == "Llama 3.1 8B") CHECK(p.bytes_per_token(p.heads) == 524'288);
        if (name == "SmolLM2 135M") CHECK(p.bytes_per_token(p.kv_heads) == 23'040);
    }
}
