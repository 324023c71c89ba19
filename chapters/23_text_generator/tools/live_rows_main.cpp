// Writes what the live figures of the course's pages carry (make page): real logits of the shipped
// models, the tokens' names, and the module that computes with them.
//
//   build/live_rows build-live/live.wasm --runs build-live > live_data.js
//
// The recorded runs of chapters 11, 18 and 22, which only their pages carry, go to a folder.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "chapters/18_transformer/load_plain.hpp"
#include "chapters/22_diffusion/filling.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/json/json.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
#include "lib/show/base64.hpp"
#include "lib/show/terminal.hpp"

using namespace tbt;

namespace {

// A text whose next token the figures look at, and how many steps greedy decoding goes on from it.
struct Text {
    std::string_view prompt;
    bool drafted = false;  // the small model's logits are there, too
    int steps = 1;
};
constexpr Text texts[] = {
    {"The weather today is", true},
    {"He works as a", true},
    {"She was so", true},
    {"The meaning of life is"},
    {"Once upon a"},
    {"The weather today is windy. The wind is strong and the trees are bending. The"},
    {"The weather today", false, 6},
};

// V codes of 16 bits between the least and the greatest logit; then the ids of the largest logits,
// and these as they are, since they are what the figures show. A code's rounding error is carried
// over to the next one's, in descending order, so that errors cancel in every sum of probabilities,
// at any temperature.
constexpr std::size_t exact = 128;

void put(std::string& bytes, std::uint32_t value, int size) {
    for (int k = 0; k < size; ++k) bytes += static_cast<char>(value >> (8 * k) & 255);
}

void put(std::string& bytes, float value) { put(bytes, std::bit_cast<std::uint32_t>(value), 4); }

std::string packed(std::span<const float> s) {
    const std::vector<std::size_t> order = sorted_descending(s);
    const double low = s[order.back()], high = s[order[0]];
    std::vector<std::uint32_t> codes(s.size());
    double carried = 0;
    for (std::size_t i = exact; i < order.size(); ++i) {
        const double wanted = (s[order[i]] - low) / (high - low) * 65535 + carried;
        const double code = std::max(0.0, std::nearbyint(wanted));
        codes[order[i]] = static_cast<std::uint32_t>(code);
        carried = wanted - code;
    }
    std::string bytes;
    for (const std::uint32_t code : codes) put(bytes, code, 2);
    for (std::size_t i = 0; i < exact; ++i) put(bytes, static_cast<std::uint32_t>(order[i]), 2);
    for (std::size_t i = 0; i < exact; ++i) put(bytes, s[order[i]]);
    return base64(bytes);
}

Json row_of(WholeTextModel<Gpt>& gpt, const std::vector<int>& ids) {
    const std::span<const float> s = gpt(ids);
    return {{"low", *std::min_element(s.begin(), s.end())}, {"packed", packed(s)}};
}

Json all_rows() {
    GptModel large = load_gpt(model_directory("storyteller")),
             small = load_gpt(model_directory("sketch"));
    WholeTextModel gpt(large.gpt), draft(small.gpt);
    std::string names;
    for (int id = 0; id < large.tokenizer.vocab_size(); ++id)
        names += (id ? "\n" : "") + visible(large.tokenizer.token_bytes(id));
    std::vector<Json> rows;
    for (const Text& text : texts) {
        std::vector<int> ids = encode_prompt(large, text.prompt);
        for (int step = 0; step < text.steps; ++step) {
            // A step may come to a text that is there already.
            const auto has_ids = [&](const Json& row) { return row["ids"] == Json(ids); };
            auto row = std::find_if(rows.begin(), rows.end(), has_ids);
            if (row == rows.end()) {
                rows.push_back(row_of(gpt, ids));
                row = rows.end() - 1;
                (*row)["ids"] = ids, (*row)["prompt"] = large.tokenizer.decode(ids);
            }
            if (text.steps > 1) (*row)["step"] = step;
            if (text.drafted) (*row)["draft"] = row_of(draft, ids);
            ids.push_back(argmax(gpt(ids)));
        }
    }
    return {{"names", names}, {"rows", rows}};
}

// ---- recorded runs ----

// Rows of logits by their keys, of each the most probable ids, and the logit that all others would
// have if they were equally probable, so that the sum of all is what it was.
class Recorded {
public:
    explicit Recorded(int n) : n_(n) {}
    void add(std::span<const float> s) {
        double sum = 0, kept = 0;
        for (const float x : s) sum += std::exp(static_cast<double>(x));
        for (const Candidate& c : top_candidates(s, n_)) {
            ids_.push_back(c.id);
            put(logits_, c.logit);
            kept += std::exp(static_cast<double>(c.logit));
        }
        put(logits_,
            static_cast<float>(std::log((sum - kept) / static_cast<double>(count(s) - n_))));
    }
    const std::vector<int>& ids() const { return ids_; }
    Json json() const { return {{"each", n_}, {"ids", ids_}, {"logits", base64(logits_)}}; }

private:
    int n_;
    std::vector<int> ids_;
    std::string logits_;
};

constexpr int widths[] = {1, 2, 3, 4, 6};

// All that searches for six tokens read.
Json lattice_runs() {
    GptModel model = load_gpt(model_directory("storyteller"));
    WholeTextModel gpt(model.gpt);
    Json all = Json::array();
    for (const char* prompt : {"The meaning of life is", "The weather today is", "Once upon a"}) {
        const std::vector<int> ids = encode_prompt(model, prompt);
        std::map<std::vector<int>, std::vector<float>> read;
        const BatchLogits noting = one_at_a_time([&](std::span<const int> text) {
            const std::span<const float> s = gpt(text);
            read[{text.begin() + length_of(ids), text.end()}] = {s.begin(), s.end()};
            return s;
        });
        BeamRequest request;
        request.stop.max_new_tokens = 6, request.stop.eos = {model.tokenizer.eos_id()};
        for (const int B : widths) {
            request.beams.num_beams = B;
            run_beam_search(noting, request, ids);
        }
        Json keys = Json::array();
        Recorded rows(2 * widths[std::size(widths) - 1]);
        for (const auto& [key, s] : read) keys.push_back(key), rows.add(s);
        all.push_back({{"prompt", prompt}, {"keys", keys}, {"rows", rows.json()}});
    }
    return all;
}

// A sentence inside the model: the scores of each head before softmax, and the logit lens.
Json inside_runs() {
    const std::string prompt = "The weather today is windy. The wind is strong and the";
    const PlainGpt gpt = load_plain_gpt(model_directory("storyteller"));
    const std::vector<int> ids = load_gpt(model_directory("storyteller")).tokenizer.encode(prompt);
    Inside inside;
    gpt.forward(ids, &inside);
    Recorded lens(3);
    for (const auto& x : inside.residual)
        for (const Row& row : x) lens.add(gpt.logits(row));
    std::string scores;
    for (const auto& heads : inside.scores)
        for (const auto& head : heads)
            for (const Row& row : head)
                for (const float score : row) put(scores, score);
    return {{{"prompt", prompt},
             {"tokens", ids},
             {"layers", gpt.layers},
             {"heads", gpt.heads},
             {"channels", gpt.channels},
             {"inner", gpt.inner},
             {"scores", base64(scores)},
             {"rows", lens.json()}}};
}

// Gaps of twelve tokens, filled in each order and number of passes that the figure offers.
Json mask_runs() {
    MaskedModel model = MaskedModel::load(model_directory("diffusion"));
    constexpr std::pair<const char*, const char*> around[] = {
        {"I'm going to the beach to build a", " Would you like to come with us?"},
        {"The weather today is", " Tomorrow will be sunny."}};
    const MaskedDistribution p = model.distribution();
    Json all = Json::array(), names = Json::object();
    for (const auto& [before, after] : around) {
        const Hole open = hole_between(model, before, after, 12);
        std::map<Canvas, Canvas> seen;  // by the gap
        model.on_pass = [&](const Canvas& row) {
            seen[{row.begin() + to_int(open.begin), row.begin() + to_int(open.end)}] = row;
        };
        for (const int passes : {12, 6, 4, 3, 2, 1}) {
            std::vector<FillOptions> ways = {{"confidence", passes}, {"confidence", passes}};
            ways[1].block_length = 12 / passes;
            ways.resize(2 + 2, {"random", passes});
            for (std::size_t i = 0; i < ways.size(); ++i) {
                Hole hole = open;
                Rng rng(i % 2);  // of the random ones: seeds 0 and 1
                fill_once(hole, greedy(p), drawing(rng), ways[i], p);
            }
        }
        model.on_pass = nullptr;
        Json keys = Json::array();
        Recorded rows(3);
        for (const auto& [gap, row] : seen) {
            keys.push_back(gap);
            for (const std::size_t i : masked_places(row, open.end)) rows.add(model.logits(row, i));
        }
        for (const int id : rows.ids())
            names[std::to_string(id)] = visible(model.tokenizer.token_bytes(id));
        all.push_back(
            {{"prompt", before}, {"suffix", after}, {"keys", keys}, {"rows", rows.json()}});
    }
    return {{"texts", all}, {"names", names}};
}

}  // namespace

int main(int argc, char** argv) {
    std::string module, runs;
    return run_program(
        argc, argv, "Writes what the live figures of the course's pages carry, as JavaScript.",
        [&](CommandLine line) {
            line.option("module", module, "the figures' module of WebAssembly").required();
            line.option("--runs", runs, "folder for the recorded runs").required();
        },
        [&] {
            const auto write = [&](const std::string& name, const Json& data) {
                write_file(join_path(runs, "live_" + name + ".js"),
                           "\"use strict\";\ntbtLive." + name + " = " + json_text(data) + ";\n");
            };
            write("lattice", lattice_runs());
            write("inside", inside_runs());
            write("masks", mask_runs());
            Json data = all_rows();
            data["module"] = base64(read_file(module));
            std::cout << "\"use strict\";\nconst tbtLive = " << data << ";\n";
        });
}
