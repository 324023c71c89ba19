// Safetensors files: every header that is legal, and what is said of one that is not.
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

std::string with_length(std::uint64_t length, const std::string& rest) {
    std::string text(8, '\0');
    std::memcpy(text.data(), &length, 8);
    return text + rest;
}

// A file of this header and `data_bytes` bytes of data.
std::string file_text(const std::string& header, std::size_t data_bytes = 0) {
    return with_length(header.size(), header + std::string(data_bytes, '\0'));
}

// Files, and a part of what opening them says, which must name the file; "": nothing.
void check_all(const std::vector<std::pair<std::string, std::string>>& all) {
    for (const auto& [content, message] : all) {
        const TemporaryFolder folder;
        const std::string path = folder.write("model.safetensors", content);
        const std::string said = error_of([&] { Safetensors::open(path); });
        INFO("expected '" << message << "', got '" << said << "'");
        REQUIRE((message.empty() ? said.empty()
                                 : contains(said, message) && contains(said, path + ": ")));
    }
}

}  // namespace

TEST_CASE("a tensor that is missing, misshapen or not of floats is refused by name",
          "[safetensors]") {
    const Safetensors file = Safetensors::open_directory("tests/data/tiny-gpt2");
    REQUIRE(contains(error_of([&] {
                         file.read("wte.weight", Shape{97, 64});
                     }),
                     "has no tensor \"wte.weight\" of shape (97, 64)"));
    const auto said = [&](const char* name, const Shape& shape) {
        return error_of([&] { file.read_weight(name, shape); });
    };
    REQUIRE(contains(said("lm_head.weight", {97, 64}), "has no tensor \"lm_head.weight\""));
    REQUIRE(contains(said("wte.weight", {64, 97}),
                     "model.safetensors: tensor \"transformer.wte.weight\" has shape (97, 64), "
                     "expected (64, 97)"));
    REQUIRE(contains(said("ln_f.bias", {1, 64}), "has shape (64), expected (1, 64)"));
    const TemporaryFolder folder;
    const std::string path = folder.write(
        "m.safetensors",
        file_text(R"({"mask":{"dtype":"BOOL","shape":[2,2],"data_offsets":[0,4]}})", 4));
    REQUIRE(contains(error_of([&] {
                         Safetensors::open(path).read("mask", Shape{2, 2});
                     }),
                     "\"mask\" is of BOOL, expected F32, F16 or BF16"));
}

TEST_CASE("every legal header is accepted", "[safetensors]") {
    check_all({{file_text("{}"), ""},
               {file_text("{}      "), ""},  // padded
               {file_text(R"({"__metadata__":{"format":"pt"}})"), ""},
               // A single number, and empty tensors.
               {file_text(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4), ""},
               {file_text(R"({"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}})"), ""},
               {file_text(R"({"a":{"dtype":"F32","shape":[5,0,7],"data_offsets":[0,0]}})"), ""},
               {file_text(R"({"a":{"dtype":"I64","shape":[1],"data_offsets":[2,10]},)"
                          R"("b":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})",
                          10),
                ""},
               {file_text(R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]},)"
                          R"("e":{"dtype":"U8","shape":[0],"data_offsets":[3,3]},)"
                          R"("b":{"dtype":"U8","shape":[1],"data_offsets":[3,4]}})",
                          4),
                ""}});
}

TEST_CASE("tensors at odd addresses are read", "[safetensors]") {
    const TemporaryFolder folder;
    std::string content = file_text(R"({"u":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                                    R"("x":{"dtype":"F32","shape":[2],"data_offsets":[1,9]}})",
                                    1);
    const float values[2] = {1.5f, -2.25f};
    content.append(reinterpret_cast<const char*>(values), sizeof values);
    const Tensor x = Safetensors::open(folder.write("m", content)).read("x", {2});
    REQUIRE(Floats(x.values().begin(), x.values().end()) == Floats{1.5f, -2.25f});
}

