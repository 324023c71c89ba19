#include "lib/machine/fetched_models.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <tuple>
#include <utility>

#include "lib/core/error.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {

namespace {

namespace fs = std::filesystem;

// A folder in the user's home, unless an environment variable says another one.
fs::path folder_of(const char* variable, const char* under, const char* usual) {
    if (const char* given = std::getenv(variable); given && *given) return fs::path(given) / under;
    const char* home = std::getenv("HOME");
    return home && *home ? fs::path(home) / usual : fs::path();
}

// The files and folders in a folder, by name; none if it cannot be read.
std::vector<fs::path> in_folder(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code ignored;
    for (fs::directory_iterator at(folder, ignored), end; at != end; at.increment(ignored))
        found.push_back(at->path());
    std::sort(found.begin(), found.end());
    return found;
}

std::string upper(std::string text) {
    for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return text;
}

// "Q4_K_M" for Llama-3.2-1B-Instruct-Q4_K_M.gguf; of a file in parts, only the first counts.
std::string type_in(const fs::path& file) {
    std::string name = file.stem().string();
    if (const std::size_t part = name.rfind("-00001-of-"); part != std::string::npos)
        name.resize(part);
    else if (name.find("-of-000") != std::string::npos) return "";
    const std::size_t last = name.find_last_of("-.");
    return upper(last == std::string::npos ? name : name.substr(last + 1));
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}
bool is_gguf(const fs::path& file) { return file.extension() == ".gguf"; }

// hub/models--OWNER--NAME/refs/main has the name of a folder in snapshots/.
void add_hub(const fs::path& hub, std::vector<FetchedModel>& all) {
    constexpr std::string_view begin = "models--";
    for (const fs::path& folder : in_folder(hub)) {
        std::string name = folder.filename().string();
        if (!name.starts_with(begin)) continue;
        name.erase(0, begin.size());
        if (const std::size_t at = name.find("--"); at != std::string::npos)
            name.replace(at, 2, "/");
        const fs::path main = folder / "refs" / "main";
        const std::vector<fs::path> snapshots = in_folder(folder / "snapshots");
        if (snapshots.empty()) continue;
        fs::path snapshot = snapshots.back();
        if (is_file(main)) {
            std::string commit = read_file(main.string());
            commit.erase(std::min(commit.size(), commit.find_first_of(" \n\r/")));
            const fs::path current = folder / "snapshots" / commit;
            if (std::find(snapshots.begin(), snapshots.end(), current) != snapshots.end())
                snapshot = current;
        }
        if (is_file(snapshot / "config.json")) all.push_back({name, snapshot.string()});
        for (const fs::path& file : in_folder(snapshot))
            if (is_gguf(file) && !type_in(file).empty())
                all.push_back({name + ":" + type_in(file), file.string()});
    }
}

// A file is named OWNER_NAME_FILE.gguf.
void add_llama(const fs::path& cache, std::vector<FetchedModel>& all) {
    for (const fs::path& file : in_folder(cache)) {
        std::string name = file.stem().string();
        const std::size_t owner = name.find('_'), end = name.find('_', owner + 1);
        if (!is_gguf(file) || type_in(file).empty() || end == std::string::npos) continue;
        name = name.substr(0, owner) + "/" + name.substr(owner + 1, end - owner - 1);
        all.push_back({name + ":" + type_in(file), file.string()});
    }
}

// manifests/registry.ollama.ai/library/NAME/TAG is a JSON file that names a file in blobs/.
void add_ollama(const fs::path& models, std::vector<FetchedModel>& all) {
    for (const fs::path& registry : in_folder(models / "manifests"))
        for (const fs::path& owner : in_folder(registry))
            for (const fs::path& name : in_folder(owner))
                for (const fs::path& tag : in_folder(name)) {
                    if (!is_file(tag)) continue;
                    const Json manifest = json_value(read_file(tag.string()));
                    const Json layers =
                        manifest.is_object() ? manifest.value("layers", Json()) : Json();
                    for (const Json& layer : layers.is_array() ? layers : Json::array()) {
                        if (!layer.is_object() || layer.value("mediaType", Json()) !=
                                                      "application/vnd.ollama.image.model")
                            continue;
                        std::string blob = layer.value("digest", "");
                        std::replace(blob.begin(), blob.end(), ':', '-');
                        if (blob.find('/') != std::string::npos) continue;
                        const std::string by =
                            owner.filename() == "library" ? "" : owner.filename().string() + "/";
                        all.push_back(
                            {by + name.filename().string() + ":" + tag.filename().string(),
                             (models / "blobs" / blob).string()});
                    }
                }
}

}  // namespace

std::vector<FetchedModel> fetched_models() {
    std::vector<FetchedModel> all;
    const char* hub = std::getenv("HF_HUB_CACHE");
    add_hub(hub && *hub ? fs::path(hub) : folder_of("HF_HOME", "hub", ".cache/huggingface/hub"),
            all);
    add_llama(folder_of("LLAMA_CACHE", "", ".cache/llama.cpp"), all);
    add_ollama(folder_of("OLLAMA_MODELS", "", ".ollama/models"), all);
    std::sort(all.begin(), all.end(), [](const FetchedModel& a, const FetchedModel& b) {
        return std::tie(a.name, a.path) < std::tie(b.name, b.path);
    });
    return all;
}

std::string path_of_model(const std::string& name) {
    std::error_code ignored;
    if (name.empty() || fs::exists(name, ignored)) return name;
    const std::size_t colon = name.find(':');
    const std::string base = name.substr(0, colon),
                      type = colon == std::string::npos ? "" : upper(name.substr(colon + 1));
    std::vector<FetchedModel> found;
    for (FetchedModel& model : fetched_models()) {
        const std::size_t end = model.name.find(':');
        if (model.name.substr(0, end) != base) continue;
        const std::string own = end == std::string::npos ? "" : upper(model.name.substr(end + 1));
        if (type == own) return model.path;
        model.name = own;
        found.push_back(std::move(model));
    }
    if (!type.empty() || found.empty()) return name;
    for (const char* usual : {"LATEST", "Q4_K_M"})
        for (const FetchedModel& model : found)
            if (model.name == usual) return model.path;
    return found[0].path;
}

}  // namespace tbt
