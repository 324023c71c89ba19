// Beam search on the shipped model: what a step of B beams costs, in one pass over forked caches,
// against one beam, and against B passes (each beam alone, the way of the first tutorials).
#include <string>
#include <vector>

#include "chapters/10_generate/batch.hpp"
#include "chapters/11_beam_search/beam_search.hpp"
#include "lib/files/model.hpp"
#include "tests/bench/bench.hpp"

namespace tbt::bench {

namespace {

constexpr int tokens = 64;

BeamRequest request_of(int B, const Model& model) {
    BeamRequest request;
    request.beams.num_beams = B;
    request.stop.max_new_tokens = tokens;
    request.stop.context = model.config().n_positions;
    return request;
}

void run(const Settings& settings) {
    Table table("beams",
                {"beams", "threads", "µs a step", "× one beam", "× B passes", "positions"});
    for (const int threads : settings.threads) {
        Model model = load_model("data/models/storyteller", {threads});
        const std::vector<int> prompt = encode_prompt(model, "The old lighthouse keeper");
        std::vector<int> sizes{1, 2, 4, 8, 16};
        if (quick()) sizes = {1, 4};
        std::vector<Contender> work;
        std::vector<double> positions(sizes.size());
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const BeamRequest request = request_of(sizes[i], model);
            work.push_back(repeated("beams", [&, i, request] {
                CachedBatch batch(model.transformer);
                keep(static_cast<float>(beam_search(std::ref(batch), request, prompt)[0].sum));
                positions[i] = static_cast<double>(batch.computed());
            }));
        }
        const std::vector<Timing> t = interleaved(work, 7, 0.02);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            table.row({std::to_string(sizes[i]), threads, Cell(t[i].median / tokens * 1e6, 0),
                       Cell(t[i].median / t[0].median, 2),
                       Cell(t[i].median / t[0].median / sizes[i], 2), Cell(positions[i], 0)});
        }
    }
}

const Section section{
    "beams", 55, "a step of beam search in one pass, against one beam and against as many passes",
    run};

}  // namespace

}  // namespace tbt::bench
