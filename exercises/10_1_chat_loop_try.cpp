// make try EX=10_1: your chat loop with the shipped model. Type lines, or pipe them in;
// a blank line ends it.
#include <iostream>

#include "chapters/10_generate/generate.hpp"
#include "chapters/10_generate/options.hpp"
#include "exercises/10_1_chat_loop.hpp"

int main() {
    using namespace tbt;
    try {
        GenerateOptions options;
        options.max_new_tokens = 60;
        options.seed = 1;
        Model model = open_model(options);
        GenerateRequest request = request_of(options, model);
        CachedBatch batch(model.transformer);
        ex10_1::ChatModel chat_model;
        chat_model.context = static_cast<std::size_t>(model.config().n_positions);
        chat_model.max_new_tokens = 60;
        chat_model.count_tokens = [&](const std::string& text) {
            return model.tokenizer.encode(text).size();
        };
        chat_model.write = [&](const std::string& prompt) {
            ++request.first_stream;
            const std::vector<int> ids = model.tokenizer.encode(prompt);
            return generate_texts(std::ref(batch), token_bytes_of(model.tokenizer), ids, request)[0]
                .text;
        };
        std::cerr << "Type something; a blank line ends it.\n";
        const std::vector<ex10_1::Turn> turns = ex10_1::chat(std::cin, std::cout, chat_model);
        std::cerr << "It remembers " << turns.size() << " turns.\n";
    } catch (const std::exception& e) {
        std::cerr << "10_1: " << e.what() << "\n";
        return 1;
    }
}
