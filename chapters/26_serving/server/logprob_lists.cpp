#include "chapters/26_serving/server/logprob_lists.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "lib/core/index.hpp"

namespace tbt {

namespace {

// JSON has no infinity.
double finite(double log_probability) {
    return std::isfinite(log_probability) ? log_probability : -9999.0;
}

OrderedJson token_entry(const std::string& text, double log_probability) {
    OrderedJson bytes = OrderedJson::array();
    for (const char c : text) bytes.push_back(static_cast<unsigned char>(c));
    return {{"token", text}, {"logprob", finite(log_probability)}, {"bytes", std::move(bytes)}};
}

}  // namespace

std::size_t characters_begun(std::string_view text) {
    return index(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

OrderedJson chat_logprob_lists(const std::vector<TokenLogprob>& tokens,
                               const Tokenizer& tokenizer) {
    const auto entry = [&](int id, double log_probability) {
        return token_entry(tokenizer.decode({&id, 1}), log_probability);
    };
    OrderedJson content = OrderedJson::array();
    for (const TokenLogprob& token : tokens) {
        OrderedJson one = entry(token.id, token.log_probability);
        one["top_logprobs"] = OrderedJson::array();
        for (const auto& [id, log_probability] : token.top)
            one["top_logprobs"].push_back(entry(id, log_probability));
        content.push_back(std::move(one));
    }
    return {{"content", std::move(content)}};
}

OrderedJson text_logprob_lists(const std::vector<TokenLogprob>& tokens, std::size_t offset,
                               const Tokenizer& tokenizer) {
    OrderedJson lists = {{"tokens", OrderedJson::array()},
                         {"token_logprobs", OrderedJson::array()},
                         {"top_logprobs", OrderedJson::array()},
                         {"text_offset", OrderedJson::array()}};
    for (const TokenLogprob& token : tokens) {
        const std::string text = tokenizer.decode({&token.id, 1});
        lists["tokens"].push_back(text);
        // The first token of a prompt has nothing before it.
        lists["token_logprobs"].push_back(std::isnan(token.log_probability)
                                              ? OrderedJson()
                                              : OrderedJson(finite(token.log_probability)));
        OrderedJson top = OrderedJson::object();
        for (const auto& [id, log_probability] : token.top)
            top[tokenizer.decode({&id, 1})] = finite(log_probability);
        lists["top_logprobs"].push_back(top.empty() ? OrderedJson() : top);
        lists["text_offset"].push_back(offset);
        offset += characters_begun(text);
    }
    return lists;
}

}  // namespace tbt
