// make try EX=10_3: eight continuations by the shipped model, and the one your function keeps.
#include <cstdio>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "exercises/10_3_best_of_n.hpp"

int main() {
    using namespace tbt;
    try {
        GenerateOptions options;
        options.max_new_tokens = 40;
        options.samples = 8;
        options.seed = 1;
        options.temperature = 1.0;
        options.stop_strings = {"."};
        Model model = open_model(options);
        GenerateRequest request = request_of(options, model);
        request.traced_tokens = 0;
        CachedBatch batch(model.transformer);
        const std::vector<int> prompt =
            prompt_ids(options, model, "The fisherman went to the harbour because");
        const std::vector<GeneratedText> texts =
            generate_texts(std::ref(batch), token_bytes_of(model.tokenizer), prompt, request);
        std::vector<std::vector<double>> log_probabilities;
        for (const GeneratedText& text : texts) {
            log_probabilities.emplace_back();
            for (const Trace& t : text.traces)
                log_probabilities.back().push_back(t.raw_log_probability);
        }
        const std::size_t best = ex10_3::best_of(log_probabilities);
        for (std::size_t i = 0; i < texts.size(); ++i)
            std::printf("%s%s\n", i == best ? "->" : "  ", texts[i].text.c_str());
    } catch (const std::exception& e) {
        std::fprintf(stderr, "10_3: %s\n", e.what());
        return 1;
    }
}
