// The models in the caches of other programs: their names and paths.
#include "tests/catch.hpp"

#include <filesystem>

#include "lib/machine/fetched_models.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;

namespace {

// The caches are in this folder while it lives.
struct Caches {
    test::TemporaryFolder folder;
    Caches() {
        for (const char* variable : variables) ::setenv(variable, folder.path().c_str(), 1);
    }
    ~Caches() {
        for (const char* variable : variables) ::unsetenv(variable);
    }
    std::string add(const std::string& path, const std::string& content = "x") const {
        make_directory(std::filesystem::path(folder.file(path)).parent_path().string());
        write_file(folder.file(path), content);
        return folder.file(path);
    }
    static constexpr const char* variables[] = {"HF_HUB_CACHE", "LLAMA_CACHE", "OLLAMA_MODELS"};
};

}  // namespace

TEST_CASE("models of the hub, of llama.cpp and of Ollama have their names") {
    const Caches caches;
    CHECK(fetched_models().empty());
    CHECK(path_of_model("a/b") == "a/b");  // is refused where it is opened
    const std::string hub = "models--a--b/snapshots/";
    caches.add(hub + "1/config.json"), caches.add(hub + "2/config.json");
    caches.add("models--a--b/refs/main", "1\n");
    const std::string gguf = "models--a--b-GGUF/snapshots/3/b-1.5-";
    const std::string q8 = caches.add(gguf + "q8_0.gguf"), q4 = caches.add(gguf + "Q4_K_M.gguf");
    const std::string first = caches.add(gguf + "f16-00001-of-00002.gguf");
    caches.add(gguf + "f16-00002-of-00002.gguf");
    const std::string llama = caches.add("c_d_d-Q6_K.gguf");
    const std::string blob = caches.add("blobs/sha256-77");
    caches.add("manifests/registry.ollama.ai/library/tiny/1b",
               R"({"layers": [{"mediaType": "application/vnd.ollama.image.template", "digest": "z"},
                   {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:77"}]})");
    caches.add("manifests/registry.ollama.ai/library/tiny/broken", "{\"layers\": 3");
    std::vector<std::string> names;
    for (const FetchedModel& model : fetched_models()) names.push_back(model.name);
    CHECK(names == std::vector<std::string>{"a/b", "a/b-GGUF:F16", "a/b-GGUF:Q4_K_M",
                                            "a/b-GGUF:Q8_0", "c/d:Q6_K", "tiny:1b"});
    CHECK(path_of_model("a/b") == caches.folder.file(hub + "1"));
    CHECK(path_of_model("a/b-GGUF:q8_0") == q8);
    CHECK(path_of_model("a/b-GGUF:f16") == first);
    CHECK(path_of_model("a/b-GGUF") == q4);  // llama.cpp's choice, too
    CHECK(path_of_model("a/b-GGUF:Q2_K") == "a/b-GGUF:Q2_K");
    CHECK(path_of_model("c/d") == llama);
    CHECK(path_of_model("tiny:1b") == blob);
    CHECK(path_of_model("data/models/sketch") == "data/models/sketch");
    std::string model;
    read_command_line({"--model", "a/b"}, [&](OptionTable& t) { model_option(t, model); });
    CHECK(model == caches.folder.file(hub + "1"));
}
