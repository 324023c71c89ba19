#include "lib/kernels/matmul_parts.hpp"

#include <algorithm>
#include <cstring>

#include "lib/kernels/matmul_kernel.hpp"

namespace tbt::kernel {

Part part_of(std::int64_t m, std::int64_t n, const Worker& worker) {
    const std::int64_t tiles = ceil_div(m, tile_rows), panels = panel_count(n);
    std::int64_t best_work = -1, best_reads = 0;
    Part part;
    for (int across = worker.size; across >= 1; --across) {
        if (worker.size % across != 0) continue;
        const int down = worker.size / across;
        const std::int64_t rows = ceil_div(tiles, down), columns = ceil_div(panels, across),
                           work = rows * columns;
        const std::int64_t reads = rows * tile_rows + columns * panel;
        if (best_work >= 0 && (work > best_work || (work == best_work && reads >= best_reads)))
            continue;
        best_work = work;
        best_reads = reads;
        part.rows = Worker{worker.rank / across, down, nullptr}.share(m, tile_rows);
        part.panels = Worker{worker.rank % across, across, nullptr}.share(panels);
    }
    return part;
}

void gather_rows(const MatrixView& x, Range rows, Range ks, float* to) {
    constexpr std::int64_t strip =
        8 * tile_rows;  // floats next to each other that are read together
    const std::int64_t count = ks.end - ks.begin;
    for (std::int64_t first = rows.begin; first < rows.end; first += strip, to += strip * count) {
        const std::int64_t n = std::min(strip, rows.end - first),
                           whole = x.row_stride == 1 ? n / tile_rows * tile_rows : 0;
        for (std::int64_t k = 0; k < count; ++k) {
            const float* from = x.data + first * x.row_stride + (ks.begin + k) * x.column_stride;
            for (std::int64_t r = 0; r < whole; r += tile_rows) {
                std::memcpy(to + r * count + k * tile_rows, from + r, tile_rows * sizeof(float));
            }
            for (std::int64_t r = whole; r < n; ++r) {
                to[(r / tile_rows * count + k) * tile_rows + r % tile_rows] =
                    from[r * x.row_stride];
            }
        }
    }
}

}  // namespace tbt::kernel
