#include "chapters/27_prefix_cache/by_hand.hpp"

#include <algorithm>
#include <map>

#include "chapters/27_prefix_cache/plain_prefix_tree.hpp"

namespace tbt {

std::vector<TextByHand> read_by_hand(const std::vector<std::string>& texts,
                                     std::size_t page_letters) {
    std::size_t most = 0;
    for (const std::string& text : texts) most += text.size();
    PlainPages pages(most, page_letters);
    PlainPrefixTree tree(page_letters);
    std::map<PlainPage*, int> numbers;
    std::vector<TextByHand> read;
    for (const std::string& text : texts) {
        const Tokens ids(text.begin(), text.end());
        const PlainPrefix prefix = tree.find(ids);
        PlainTable table = fork({prefix.pages, prefix.tokens});
        for (std::size_t i = prefix.tokens; i < ids.size(); ++i) append(pages, table, ids[i]);
        TextByHand& shown = read.emplace_back(TextByHand{text, prefix.tokens, {}});
        for (std::size_t p = 0; p < table.table.size(); ++p) {
            const int next = static_cast<int>(numbers.size());
            const bool fresh = numbers.try_emplace(table.table[p], next).second;
            const auto& content = table.table[p]->content;
            const std::size_t here = std::min(content.size(), ids.size() - p * page_letters);
            shown.pages.push_back({numbers[table.table[p]], text.substr(p * page_letters, here),
                                   fresh && p < prefix.pages.size()});
        }
        tree.put(ids, table.table);
        for (PlainPage* page : table.table) --page->owners;
    }
    return read;
}

}  // namespace tbt
