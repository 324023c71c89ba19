#include "tests/catch.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "lib/core/math.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/files/safetensors_write.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using tbt::test::contains;
using tbt::test::error_of;
using tbt::test::TemporaryFolder;
using Floats = std::vector<float>;

namespace {

Floats read_back(const std::string& path, const std::string& name, const Shape& shape) {
    const Tensor t = Safetensors::open(path).read(name, shape);
    return {t.values().begin(), t.values().end()};
}

}  // namespace

// ---- writing ------------------------------------------------------------------------------------
TEST_CASE("what is written is read again, bit for bit in 32 bits", "[safetensors]") {
    const TemporaryFolder folder;
    const std::string path = folder.file("model.safetensors");
    const Floats x = {0.1f,
                      -0.0f,
                      std::numeric_limits<float>::denorm_min(),
                      std::numeric_limits<float>::infinity(),
                      3e38f,
                      1},
                 y = {7};
    write_safetensors(path, {{"x", {2, 3}, x}, {"empty", {0, 4}, {}}, {"a scalar", {}, y}},
                      {{"who", "tests é \"quoted\""}});
    const Safetensors file = Safetensors::open(path);
    REQUIRE(file.metadata().at("who") == "tests é \"quoted\"");
    const Tensor again = file.read("x", {2, 3});
    REQUIRE(std::memcmp(again.data(), x.data(), x.size() * sizeof(float)) == 0);
    REQUIRE(file.read("empty", {0, 4}).size() == 0);
    REQUIRE(file.read("a scalar", {}).values()[0] == 7);
    const std::string bytes = read_file(path);
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), 8);
    REQUIRE(length % 8 == 0);  // the data begin aligned
}

TEST_CASE("16-bit numbers are rounded to the nearest, ties to even", "[safetensors]") {
    const TemporaryFolder folder;
    const std::string path = folder.file("m");
    // 1 + 2^-11 lies between 1 and 1 + 2^-10; 1 + 3·2^-11 between 1 + 2^-10 and 1 + 2·2^-10;
    // 2^-25 between 0 and 2^-24.
    const Floats f16 = {1 + 0x1p-11f, 1 + 0x3p-11f, 1 + 0x1.002p-11f, 0x1p-25f,
                        0x1.8p-25f,   65519.0f,     -65504.0f,        0.1f};
    const Floats f16_rounded = {1,        1 + 0x2p-10f, 1 + 0x1p-10f, 0,
                                0x1p-24f, 65504.0f,     -65504.0f,    0.0999755859375f};
    write_safetensors(path, {{"h", {8}, f16, WeightType::f16}});
    REQUIRE(read_back(path, "h", {8}) == f16_rounded);

    const Floats bf16 = {1 + 0x1p-8f, 1 + 0x3p-8f, 1 + 0x1.02p-8f, 3e38f, -0.1f};
    const Floats bf16_rounded = {1, 1 + 0x2p-7f, 1 + 0x1p-7f, 0x1.c4p127f, -0.10009765625f};
    write_safetensors(path, {{"b", {5}, bf16, WeightType::bf16}});
    REQUIRE(read_back(path, "b", {5}) == bf16_rounded);
    REQUIRE(Safetensors::open(path).find("b")->bytes.size() == 10);
}

TEST_CASE("every 16-bit number survives being read and written", "[safetensors]") {
    const TemporaryFolder folder;
    for (const WeightType type : {WeightType::f16, WeightType::bf16}) {
        Floats values(1 << 16);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const auto bits = static_cast<std::uint16_t>(i);
            values[i] = type == WeightType::f16 ? from_f16(bits) : from_bf16(bits);
        }
        write_safetensors(folder.file("m"), {{"all", {1 << 16}, values, type}});
        const Safetensors file = Safetensors::open(folder.file("m"));
        const auto stored = file.find("all")->bytes;
        std::size_t wrong = 0;
        for (std::size_t i = 0; i < values.size(); ++i) {
            std::uint16_t bits = 0;
            std::memcpy(&bits, stored.data() + 2 * i, 2);
            const float back = type == WeightType::f16 ? from_f16(bits) : from_bf16(bits);
            wrong += std::isnan(values[i]) ? !std::isnan(back) : bits != i;
        }
        REQUIRE(wrong == 0);
    }
}

TEST_CASE("types may be mixed in one file", "[safetensors]") {
    const TemporaryFolder folder;
    const Floats x = {1, 2, 3};
    write_safetensors(
        folder.file("m"),
        {{"a", {3}, x, WeightType::f16}, {"b", {3}, x}, {"c", {3}, x, WeightType::bf16}});
    for (const char* name : {"a", "b", "c"}) REQUIRE(read_back(folder.file("m"), name, {3}) == x);
}

TEST_CASE("what cannot be written leaves the old file and nothing beside it", "[safetensors]") {
    const TemporaryFolder folder;
    const std::string path = folder.write("m", "old");
    const Floats x = {1, 70000};
    const auto complaint_of = [&](const std::vector<TensorToWrite>& tensors) {
        return error_of([&] { write_safetensors(path, tensors); });
    };
    REQUIRE(contains(complaint_of({{"x", {2}, x, WeightType::f16}}),
                     "holds 70000.000000, expected less than 65520"));
    REQUIRE(contains(complaint_of({{"x", {3}, x}}), "has 2 values, expected 3 for (3)"));
    REQUIRE(contains(complaint_of({{"x", {2}, x}, {"y", {2}, x}, {"x", {2}, x}}),
                     "\"x\" appears twice"));
    REQUIRE(read_file(path) == "old");
    REQUIRE(contains(error_of([&] { write_safetensors(folder.file("no/folder/m"), {}); }),
                     "no/folder/m: cannot be written"));
    {
        AtomicFile abandoned(path);
        abandoned.write("new", 3);
    }
    REQUIRE(read_file(path) == "old");
    std::size_t entries = 0;
    for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path()))
        ++entries;
    REQUIRE(entries == 1);
}
