// A model's weights on disk: one file, several with an index, none.
#include "tests/catch.hpp"

#include <cstring>
#include <filesystem>
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

TEST_CASE("the tiny model's tensors are read, with the prefix of the hub or without",
          "[safetensors]") {
    const Safetensors file = Safetensors::open_directory("tests/data/tiny-gpt2");
    REQUIRE(file.tensors().size() == 28);
    REQUIRE(file.metadata().at("format") == "pt");
    const Tensor a = file.read("transformer.wte.weight", {97, 64});
    const Tensor b = file.read_weight("wte.weight", {97, 64});
    REQUIRE(std::memcmp(a.data(), b.data(), 97 * 64 * sizeof(float)) == 0);
    // The last tensor of the file ends with the file.
    const std::string bytes = read_file("tests/data/tiny-gpt2/model.safetensors");
    float last = 0;
    std::memcpy(&last, bytes.data() + bytes.size() - sizeof(float), sizeof(float));
    REQUIRE(a.values().back() == last);
    const Tensor norm = file.read_weight("ln_f.weight", {64});
    REQUIRE(norm.values().front() != 0);
}

TEST_CASE("a model in several files is read through its index", "[safetensors]") {
    const TemporaryFolder folder;
    const Floats a = {1, 2}, b = {3, 4, 5};
    write_safetensors(folder.file("part-1.safetensors"), {{"a", {2}, a}});
    write_safetensors(folder.file("part-2.safetensors"), {{"b", {3}, b}});
    const auto with_map = [&](const std::string& map) {
        folder.write("model.safetensors.index.json",
                     R"({"metadata":{"total_size":20},"weight_map":)" + map + "}");
        return error_of([&] { Safetensors::open_directory(folder.path()); });
    };
    REQUIRE(with_map(R"({"a":"part-1.safetensors","b":"part-2.safetensors"})") == "");
    const Safetensors model = Safetensors::open_directory(folder.path());
    REQUIRE(model.read("a", {2}).values()[1] == 2);
    REQUIRE(model.read("b", {3}).values()[2] == 5);

    REQUIRE(contains(with_map(R"({"a":"part-2.safetensors","b":"part-2.safetensors"})"),
                     "part-2.safetensors: has no tensor \"a\""));
    REQUIRE(contains(with_map(R"({"a":"part-3.safetensors"})"),
                     "part-3.safetensors: is missing, one of the 1 files"));
    REQUIRE(contains(with_map(R"({"c":"part-1.safetensors"})"),
                     "has no tensor \"c\", as the index says"));
    REQUIRE(contains(with_map(R"({"a":"../part-1.safetensors"})"), "expected a file name"));
    REQUIRE(contains(with_map(R"({"a":7})"), "tensor \"a\" is in the integer 7"));
    REQUIRE(contains(with_map("[]"), "has no object \"weight_map\""));
    write_safetensors(folder.file("part-2.safetensors"), {{"a", {2}, a}, {"b", {3}, b}});
    REQUIRE(contains(with_map(R"({"a":"part-1.safetensors","b":"part-2.safetensors"})"),
                     "\"a\" is in another file too"));
}

TEST_CASE("a directory without weights says what it lacks", "[safetensors]") {
    const TemporaryFolder folder;
    const auto message = [&] {
        return error_of([&] { Safetensors::open_directory(folder.path()); });
    };
    REQUIRE(contains(message(), "has no model.safetensors"));
    folder.write("pytorch_model.bin", "x");
    REQUIRE(contains(message(), "only pytorch_model.bin"));
    std::filesystem::create_directory(folder.file("model.safetensors"));
    REQUIRE(contains(message(), "is not a regular file"));
}
