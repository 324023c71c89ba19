#include "lib/text/unicode.hpp"

#include <algorithm>
#include <array>

#include "lib/core/index.hpp"
#include "lib/text/unicode_tables.hpp"

namespace tbt {

namespace {

// The beginning of a run of characters of one kind. `kind` is its letter in the table.
struct Run {
    std::int32_t begin = 0;
    char kind = 0;
};

// The runs of a table, expanded at compile time. For every 256 characters, it also has the run of
// the first of them, so that a search is short.
template <std::size_t run_count>
struct Runs {
    static constexpr std::size_t pages = (highest_code_point + 1) / 256;

    constexpr explicit Runs(std::string_view text) {
        std::int32_t end = 0;
        std::size_t run = 0;
        for (std::size_t i = 0; i < text.size();) {
            runs[run++] = {end, text[i++]};
            std::int32_t length = 0;
            while (i < text.size() && text[i] >= '0' && text[i] <= '9')
                length = length * 10 + (text[i++] - '0');
            end += length == 0 ? 1 : length;
        }
        is_complete = end == highest_code_point + 1 && run == run_count;
        run = 0;
        for (std::size_t page = 0; page < pages; ++page) {
            while (run + 1 < run_count && index(runs[run + 1].begin) <= page * 256) ++run;
            first[page] = static_cast<std::uint16_t>(run);
        }
        first[pages] = static_cast<std::uint16_t>(run_count - 1);
    }

    // c from 0 to highest_code_point.
    const Run& at(std::int32_t c) const {
        const std::size_t page = index(c) / 256;
        const auto from = runs.begin() + first[page], to = runs.begin() + first[page + 1] + 1;
        return *(std::upper_bound(from, to, c,
                                  [](std::int32_t x, const Run& r) { return x < r.begin; }) -
                 1);
    }

    std::array<Run, run_count> runs{};
    std::array<std::uint16_t, pages + 1> first{};
    bool is_complete = false;
};

constexpr Runs<unicode::category_runs> categories(unicode::categories);
constexpr Runs<unicode::width_runs> widths(unicode::widths);
static_assert(categories.is_complete && widths.is_complete);

bool is_code_point(std::int32_t c) { return c >= 0 && c <= highest_code_point; }

}  // namespace

std::string_view unicode_version() { return unicode::version; }

Category category_of(std::int32_t c) {
    if (!is_code_point(c)) return Category::Cn;
    const Run& run = categories.at(c);
    if (run.kind >= 'a') {
        if (run.kind < 'e') return static_cast<Category>(26 + run.kind - 'a');
        const bool capital = ((c - run.begin) % 2 == 0) == (run.kind == 'e');
        return capital ? Category::Lu : Category::Ll;
    }
    return static_cast<Category>(run.kind - 'A');
}

std::string_view name_of(Category category) {
    constexpr std::string_view names =
        "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn";
    return names.substr(2 * index(static_cast<int>(category)), 2);
}

int width_of(std::int32_t c) {
    if (c == 0xad) return 1;  // the soft hyphen, although it is a format character
    switch (category_of(c)) {
        case Category::Mn:
        case Category::Mc:
        case Category::Me:
        case Category::Zl:
        case Category::Zp:
        case Category::Cc:
        case Category::Cf:
        case Category::Cs:
            return 0;
        default:
            return is_code_point(c) && widths.at(c).kind == 'w' ? 2 : 1;
    }
}

}  // namespace tbt
