#include "chapters/24_which_decoder/decoders/write_together.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace tbt {

namespace {

constexpr std::size_t few_rows = 24;  // with fewer in a pass, another prompt begins

struct Place {  // a slot of the batch
    std::size_t request, prompt;
    TextWriter writer;
};

struct BySpelling {
    bool operator()(std::span<const int> a, std::span<const int> b) const {
        return std::ranges::lexicographical_compare(a, b);
    }
};

}  // namespace

WrittenTogether write_together(const BatchLogits& model, const TokenBytes& bytes,
                               const std::vector<std::vector<int>>& prompts,
                               const std::vector<GenerateRequest>& requests) {
    WrittenTogether result;
    result.ids.resize(requests.size(), std::vector<std::vector<int>>(prompts.size()));
    std::vector<std::optional<Place>> places;
    // All texts of a prompt begin in the same pass, so that equal ones stay equal in each pass.
    const auto begin = [&](std::size_t prompt) {
        std::size_t slot = 0;
        for (std::size_t r = 0; r < requests.size(); ++r) {
            while (slot < places.size() && places[slot]) ++slot;
            if (slot == places.size()) places.emplace_back();
            places[slot] = Place{r, prompt, {requests[r], prompts[prompt], prompt}};
        }
    };
    Candidates scratch;
    std::size_t next = 0, rows_before = 0;
    for (;;) {
        if (rows_before < few_rows && next < prompts.size()) begin(next++);
        std::map<std::span<const int>, std::size_t, BySpelling> row_of;
        std::vector<std::size_t> row(places.size());
        std::vector<BatchText> distinct;
        for (std::size_t slot = 0; slot < places.size(); ++slot) {
            if (!places[slot]) continue;
            const std::span<const int> window = places[slot]->writer.window();
            const auto [at, is_new] = row_of.try_emplace(window, distinct.size());
            if (is_new) distinct.push_back({slot, window});
            row[slot] = at->second;
        }
        if (distinct.empty()) break;
        const auto rows = model(distinct);
        result.rows += to_int(rows.size());
        rows_before = rows.size();
        for (std::size_t slot = 0; slot < places.size(); ++slot) {
            if (!places[slot]) continue;
            auto& [request, prompt, writer] = *places[slot];
            writer.step(rows[row[slot]], bytes, scratch);
            if (!writer.done()) continue;
            result.ids[request][prompt] = writer.result().ids;
            places[slot].reset();
        }
    }
    return result;
}

}  // namespace tbt