TEST_CASE("a file that is too short or claims too much is refused", "[safetensors]") {
    check_all({{"", "has 0 bytes, expected at least 8"},
               {"1234567", "has 7 bytes"},
               {with_length(100, "{}"), "the header has 100 bytes, but only 2 follow"},
               {with_length(3, "{}"), "but only 2 follow; was the file cut off?"},
               {with_length(100'000'001, "{}"), "100000001 bytes, expected at most 100000000"},
               {with_length(std::uint64_t{1} << 63, "{}"), "is this a safetensors file?"},
               {with_length(~0ull, "{}"), "18446744073709551615"},
               {with_length(~0ull - 7, "{}"), "expected at most"},  // 8 + length overflows
               {with_length(0, ""), "does not begin with {"}});
}

TEST_CASE("a header that is not a JSON object is refused", "[safetensors]") {
    check_all(
        {{file_text("hello"), "does not begin with {"},
         {file_text("[1]"), "does not begin with {"},
         {file_text(" {}"), "does not begin with {"},
         {file_text("{\"a\":"), "header: is not JSON"},
         {file_text("{} x"), "is not JSON"},
         {file_text("{\"a\xff\":1}"), "byte 3 is not valid UTF-8"},
         {file_text("{\"a\xed\xa0\x80\":1}"), "is not valid UTF-8"},
         {file_text("{\"a\":" + std::string(100000, '[')), "nested more than 64 deep"},
         {file_text(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                    R"("a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})",
                    1),
          "the key \"a\" appears twice"},
         {file_text(R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1),
          "the key \"dtype\" appears twice"},
         {file_text(R"({"__metadata__":{"a":"b","a":"c"}})"), "appears twice"},
         {file_text(R"({"__metadata__":{"a":1}})"),
          "__metadata__: \"a\" is the integer 1, expected a string"},
         {file_text(R"({"__metadata__":[]})"), "__metadata__ is a list"}});
}

TEST_CASE("an entry that does not describe a tensor is refused by the tensor's name",
          "[safetensors]") {
    for (const auto& [entry, message] : std::vector<std::pair<std::string, std::string>>{
             {"7", "tensor \"w\": is the integer 7, expected an object"},
             {"null", "tensor \"w\": is null"},
             {R"({"shape":[1],"data_offsets":[0,4]})", "tensor \"w\": has no dtype"},
             {R"({"dtype":"F32","data_offsets":[0,4]})", "has no shape"},
             {R"({"dtype":"F32","shape":[1]})", "has no data_offsets"},
             {R"({"dtype":4,"shape":[1],"data_offsets":[0,4]})", "dtype is the integer 4"},
             {R"({"dtype":"F31","shape":[1],"data_offsets":[0,4]})", "dtype \"F31\" is unknown"},
             {R"({"dtype":"F32","shape":4,"data_offsets":[0,4]})", "shape is the integer 4"},
             {R"({"dtype":"F32","shape":[-1],"data_offsets":[0,4]})",
              "shape holds the integer -1, expected integers from 0"},
             {R"({"dtype":"F32","shape":[1.0],"data_offsets":[0,4]})",
              "shape holds the number 1.0"},
             {R"({"dtype":"F32","shape":["1"],"data_offsets":[0,4]})", "shape holds the string"},
             {R"({"dtype":"F32","shape":[1],"data_offsets":[0]})", "not a list of two numbers"},
             {R"({"dtype":"F32","shape":[1],"data_offsets":[0,2,4]})", "not a list of two numbers"},
             {R"({"dtype":"F32","shape":[1],"data_offsets":{"0":4}})",
              "data_offsets is an object, expected a list"},
             {R"({"dtype":"F32","shape":[1],"data_offsets":[-4,0]})",
              "data_offsets holds the integer -4"},
             {R"({"dtype":"F32","shape":[1],"data_offsets":[0,"4"]})",
              "data_offsets holds the string"}})
        check_all({{file_text("{\"w\":" + entry + "}", 4), message}});
}

