// Writes what the live figures of the course's pages carry (make page): real logits of the shipped
// models, the tokens' names, and the module that computes with them.
//
//   build/live_rows build-live/live.wasm > live_data.js
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "chapters/01_next_token/next_token.hpp"
#include "chapters/02_greedy/greedy.hpp"
#include "chapters/04_top_k/plain_top_k.hpp"
#include "lib/core/gpt.hpp"
#include "lib/core/index.hpp"
#include "lib/core/json.hpp"
#include "lib/machine/command_line.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/usual_options.hpp"
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

std::string base64(std::string_view bytes) {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto byte = [&](std::size_t k) {
            return i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0u;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (std::size_t k = 0; k < 4; ++k)
            out += i + k > bytes.size() ? '=' : letters[three >> (18 - 6 * k) & 63];
    }
    return out;
}

// V codes of 16 bits between the least and the greatest logit; then the ids of the largest logits,
// and these as they are, since they are what the figures show. A code's rounding error is carried
// over to the next one's, in descending order, so that errors cancel in every sum of probabilities,
// at any temperature.
constexpr std::size_t exact = 128;

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
    const auto put = [&](std::uint32_t value, int size) {
        for (int k = 0; k < size; ++k) bytes += static_cast<char>(value >> (8 * k) & 255);
    };
    for (const std::uint32_t code : codes) put(code, 2);
    for (std::size_t i = 0; i < exact; ++i) put(static_cast<std::uint32_t>(order[i]), 2);
    for (std::size_t i = 0; i < exact; ++i) put(std::bit_cast<std::uint32_t>(s[order[i]]), 4);
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

}  // namespace

int main(int argc, char** argv) {
    std::string module;
    return run_program(
        argc, argv, "Writes what the live figures of the course's pages carry, as JavaScript.",
        [&](CommandLine line) {
            line.option("module", module, "the figures' module of WebAssembly").required();
        },
        [&] {
            Json data = all_rows();
            data["module"] = base64(read_file(module));
            std::cout << "\"use strict\";\nconst tbtLive = " << data << ";\n";
        });
}
