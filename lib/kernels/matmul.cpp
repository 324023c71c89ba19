// The loops around the micro-kernel: they divide the work among threads and into blocks that fit
// into the caches.
#include "lib/kernels/matmul.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>

#include "lib/core/error.hpp"
#include "lib/core/index.hpp"
#include "lib/kernels/matmul_kernel.hpp"

namespace tbt {

namespace {

using kernel::batch;
using kernel::BF16;
using kernel::ceil_div;
using kernel::F16;
using kernel::panel;
using kernel::panel_vectors;
using kernel::Tile;
using kernel::tile_rows;

// Many rows: a tile_rows × k_block piece of x stays in the L1 cache while it is multiplied by each
// panel of a group. The group of panels of w stays in the L2 cache. Rows of x that are not
// contiguous are gathered first, row_block × gathered_k at a time, which stay there beside it.
constexpr std::int64_t k_block = 1024, group_floats = 192 * 1024;
constexpr std::int64_t row_block = 8 * tile_rows, gathered_k = 384;
constexpr std::int64_t group_panels = 64;                   // at most
constexpr std::int64_t far_floats = std::int64_t{1} << 19;  // a larger y fits no L2 cache

// The most rows that count as few: panels are streamed from memory one by one, and
// 16 bits widened in registers, per tile. For more rows, groups of panels, widened once, cost less.
template <class Element>
constexpr std::int64_t few = tile_rows*(std::is_same_v<Element, float> ? 6 : 16);
// How many k ahead numbers are prefetched: for panels side by side and for rows that are gathered,
// and for a single panel (8 KB).
constexpr std::int64_t k_ahead = 16;
template <class Element>
constexpr std::int64_t k_far_ahead = 8 * 1024 / (panel * sizeof(Element));

// The most rows for which two panels are multiplied side by side. The sums must leave registers for
// the weights, except for floats on x86, whose multiply-adds can read them straight from memory.
// AVX-512 has enough registers for floats; with 16-bit weights it is faster on single panels.
template <class Element, bool Halves = sizeof(Element) == 2>
[[maybe_unused]] constexpr std::int64_t most_of_pairs =
    tile_rows < 8 ? tile_rows / 2 - (kernel::tile_vectors > 2 || Halves) : 4 * !Halves;

struct Operands {
    const MatrixView& x;
    const PackedMatrix& w;
    float* y;
    std::int64_t y_stride;
    const MatmulOptions& options;
};

// The part of y that one thread computes: rows × panels.
struct Part {
    Range rows, panels;
};

// The part of this thread. The threads form a grid of row and column ranges. Of all grids this
// takes the one whose largest part is smallest, and among these the one whose parts read the least
// data. So few rows are divided by columns, and many rows with few columns are divided by rows.
Part part_of(std::int64_t m, std::int64_t n, const Worker& worker) {
    const std::int64_t tiles = ceil_div(m, tile_rows), panels = kernel::panel_count(n);
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

// Copies at most row_block rows of x, which are not contiguous (x is a transposed view), to `to`:
// tile by tile, and each tile k-major. Floats that lie next to each other are read together. No
// processor foresees these jumps through memory, so what comes k_ahead later is prefetched.
void gather_rows(const MatrixView& x, Range rows, Range ks, float* to) {
    const std::int64_t count = ks.end - ks.begin, n = rows.end - rows.begin,
                       whole = x.row_stride == 1 ? n / tile_rows * tile_rows : 0;
    for (std::int64_t k = 0; k < count; ++k) {
        const float* from = x.data + rows.begin * x.row_stride + (ks.begin + k) * x.column_stride;
        for (std::int64_t r = 0; r < whole; r += 16)
            __builtin_prefetch(from + k_ahead * x.column_stride + r, 0, 2);
        for (std::int64_t r = 0; r < whole; r += tile_rows)
            std::memcpy(to + r * count + k * tile_rows, from + r, tile_rows * sizeof(float));
        for (std::int64_t r = whole; r < n; ++r)
            to[(r / tile_rows * count + k) * tile_rows + r % tile_rows] = from[r * x.row_stride];
    }
}

// Runs the kernel on `rows` × `columns` of y, where `columns` fills whole registers.
// If y ends within the last register, the kernel runs on a padded copy of the tile instead.
inline void run_tile(kernel::Kernel kernel, Tile& tile, const Operands& q, std::int64_t row,
                     int rows, std::int64_t column, int columns) {
    tile.y = q.y + row * q.y_stride + column;
    tile.y_row = q.y_stride;
    if (column + columns <= q.w.n()) return kernel(tile);

    float edge[tile_rows][panel] = {}, bias[panel] = {};
    const std::size_t bytes = index(q.w.n() - column) * sizeof(float);
    float* const y = tile.y;
    if (tile.add) {
        for (int r = 0; r < rows; ++r) std::memcpy(edge[r], y + r * q.y_stride, bytes);
    }
    if (tile.bias) tile.bias = static_cast<const float*>(std::memcpy(bias, tile.bias, bytes));
    tile.y = edge[0];
    tile.y_row = panel;
    kernel(tile);
    for (int r = 0; r < rows; ++r) std::memcpy(y + r * q.y_stride, edge[r], bytes);
}

// Prefetches a tile of y before it is computed. Otherwise its stores would each wait for memory,
// one after the other.
void ask_for(const float* y, int rows, std::int64_t stride) {
    for (int r = 0; r < rows; ++r)
        for (int i = 0; i < panel; i += 16) __builtin_prefetch(y + r * stride + i, 1);
}

// ---- few rows: every panel is read once, from memory straight into the registers ----

// Rows times `count` whole panels from p, or the narrower last one; prefetches the weights `ahead`.
template <class Element>
void multiply_few(const Operands& q, kernel::Kernel kernel, Range rows, std::int64_t p, int count,
                  int vectors, const Element* ahead) {
    const std::int64_t K = q.w.k(), column = p * panel;
    Tile tile{.x = q.x.data + rows.begin * q.x.row_stride,
              .x_row = q.x.row_stride,
              .x_step = q.x.column_stride,
              .w = reinterpret_cast<const Element*>(q.w.data()) + column * K,
              .w_panel = panel * K,
              .k = K,
              .y = nullptr,  // run_tile() sets it
              .y_row = 0,
              .bias = q.options.bias ? q.options.bias + column : nullptr,
              .add = q.options.accumulate,
              .next = ahead,
              .weights = q.w.magnitudes()};
    run_tile(kernel, tile, q, rows.begin, to_int(rows.end - rows.begin), column,
             count * vectors * batch);
}

// With one or two rows AVX-512's registers have room for four panels of floats side by side, which
// are four streams from memory; with three or four rows for two panels (others: kernel::streams,
// most_of_pairs). More rows take one panel at a time, over all of k. If the rows fill several
// tiles, the second and later ones read the panel from the L2 cache.
template <class Element>
void few_rows(const Operands& q, const Part& part) {
    using kernel::streams;
    const std::int64_t K = q.w.k(), whole = std::min(part.panels.end, q.w.n() / panel),
                       count = part.rows.end - part.rows.begin,
                       height = ceil_div(count, ceil_div(count, tile_rows));
    const auto* w = reinterpret_cast<const Element*>(q.w.data());
    std::int64_t p = part.panels.begin;
    const auto side_by_side = [&]<int Panels>(std::int64_t max_rows) {
        for (; count <= max_rows && p + Panels <= whole; p += Panels) {
            multiply_few(q, kernel::streaming<Element, Panels>(to_int(count)), part.rows, p, Panels,
                         kernel::tile_vectors, w + panel * (p * K + k_ahead));
        }
    };
    side_by_side.template operator()<streams>(tile_rows / streams);
    if constexpr (streams > 2) side_by_side.template operator()<2>(most_of_pairs<Element>);
    for (; p < part.panels.end; ++p) {
        const int vectors = panel_vectors(p, q.w.n());
        for (std::int64_t row = part.rows.begin; row < part.rows.end; row += height) {
            const Range rows{row, std::min(part.rows.end, row + height)};
            const int tall = to_int(rows.end - rows.begin);
            if (count > height) ask_for(q.y + row * q.y_stride + p * panel, tall, q.y_stride);
            multiply_few(q, kernel::single<Element, true>(tall, vectors), rows, p, 1, vectors,
                         w + panel * (p * K + k_far_ahead<Element>));
        }
    }
}

// ---- many rows ----

// Rows `ks` of panel p as floats: in place if w holds floats, otherwise widened into `to`.
template <class Element>
const float* panel_block(const PackedMatrix& w, std::int64_t p, Range ks, float* to) {
    const int width = panel_vectors(p, w.n()) * batch;
    const auto* from =
        reinterpret_cast<const Element*>(w.data()) + p * panel * w.k() + ks.begin * width;
    if constexpr (std::is_same_v<Element, float>) return from;
    else {
        for (std::int64_t i = 0; i < (ks.end - ks.begin) * width; i += batch)
            kernel::load(from + i).store_aligned(to + i);
        return to;
    }
}

// Multiplies all rows of a strip by a group of panels, over one block of k. `gathered` is null if x
// is read in place.
template <class Element>
void multiply_group(const Operands& q, Range strip, Range panels, Range ks, const float* gathered,
                    float* wide) {
    const std::int64_t count = ks.end - ks.begin, last = panels.end - panels.begin - 1;
    const float* w[group_panels];
    for (std::int64_t p = 0; p <= last; ++p)
        w[p] = panel_block<Element>(q.w, panels.begin + p, ks, wide + p * panel * count);
    const float* bias = ks.end == q.w.k() ? q.options.bias : nullptr;
    const bool add = q.options.accumulate || ks.begin > 0;
    const int last_vectors = panel_vectors(panels.begin + last, q.w.n());
    const bool far = q.x.rows * q.w.n() > far_floats;
    for (std::int64_t row = strip.begin; row < strip.end; row += tile_rows) {
        const int rows = to_int(std::min<std::int64_t>(tile_rows, strip.end - row));
        Tile tile{.x = gathered ? gathered + (row - strip.begin) * count : nullptr,
                  .x_row = 1,
                  .x_step = tile_rows,
                  .w = nullptr,  // of each panel, below
                  .w_panel = 0,
                  .k = count,
                  .y = nullptr,
                  .y_row = 0,
                  .bias = bias,
                  .add = add,
                  .next = nullptr,
                  .weights = q.w.magnitudes()};
        if (!gathered) {
            tile.x = q.x.data + row * q.x.row_stride + ks.begin * q.x.column_stride;
            tile.x_row = q.x.row_stride;
            tile.x_step = q.x.column_stride;
        }
        const kernel::Kernel whole = kernel::single<float, false>(rows, kernel::tile_vectors),
                             end = kernel::single<float, false>(rows, last_vectors);
        for (std::int64_t p = 0; p <= last; ++p) {
            const std::int64_t column = (panels.begin + p) * panel;
            tile.w = w[p];
            if (far && p < last) ask_for(q.y + row * q.y_stride + column, rows, q.y_stride);
            if (bias) tile.bias = bias + column;
            if (p < last) run_tile(whole, tile, q, row, rows, column, panel);
            else run_tile(end, tile, q, row, rows, column, last_vectors * batch);
        }
    }
}

// Between two blocks of k, the sums are stored in y.
template <class Element>
void many_rows(const Operands& q, const Part& part) {
    thread_local AlignedFloats scratch;  // the group of panels, widened, and the gathered rows
    if (!scratch)
        scratch = allocate_floats(group_floats + k_block * panel + gathered_k * row_block);
    const bool gather = q.x.column_stride != 1;
    float* const gathered = gather ? scratch.get() + group_floats + k_block * panel : nullptr;
    const std::int64_t K = q.w.k(), most = gather ? gathered_k : k_block,
                       blocks = std::max<std::int64_t>(1, ceil_div(K, most));
    const std::int64_t strip_rows = gather ? row_block : part.rows.end - part.rows.begin;
    for (std::int64_t b = 0; b < blocks; ++b) {
        const Range ks{K * b / blocks, K * (b + 1) / blocks};
        const std::int64_t panel_floats = panel * std::max<std::int64_t>(1, ks.end - ks.begin);
        const std::int64_t group =
            std::clamp<std::int64_t>(group_floats / panel_floats, 1, group_panels);
        for (std::int64_t row = part.rows.begin; row < part.rows.end; row += strip_rows) {
            const Range strip{row, std::min(part.rows.end, row + strip_rows)};
            if (gather) gather_rows(q.x, strip, ks, gathered);
            for (std::int64_t p = part.panels.begin; p < part.panels.end; p += group) {
                multiply_group<Element>(q, strip, {p, std::min(part.panels.end, p + group)}, ks,
                                        gathered, scratch.get());
            }
        }
    }
}

template <class Element>
void multiply_part(const Operands& q, const Part& part) {
    if (part.rows.begin == part.rows.end) return;
    const std::int64_t most = q.x.column_stride == 1 ? few<Element> : tile_rows;
    if (part.rows.end - part.rows.begin <= most) few_rows<Element>(q, part);
    else many_rows<Element>(q, part);
    if (!q.options.activation) return;
    const std::int64_t begin = part.panels.begin * panel,
                       end = std::min(q.w.n(), part.panels.end * panel);
    for (std::int64_t row = part.rows.begin; row < part.rows.end; ++row) {
        q.options.activation(q.y + row * q.y_stride + begin, end - begin);
    }
}

}  // namespace

void matmul(const MatrixView& x, const PackedMatrix& w, float* y, std::int64_t y_stride,
            const MatmulOptions& options, const Worker& worker) {
    if (x.columns != w.k()) {
        throw Error("matmul: x has shape " + to_string(Shape{x.rows, x.columns}) + ", expected " +
                    std::to_string(w.k()) + " columns, as many as w has rows");
    }
    if (w.quantized()) return w.quantized()->multiply(x, y, y_stride, options, worker);
    const Operands product{x, w, y, y_stride, options};
    const Part part = part_of(x.rows, w.n(), worker);
    switch (w.type()) {
        case WeightType::f32:
            return multiply_part<float>(product, part);
        case WeightType::f16:
            return multiply_part<F16>(product, part);
        case WeightType::bf16:
            return multiply_part<BF16>(product, part);
        case WeightType::int8:
        case WeightType::int4:
        case WeightType::blocks:
            break;  // quantised
    }
}

void matmul(const Tensor& x, const PackedMatrix& w, Tensor& y, const MatmulOptions& options,
            int threads) {
    if (x.shape().size() != 2)
        throw Error("matmul: x has shape " + to_string(x.shape()) + ", expected two dimensions");
    check_shape("matmul", "x", x.shape(), {x.dim(0), w.k()});
    check_shape("matmul", "y", y.shape(), {x.dim(0), w.n()});
    run_team(threads, [&](const Worker& worker) {
        matmul(MatrixView::of(x.data(), x.dim(0), x.dim(1)), w, y.data(), w.n(), options, worker);
    });
}

void matmul_plain(const MatrixView& x, const MatrixView& w, float* y, std::int64_t y_stride,
                  const MatmulOptions& options) {
    if (x.columns != w.rows)
        throw Error("matmul: x has shape " + to_string(Shape{x.rows, x.columns}) + ", w " +
                    to_string(Shape{w.rows, w.columns}) +
                    ", expected as many rows in w as columns in x");
    for (std::int64_t m = 0; m < x.rows; ++m) {
        for (std::int64_t n = 0; n < w.columns; ++n) {
            float sum = options.accumulate ? y[m * y_stride + n] : 0.0f;
            for (std::int64_t k = 0; k < w.rows; ++k) {
                sum = std::fma(x.data[m * x.row_stride + k * x.column_stride],
                               w.data[k * w.row_stride + n * w.column_stride], sum);
            }
            float& result = y[m * y_stride + n];
            result = options.bias ? sum + options.bias[n] : sum;
            if (options.activation) options.activation(&result, 1);
        }
    }
}

}  // namespace tbt
