// A matrix product on several machines, split in the two ways that there are.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/core/check.hpp"

namespace tbt::plain {

using Row = std::vector<float>;
using Matrix = std::vector<Row>;  // w[k][n]

// y = x · w: y[n] is the sum over k, in order, of x[k] · w[k][n].
inline Row product(const Row& x, const Matrix& w) {
    check_size("product: x", x.size(), w.size());
    Row y(w.at(0).size());
    for (std::size_t n = 0; n < y.size(); ++n)
        for (std::size_t k = 0; k < x.size(); ++k) y[n] += x[k] * w[k][n];
    return y;
}

// Where the share of n of each of `machines` begins, and n.
inline std::vector<std::ptrdiff_t> shares(std::size_t n, std::size_t machines) {
    check_at_least("split: machines", static_cast<long long>(machines), 1);
    check_at_least("split: numbers", static_cast<long long>(n), static_cast<long long>(machines));
    std::vector<std::ptrdiff_t> begins;
    for (std::size_t i = 0; i <= machines; ++i) begins.push_back(std::ptrdiff_t(n * i / machines));
    return begins;
}

// By columns: machine i has all rows of some columns, and needs all of x. It computes these numbers
// of y, each as one sum in the same order as above. Then the parts are put beside each other.
inline Row by_columns(const Row& x, const Matrix& w, std::size_t machines) {
    const auto begins = shares(w.at(0).size(), machines);
    Row y;
    for (std::size_t i = 0; i < machines; ++i) {
        Matrix own;
        for (const Row& row : w)
            own.emplace_back(row.begin() + begins[i], row.begin() + begins[i + 1]);
        for (const float number : product(x, own)) y.push_back(number);  // gather
    }
    return y;
}

// By rows: machine i has some rows, and needs only these numbers of x. Its y has all numbers, but
// each is only a part of a sum. Then the parts are added: another order, and so other bits.
inline Row by_rows(const Row& x, const Matrix& w, std::size_t machines) {
    check_size("split: x", x.size(), w.size());
    const auto begins = shares(x.size(), machines);
    Row y(w.at(0).size());
    for (std::size_t i = 0; i < machines; ++i) {
        const Row part = product({x.begin() + begins[i], x.begin() + begins[i + 1]},
                                 {w.begin() + begins[i], w.begin() + begins[i + 1]});
        for (std::size_t n = 0; n < y.size(); ++n) y[n] += part[n];  // reduce
    }
    return y;
}

}  // namespace tbt::plain
