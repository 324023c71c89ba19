// Bytes as text [RFC 4648, 4].
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tbt {

inline std::string base64(std::string_view bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > bytes.size() ? '=' : letters[three >> (18 - 6 * k) & 63];
    }
    return out;
}

}  // namespace tbt
