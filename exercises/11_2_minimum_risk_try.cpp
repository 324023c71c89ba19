// make try EX=11_2: twelve continuations by the shipped model, and the one that the
// others are most like.
#include <cstdio>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "exercises/11_2_minimum_risk.hpp"

int main() {
    using namespace tbt;
    try {
        GenerateOptions options;
        options.max_new_tokens = 40;
        options.samples = 12;
        options.seed = 1;
        options.temperature = 1.0;
        options.stop_strings = {"."};
        Model model = open_model(options);
        const GenerateRequest request = request_of(options, model);
        CachedBatch batch(model.transformer);
        const std::vector<int> prompt =
            prompt_ids(options, model, "The fisherman went to the harbour because");
        std::vector<ex11_2::Ids> ids;
        const std::vector<GeneratedText> texts =
            generate_texts(std::ref(batch), token_bytes_of(model.tokenizer), prompt, request);
        for (const GeneratedText& text : texts) ids.push_back(text.ids);
        const std::size_t best = ex11_2::minimum_risk(ids, ex11_2::token_f1);
        for (std::size_t i = 0; i < texts.size(); ++i) {
            double mean = 0;
            for (const ex11_2::Ids& other : ids)
                mean += ex11_2::token_f1(ids[i], other) / static_cast<double>(ids.size());
            std::printf("%s %.3f%s\n", i == best ? "->" : "  ", mean, texts[i].text.c_str());
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "11_2: %s\n", e.what());
        return 1;
    }
}
