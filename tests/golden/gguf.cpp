// Files that llama.cpp's llama-quantize wrote. expected.json has, for each tensor, its type and a
// hash
// of the floats that llama.cpp itself makes of it: the sixteen types of split-*.gguf, and a Q4_K_M.
#include "tests/catch.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lib/files/gguf_file.hpp"
#include "lib/files/model.hpp"
#include "lib/json/json.hpp"
#include "lib/kernels/hash.hpp"
#include "lib/model/transformer.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

const std::string folder = "tests/data/gguf/";
constexpr const char* parts[] = {"split-00001-of-00003.gguf", "split-00002-of-00003.gguf",
                                 "split-00003-of-00003.gguf"};

void check_tensors(const GgufFile& file, const Json& expected) {
    CHECK(file.tensors().size() == expected.size());
    for (const auto& [name, tensor] : expected.items()) {
        const auto type = tensor["type"].get<std::string>();
        INFO(name << ", " << type);
        const Shape shape = tensor["shape"].get<Shape>();
        CHECK(file.expect(name, shape).block->name == type);
        const Tensor values = file.read(name, shape);
        CHECK(Hash().add(std::as_bytes(values.values())).text() ==
              tensor["hash"].get<std::string>());
    }
}

}  // namespace

TEST_CASE("numbers of sixteen types have llama.cpp's bits, in a file of three parts", "[gguf]") {
    const Json expected = read_json(folder + "expected.json");
    for (const char* part : parts) check_tensors(GgufFile(folder + part), expected["mixed"]);
    check_tensors(GgufFile(folder + "Q4_K_M.gguf"), expected["Q4_K_M"]);
}

TEST_CASE("a missing or renamed part of a GGUF file is named", "[gguf]") {
    const test::TemporaryFolder copy;
    std::filesystem::copy_file(folder + parts[0], copy.file(parts[0]));
    std::filesystem::copy_file(folder + parts[2], copy.file(parts[2]));
    CHECK(test::error_of([&] { GgufFile(copy.file(parts[2])); }) ==
          copy.file(parts[1]) + ": is missing, one of the 3 parts of this model; fetch them all");
    std::filesystem::rename(copy.file(parts[0]), copy.file("first.gguf"));
    CHECK(test::contains(test::error_of([&] { GgufFile(copy.file("first.gguf")); }),
                         "expected a name that ends like -00001-of-00003.gguf"));
}

TEST_CASE("a Q4_K_M file stays in its blocks, or is converted to what is asked for", "[gguf]") {
    const std::string path = folder + "Q4_K_M.gguf";
    const std::vector<int> ids = {1, 5, 300, 42};
    const auto logits = [&](std::optional<WeightType> type) {
        Model model = load_model(path, {1, type});
        KvCache cache(model.config());
        const std::span<const float> last = model.transformer.forward(cache, ids);
        return std::vector<float>(last.begin(), last.end());
    };
    const std::vector<float> exact = logits(WeightType::f32), stored = logits({});
    // The difference, as a share of the logits: both as root mean squares.
    const auto difference = [&](const std::vector<float>& other) {
        double apart = 0, all = 0;
        for (std::size_t i = 0; i < exact.size(); ++i) {
            apart += std::pow(static_cast<double>(exact[i] - other[i]), 2);
            all += std::pow(static_cast<double>(exact[i]), 2);
        }
        return std::sqrt(apart / all);
    };
    const double of_stored = difference(stored), of_f16 = difference(logits(WeightType::f16));
    INFO(of_stored << ", " << of_f16);
    CHECK(of_stored > of_f16);
    // Activations in 8 bits: an error of 1/127/√12 of a block's largest in each, 13 times that of
    // f16's weights. The same network amplifies both.
    CHECK(of_stored < 60 * of_f16);
    CHECK(of_f16 < 0.003);  // weights rounded to 11 bits
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(path));
    CHECK(load_model(path).transformer.weight_bytes() <= size * 135 / 100);
}

TEST_CASE("a model in blocks has the same bits token by token, in a batch and with three threads",
          "[gguf][contract]") {
    const test::FullTeams full;
    const std::vector<int> ids = {1, 5, 300, 42, 7, 7, 250, 3, 99, 12, 13, 14};
    for (const std::string name : {"Q4_K_M.gguf", parts[0]}) {
        Transformer one = load_transformer(folder + name, {1}),
                    model = load_transformer(folder + name, {3});
        KvCache whole(one.config()), steps(model.config()), other(model.config());
        const Logits all = one.forward_all(whole, ids);
        for (int t = 0; t < static_cast<int>(ids.size()); ++t) {
            const Step both[] = {{&steps, std::span(ids).subspan(static_cast<std::size_t>(t), 1)},
                                 {&other, ids}};
            other.clear();
            INFO(name << ", token " << t);
            CHECK(std::ranges::equal(model.forward(both).row(0), all.row(t)));
        }
    }
}

TEST_CASE("weights in blocks that are converted are said to be, and only then", "[gguf]") {
    const std::string path = folder + "Q4_K_M.gguf";
    const auto said = [&](std::optional<WeightType> type) {
        return test::written_to(2, [&] { load_transformer(path, {1, type}); });
    };
    CHECK(said({}) == "");
    const std::string line = said(WeightType::f16);
    CHECK(test::contains(line, "Q4_K_M.gguf: weights in "));
    CHECK(test::contains(line, " are converted to f16 ("));
    CHECK(line.ends_with(" MiB); --weights stored keeps them\n"));
}