TEST_CASE("offsets that do not fit the data or the shape are refused", "[safetensors]") {
    const auto entry = [](const std::string& dtype, const std::string& shape,
                          const std::string& offsets, std::size_t data) {
        return file_text(R"({"w":{"dtype":")" + dtype + R"(","shape":[)" + shape +
                             R"(],"data_offsets":[)" + offsets + "]}}",
                         data);
    };
    check_all({{entry("F32", "2,3", "0,24", 24), ""},
               {entry("F32", "2,3", "24,0", 24), "data_offsets 24 to 0 are reversed"},
               {entry("F32", "2,3", "0,24", 23), "end after the file's 23 bytes"},
               {entry("F32", "2,3", "0,23", 24), "hold 23 bytes, expected 24 for (2, 3) of F32"},
               {entry("F16", "2,3", "0,24", 24), "hold 24 bytes, expected 12 for (2, 3) of F16"},
               {entry("F32", "2,3", "0,18446744073709551615", 24), "end after"},
               {entry("F32", "2,3", "18446744073709551592,18446744073709551615", 24), "end after"},
               {entry("F32", "2,3", "0,18446744073709551616", 24), "data_offsets holds the number"},
               // 2^64 elements, which are 0 if they wrap; 2^62 elements of 4 bytes.
               {entry("F32", "4294967296,4294967296", "0,0", 0), "shape is too large"},
               {entry("F32", "4611686018427387904", "0,0", 0), "shape is too large"},
               {entry("F32", "4611686018427387904,4", "0,8", 8), "exceed 2^62"},
               {entry("U8", "9223372036854775808,2", "0,0", 0), "shape is too large"},
               {entry("U8", "0,9223372036854775808,2", "0,0", 0), "shape is too large"}});
}

TEST_CASE("data that no tensor owns, or two, is refused", "[safetensors]") {
    const auto two = [](const std::string& a, const std::string& b, std::size_t data) {
        return file_text(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[)" + a +
                             R"(]},"b":{"dtype":"U8","shape":[4],"data_offsets":[)" + b + "]}}",
                         data);
    };
    check_all(
        {{two("0,4", "4,8", 8), ""},
         {two("4,8", "0,4", 8), ""},
         {two("0,4", "2,6", 6), "tensor \"b\": overlaps another tensor: begins at 2, expected 4"},
         {two("0,4", "0,4", 4), "overlaps"},
         {two("0,4", "5,9", 9), "tensor \"b\": leaves a gap before it: begins at 5, expected 4"},
         {two("1,5", "5,9", 9), "tensor \"a\": leaves a gap"},
         {two("0,4", "4,8", 9), "end at byte 8 of the data, but there are 9 (trailing bytes)"},
         {file_text("{}", 1), "trailing bytes"},
         // An empty tensor does not hide an overlap, nor may it lie inside another one.
         {file_text(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                    R"("e":{"dtype":"U8","shape":[0],"data_offsets":[2,2]}})",
                    4),
          "overlaps"}});
}

TEST_CASE("no damaged byte of a header leads to anything but one clear line", "[safetensors]") {
    const TemporaryFolder folder;
    const std::string good =
        file_text(R"({"__metadata__":{"format":"pt"},)"
                  R"("w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                  R"("v":{"dtype":"BF16","shape":[4],"data_offsets":[24,32]}})",
                  32);
    const std::size_t header_end = good.size() - 32;
    int refused = 0, accepted = 0;
    for (std::size_t i = 0; i < header_end; ++i) {
        for (const char byte : {'"', '9', '\xff'}) {
            std::string bad = good;
            bad[i] = byte;
            const std::string path = folder.write("m", bad);
            const std::string message = error_of([&] {
                const Safetensors file = Safetensors::open(path);
                if (file.find("w")) file.read("w", {2, 3});
            });
            REQUIRE_FALSE(contains(message, "more than one line"));
            (message.empty() ? accepted : refused)++;
        }
    }
    REQUIRE(refused >
            9 * accepted);  // what stays legal: another letter in a name, the byte that was there
    for (std::size_t length = 0; length < good.size(); length += 3) {
        const std::string path = folder.write("m", good.substr(0, length));
        REQUIRE(error_of([&] { Safetensors::open(path); }) != "");
    }
}
