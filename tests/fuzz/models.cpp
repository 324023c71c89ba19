// Damaged model files of all kinds: each is refused with an Error or opens, soon and in little
// memory.
//
//   TBT_FUZZ_ROUNDS=1000 build/tests-fuzz "[models]"    copies of each (TBT_FUZZ=gemma2: of those)
#include "tests/catch.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "chapters/19_training/tools/gguf.hpp"
#include "lib/core/rng.hpp"
#include "lib/files/config_file.hpp"
#include "lib/files/model.hpp"
#include "lib/files/random_model.hpp"
#include "lib/machine/files.hpp"
#include "tests/fuzz/mutate.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

// The files of one model: a directory, or GGUF (one file, or several that belong together).
struct Form {
    std::string name, opened;  // what is given to load_transformer(), within the folder
    std::map<std::string, std::string> files;
};

Form form_of(const std::string& name, const std::string& folder, const std::string& opened) {
    Form form{name, opened, {}};
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        if (file != "golden.json" && file != "expected.json")
            form.files[file] = read_file(entry.path().string());
    }
    return form;
}

// Every model of tests/data as a directory and as a GGUF file, and the files of llama-quantize.
std::vector<Form> forms() {
    std::vector<Form> all;
    for (const auto& entry : std::filesystem::directory_iterator("tests/data")) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with("tiny-")) continue;
        all.push_back(form_of(name, entry.path().string(), ""));
        const test::TemporaryFolder folder;
        TransformerConfig config = read_model_config(entry.path().string());
        config.vocab_size = std::max(config.vocab_size, 300);
        write_random_model(folder.file("m"), config, {1, WeightType::f16});
        make_directory(folder.file("gguf"));
        try {
            write_gguf(folder.file("m"), folder.file("gguf/m.gguf"), WeightType::f16);
        } catch (const Error&) {
            continue;  // llama.cpp has no such model
        }
        all.push_back(form_of(name + ".gguf", folder.file("gguf"), "m.gguf"));
    }
    std::sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.name < b.name; });
    Form blocks = form_of("Q4_K_M.gguf", "tests/data/gguf", "Q4_K_M.gguf"), split = blocks;
    std::erase_if(blocks.files, [](const auto& file) { return file.first.starts_with("split"); });
    split.files.erase("Q4_K_M.gguf");
    split.name = "split.gguf", split.opened = split.files.begin()->first;
    all.push_back(blocks), all.push_back(split);
    return all;
}

// The header of a safetensors file is damaged within its length, which is written anew, so that it
// is read to its end. In other binary files, half of the changes are where they begin.
std::string damaged_file(const std::string& name, const std::string& bytes, Rng& rng) {
    if (rng.below(8) == 0) return bytes.substr(0, index(rng.below(bytes.size() + 1)));
    const bool tensors = name.ends_with(".safetensors");
    if (!tensors && !name.ends_with(".gguf")) return fuzz::damaged({bytes}, 0, rng);
    std::uint64_t length = 0;
    for (std::size_t i = 8; tensors && i-- > 0;)
        length = length << 8 | static_cast<unsigned char>(bytes[i]);
    if (tensors && rng.below(2) == 0) {
        const std::string header = fuzz::damaged({bytes.substr(8, length)}, 0, rng);
        std::string size(8, '\0');
        for (std::size_t i = 0; i < 8; ++i) size[i] = static_cast<char>(header.size() >> 8 * i);
        return size + header + bytes.substr(8 + length);
    }
    std::string text = bytes;
    for (std::uint64_t n = 1 + rng.below(4); n > 0; --n) {
        const std::uint64_t within =
            rng.below(2) == 0 ? std::min<std::uint64_t>(text.size(), 2000) : text.size();
        text[index(rng.below(within))] = static_cast<char>(rng.below(256));
    }
    return text;
}

long peak_kilobytes() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
}

}  // namespace

TEST_CASE("a damaged model is refused or opens, within 5 s and 3 times its file",
          "[fuzz][models]") {
    const char* rounds = std::getenv("TBT_FUZZ_ROUNDS");
    const char* only = std::getenv("TBT_FUZZ");
    const char* seed = std::getenv("TBT_FUZZ_SEED");
    Rng rng(seed ? std::strtoull(seed, nullptr, 10) : 1);
    int opened = 0, refused = 0;
    for (const Form& form : forms()) {
        if (only && form.name.find(only) == std::string::npos) continue;
        INFO(form.name);
        for (int round = 0; round < (rounds ? std::atoi(rounds) : 3); ++round) {
            const test::TemporaryFolder folder;
            auto files = form.files;
            const auto victim = std::next(files.begin(), to_int(rng.below(files.size())));
            victim->second = damaged_file(victim->first, victim->second, rng);
            std::size_t bytes = 0;
            for (const auto& [name, content] : files)
                folder.write(name, content), bytes += content.size();
            INFO("round " << round << ", " << victim->first);
            const long before = peak_kilobytes();
            const std::clock_t start = std::clock();
            try {
                Transformer model = load_transformer(folder.file(form.opened), {2});
                KvCache cache(model.config());
                model.forward(cache, std::vector{0, 1, 2});
                ++opened;
            } catch (const Error& error) {
                ++refused;
                CHECK(std::string(error.what()).find('\n') == std::string::npos);
            }
            CHECK(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC < 5);
#ifndef __SANITIZE_ADDRESS__
            // Beside the file: the buffers of a pass, the names of the weights of 65,536 layers.
            CHECK(peak_kilobytes() - before < static_cast<long>(3 * bytes / 1024) + 128 * 1024);
#endif
        }
    }
    if (rounds) std::printf("damaged models: %d opened, %d were refused\n", opened, refused);
    CHECK(refused > 0);
}
