// The hash function FNV-1a with 64 bits [Fowler, Noll and Vo]: one multiplication per byte, with
// the same result on every machine. Use it to tell files and names apart. It is not cryptographic:
// anybody can construct two inputs with the same hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tbt {

class Hash {
public:
    Hash& add(unsigned char byte) {
        value_ = (value_ ^ byte) * 0x100000001b3u;
        return *this;
    }
    Hash& add(std::string_view bytes) {
        for (const char byte : bytes) add(static_cast<unsigned char>(byte));
        return *this;
    }
    Hash& add(std::span<const std::byte> bytes) {
        for (const std::byte byte : bytes) add(static_cast<unsigned char>(byte));
        return *this;
    }

    std::uint64_t value() const { return value_; }
    // The value as sixteen hexadecimal digits.
    std::string text() const {
        std::string text;
        for (int shift = 60; shift >= 0; shift -= 4)
            text += "0123456789abcdef"[value_ >> shift & 15];
        return text;
    }

private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

}  // namespace tbt
