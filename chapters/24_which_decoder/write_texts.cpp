#include "chapters/24_which_decoder/write_texts.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "chapters/06_combining/chain.hpp"
#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "lib/core/index.hpp"

namespace tbt {
namespace {

constexpr std::size_t group_size = 24;  // texts that are written side by side

GenerateRequest request_for(const Model& model, const WriteOptions& options) {
    GenerateRequest request;
    SamplingOptions sampling;
    sampling.temperature = options.temperature;
    sampling.top_p = options.top_p;
    request.chain = in_order(Dialect::ours, truncation_steps(sampling, Dialect::ours));
    request.stop.eos = model.config().eos_token_ids;
    if (request.stop.eos.empty()) request.stop.eos = {model.tokenizer.eos_id()};
    if (!options.stop.empty()) request.stop.strings = StopStrings({options.stop});
    request.stop.max_new_tokens = options.max_new_tokens;
    request.stop.context = model.config().n_positions;
    request.seed = options.seed;
    return request;
}

// Is there a place left for one more token?
bool fits(const Model& model, const std::string& prompt) {
    return model.tokenizer.encode(prompt).size() < index(model.config().n_positions);
}

}  // namespace

std::vector<GeneratedText> write_texts(Model& model, const std::vector<std::vector<int>>& prompts,
                                       const GenerateRequest& request) {
    CachedBatch batch(model.transformer);
    return write_texts([&](std::span<const BatchText> texts) { return batch(texts); },
                       token_bytes_of(model.tokenizer), prompts, request);
}

std::vector<GeneratedText> write_texts(const BatchLogits& batch, const TokenBytes& bytes,
                                       const std::vector<std::vector<int>>& prompts,
                                       const GenerateRequest& request) {
    Candidates scratch;
    std::vector<TextWriter> writers;
    writers.reserve(prompts.size());
    for (std::size_t i = 0; i < prompts.size(); ++i) writers.emplace_back(request, prompts[i], i);
    const std::size_t all = writers.size();
    std::vector<std::size_t> slots(group_size, all);  // which text has the slot
    std::size_t next = 0;
    for (;;) {
        std::vector<BatchText> running;
        for (std::size_t s = 0; s < slots.size(); ++s) {
            const bool free = slots[s] == all || writers[slots[s]].done();
            if (free) slots[s] = next < all ? next++ : all;
            if (slots[s] != all) running.push_back({s, writers[slots[s]].window()});
        }
        if (running.empty()) break;
        const auto rows = batch(running);
        for (std::size_t i = 0; i < rows.size(); ++i)
            writers[slots[running[i].slot]].step(rows[i], bytes, scratch);
    }
    std::vector<GeneratedText> texts;
    for (TextWriter& writer : writers) texts.push_back(writer.result());
    return texts;
}

std::vector<WrittenText> write_texts(Model& model, const std::vector<std::string>& prompts,
                                     const WriteOptions& options) {
    std::vector<std::vector<int>> ids;
    std::vector<std::size_t> places;  // of the prompts that fit
    for (std::size_t i = 0; i < prompts.size(); ++i) {
        if (!fits(model, prompts[i])) continue;
        ids.push_back(encode_prompt(model, prompts[i]));
        places.push_back(i);
    }
    const auto results = write_texts(model, ids, request_for(model, options));
    std::vector<WrittenText> texts(prompts.size());
    for (std::size_t i = 0; i < results.size(); ++i)
        texts[places[i]] = {results[i].text, results[i].reason == FinishReason::eos ||
                                                 results[i].reason == FinishReason::stop_string};
    return texts;
}

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
