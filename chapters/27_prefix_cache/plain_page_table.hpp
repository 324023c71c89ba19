// Pages: the memory of many texts, of which some tokens are the same.
#pragma once

#include <vector>

namespace tbt {
// Keys and values of a few tokens; here one number for each token is enough.
struct PlainPage {
    int owners = 0;  // without owners it is free
    std::vector<int> content = {};
};

class PlainPages {
public:
    PlainPages(std::size_t pages, std::size_t tokens) : page_tokens(tokens), pages_(pages) {}
    // A free page, now with one owner; nullptr: none is free.
    PlainPage* take() {
        for (PlainPage& page : pages_)
            if (page.owners == 0) return page = {1}, &page;
        return nullptr;
    }
    std::size_t used() const {
        std::size_t n = 0;
        for (const PlainPage& page : pages_) n += page.owners > 0;
        return n;
    }
    const std::size_t page_tokens;

private:
    std::vector<PlainPage> pages_;
};

// A text's page table: token t is number t % page_tokens of page table[t / page_tokens].
struct PlainTable {
    std::vector<PlainPage*> table;
    std::size_t length = 0;
};

// A fork owns the same pages.
inline PlainTable fork(const PlainTable& text) {
    for (PlainPage* page : text.table) ++page->owners;
    return text;
}
// One token more. A page that others own too is copied first, so that it has one writer only.
// False: there is no free page, and nothing has changed.
inline bool append(PlainPages& pages, PlainTable& text, int token) {
    const std::size_t used = text.length % pages.page_tokens;
    if (used == 0 || text.table.back()->owners > 1) {
        PlainPage* page = pages.take();
        if (!page) return false;
        if (used == 0) text.table.push_back(page);
        else page->content = text.table.back()->content, --text.table.back()->owners;
        text.table.back() = page;
    }
    text.table.back()->content.resize(used);  // what others wrote after this text's tokens
    text.table.back()->content.push_back(token);
    return ++text.length, true;
}

}  // namespace tbt
