#include "chapters/19_training/tools/adopt.hpp"

#include <cstdio>
#include <map>
#include <vector>

#include "lib/core/error.hpp"
#include "lib/files/masked_gpt.hpp"
#include "lib/files/model.hpp"
#include "lib/files/safetensors.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/files.hpp"

namespace tbt {
namespace {

namespace fs = std::filesystem;

Json json_or_nothing(const fs::path& path) {
    return file_exists(path.string()) ? read_json(path.string()) : Json::object();
}

void check_finished(const fs::path& trained) {
    // Load the model, which reads and checks every file.
    const Json config = read_json((trained / "config.json").string());
    if (config.value("model_type", "") == "medusa_heads")
        Safetensors::open_directory(trained.string());  // heads on a model (chapter 21)
    else if (config.contains("mask_token_id"))
        MaskedGpt::load(trained), Tokenizer::load(trained.string());
    else load_model(trained);
    const fs::path path = trained / "recipe.json";
    const Json recipe = read_json(path.string());
    const auto steps_at = [&](const Json& object, const char* key) {
        return integer_of<std::int64_t>(object.value(key, Json(0)), path.string() + ": " + key);
    };
    const auto done = steps_at(recipe, "steps_done"),
               steps = steps_at(recipe.value("options", Json::object()), "steps");
    if (done < steps || steps == 0)
        throw Error(path.string() + ": has done " + std::to_string(done) + " of " +
                    std::to_string(steps) + " steps; finish its training first");
}

// (name, cells of the old and the new model), in the order of the new one.
struct Row {
    std::string name, before, after;
};

std::string number(const Json& value, int digits) {
    if (!value.is_number()) return "";
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value.get<double>());
    return text;
}

// Adds the rows of two reports: each has the name of a rate and the figure as the report prints it.
void add_report(const Json& before, const Json& after, std::vector<Row>& rows) {
    if (!before.contains("rows") || !after.contains("rows")) return;
    std::map<std::string, std::string> old;
    for (const Json& row : before.at("rows")) old[row.at("what").text()] = row.at("figure").text();
    for (const Json& row : after.at("rows"))
        rows.push_back({row.at("what"), old[row.at("what").text()], row.at("figure")});
}

void add_gaps(const Json& before, const Json& after, std::vector<Row>& rows) {
    static constexpr const char* key = "held_out_bits_per_byte";
    const auto gap = [](const Json& recipe, const std::string& genre) -> std::string {
        if (!recipe.contains(key) || !recipe.at(key).contains(genre)) return "";
        const Json& r = recipe.at(key).at(genre);
        if (!r.contains("floor")) return number(r.at("model"), 4);
        return number(r.at("model").get<double>() - r.at("floor").get<double>(), 4);
    };
    if (!after.contains(key)) return;
    for (const auto& [genre, values] : after.at(key).items())
        rows.push_back({"gap to the floor: " + genre, gap(before, genre), gap(after, genre)});
}

}  // namespace

std::string adoption_table(const fs::path& trained, const fs::path& shipped) {
    check_finished(trained);
    const Json before = json_or_nothing(shipped / "recipe.json"),
               after = read_json((trained / "recipe.json").string());
    std::vector<Row> rows;
    for (const char* key : {"parameters", "tokens"})
        rows.push_back({key, before.contains(key) ? json_text(before.at(key)) : "",
                        after.contains(key) ? json_text(after.at(key)) : ""});
    add_report(json_or_nothing(shipped / "report.json"), json_or_nothing(trained / "report.json"),
               rows);
    add_gaps(before, after, rows);
    char line[256];
    std::snprintf(line, sizeof line, "%-52s %16s %16s\n", "", "ships now", "trained");
    std::string table = line;
    for (const Row& row : rows) {
        std::snprintf(line, sizeof line, "%-52.52s %16s %16s\n", row.name.c_str(),
                      row.before.c_str(), row.after.c_str());
        table += line;
    }
    return table;
}

void adopt(const fs::path& trained, fs::path shipped) {
    if (!shipped.has_filename()) shipped = shipped.parent_path();  // "sketch/" is "sketch"
    const fs::path fresh = shipped.string() + ".new", old = shipped.string() + ".old";
    try {
        if (fs::exists(old) && !fs::exists(shipped)) fs::rename(old, shipped);
        fs::remove_all(fresh);
        fs::remove_all(old);
        make_directory(fresh.string());
        for (const auto& entry : fs::directory_iterator(trained)) {
            const std::string name = entry.path().filename().string();
            if (!entry.is_regular_file() || name.starts_with("checkpoint") ||
                name.ends_with(".tmp"))
                continue;
            write_file((fresh / name).string(), read_file(entry.path().string()));
        }
        if (fs::exists(shipped)) fs::rename(shipped, old);
        fs::rename(fresh, shipped);
        fs::remove_all(old);
    } catch (const std::exception& e) {
        std::error_code ignored;
        if (fs::exists(old) && !fs::exists(shipped)) fs::rename(old, shipped, ignored);
        fs::remove_all(fresh, ignored);
        throw Error(shipped.string() +
                    ": the new model was not installed, the old one is still there: " + e.what());
    }
}

}  // namespace tbt
