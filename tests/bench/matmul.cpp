// matmul against the machine's limit and against the matrix products of OpenBLAS and oneDNN.
//
// The limit is the longer of two times: reading the weights once at the machine's bandwidth,
// and multiplying at its FMA peak. Ratios above 1 mean that we are faster.
#include <algorithm>
#include <memory>

#include "lib/kernels/matmul.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "tests/bench/bench.hpp"

#ifdef TBT_OPENBLAS
#include <cblas.h>
#endif
#ifdef TBT_ONEDNN
#include <dnnl.hpp>
#endif
#ifdef _OPENMP
#include <omp.h>
#endif

namespace tbt::bench {

namespace {

// y (M, N) = x (M, K) · w (K, N); `transposed`: x lies in memory as (K, M), as in ∂w = xᵀ · ∂y.
struct Problem {
    std::int64_t M, K, N;
    bool transposed = false;
    WeightType type = WeightType::f32;
};

struct Operands {
    Tensor x, w, y;
    MatrixView x_view, w_view;

    explicit Operands(const Problem& p)
        : x(random_tensor({p.M, p.K}, 1)), w(random_tensor({p.K, p.N}, 2)), y({p.M, p.N}) {
        x_view = p.transposed ? MatrixView::of(x.data(), p.K, p.M).transposed()
                              : MatrixView::of(x.data(), p.M, p.K);
        w_view = MatrixView::of(w.data(), p.K, p.N);
    }
};

Contender ours(const Problem& p, std::shared_ptr<Operands> data, int threads) {
    const auto packed = std::make_shared<PackedMatrix>(pack_weights(data->w_view, p.type));
    return {"ours", [=](int times) {
                run_team(threads, [&](const Worker& worker) {
                    for (int i = 0; i < times; ++i) {
                        matmul(data->x_view, *packed, data->y.data(), p.N, {}, worker);
                        worker.sync();
                    }
                });
            }};
}

#ifdef TBT_OPENBLAS
Contender openblas(const Problem& p, std::shared_ptr<Operands> data, int threads) {
    const auto m = static_cast<int>(p.M), k = static_cast<int>(p.K), n = static_cast<int>(p.N);
    const auto work = [=](int times) {
        openblas_set_num_threads(threads);
        const float *x = data->x.data(), *w = data->w.data();
        float* y = data->y.data();
        for (int i = 0; i < times; ++i) {
            if (m == 1) cblas_sgemv(CblasRowMajor, CblasTrans, k, n, 1.0f, w, n, x, 1, 0.0f, y, 1);
            else if (p.transposed)
                cblas_sgemm(CblasRowMajor, CblasTrans, CblasNoTrans, m, n, k, 1.0f, x, m, w, n,
                            0.0f, y, n);
            else
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0f, x, k, w, n,
                            0.0f, y, n);
        }
    };
    return {"OpenBLAS", work, threads > 1};
}
#endif

#ifdef TBT_ONEDNN
Contender onednn(const Problem& p, std::shared_ptr<Operands> data, int threads) {
    using namespace dnnl;
    using tag = memory::format_tag;
#ifdef _OPENMP
    omp_set_num_threads(threads);
#endif
    const engine cpu(engine::kind::cpu, 0);
    const auto f32 = memory::data_type::f32;
    const memory::desc x_desc({p.M, p.K}, f32, p.transposed ? tag::ba : tag::ab),
        w_desc({p.K, p.N}, f32, tag::ab), w_any({p.K, p.N}, f32, tag::any),
        y_desc({p.M, p.N}, f32, tag::ab);
    const dnnl::matmul::primitive_desc description(dnnl::matmul::desc(x_desc, w_any, y_desc), cpu);
    const memory x(x_desc, cpu, data->x.data()), w(w_desc, cpu, data->w.data()),
        y(y_desc, cpu, data->y.data()), packed(description.weights_desc(), cpu);
    stream queue(cpu);
    reorder(w, packed).execute(queue, const_cast<memory&>(w), const_cast<memory&>(packed));
    queue.wait();
    const dnnl::matmul product(description);
    const auto work = [=](int times) {
#ifdef _OPENMP
        omp_set_num_threads(threads);
#endif
        for (int i = 0; i < times; ++i) {
            product.execute(const_cast<stream&>(queue),
                            {{DNNL_ARG_SRC, x}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, y}});
        }
        const_cast<stream&>(queue).wait();
    };
    return {"oneDNN", [data, work](int times) { work(times); }};
}
#endif

std::string name_of(const Problem& p) {
    const char* type = p.type == WeightType::f32   ? ""
                       : p.type == WeightType::f16 ? " f16"
                                                   : " bf16";
    return std::to_string(p.M) + (p.transposed ? "ᵀ×" : "×") + std::to_string(p.K) + "×" +
           std::to_string(p.N) + type;
}

double bytes_of(const Problem& p) {
    return static_cast<double>(p.K * p.N) * (p.type == WeightType::f32 ? 4 : 2);
}

void measure(Table& table, const Problem& p, int threads) {
    const auto data = std::make_shared<Operands>(p);
    std::vector<Contender> contenders{ours(p, data, threads), fma_probe(threads)};
    for (Contender& probe : read_probes(static_cast<std::int64_t>(bytes_of(p)), threads)) {
        contenders.push_back(probe);
    }
    const std::size_t first_opponent = contenders.size();
#ifdef TBT_OPENBLAS
    contenders.push_back(openblas(p, data, threads));
#endif
#ifdef TBT_ONEDNN
    if (p.type == WeightType::f32) contenders.push_back(onednn(p, data, threads));
#endif
    const double flops =
        2.0 * static_cast<double>(p.M) * static_cast<double>(p.K) * static_cast<double>(p.N);
    const std::vector<Timing> times = interleaved(contenders, flops > 4e9 ? 5 : 11);

    // No way to be faster: every weight read once, every product computed.
    const double reading = std::min(times[2].median, times[3].median);
    const double multiplying = flops / (fma_probe_flops(threads) / times[1].median);
    const bool reads = reading > multiplying;
    const double seconds = times[0].median;
    std::vector<Cell> row{name_of(p),
                          Cell(threads, 0),
                          Cell(seconds * 1e6, 1),
                          Cell((reads ? bytes_of(p) : flops) / seconds * 1e-9, 1),
                          reads ? "GB/s" : "GF/s",
                          Cell(std::max(reading, multiplying) / seconds, 2),
                          Cell((times[0].high - times[0].low) / seconds, 2)};
    std::vector<Cell> ratios{"", ""};
    for (std::size_t i = first_opponent; i < contenders.size(); ++i) {
        ratios[contenders[i].name == "OpenBLAS" ? 0 : 1] = Cell(times[i].median / seconds, 2);
    }
    row.insert(row.end(), ratios.begin(), ratios.end());
    table.row(row);
}

void run(const Settings& settings) {
    Table table("matmul", {"M×K×N", "threads", "µs", "speed", "unit", "of limit", "spread",
                           "×OpenBLAS", "×oneDNN"});
    const Problem problems[] = {
        // GPT-2 124M: decoding, verifying a draft, reading a prompt
        {1, 768, 768},
        {4, 768, 768},
        {8, 768, 768},
        {1, 768, 3072},
        {5, 768, 3072},
        {8, 768, 3072},
        {1, 768, 50257},
        {5, 768, 50257},
        {8, 768, 50257},
        {1, 768, 50257, false, WeightType::f16},
        {512, 768, 768},
        {512, 768, 3072},
        {512, 768, 50257},
        {1024, 1024, 1024},
        // Small models
        {1, 256, 768},
        {1, 256, 4096},
        {5, 256, 4096},
        {64, 256, 256},
        {256, 256, 1024},
        // Training a small model on 4096 tokens: forward, ∂x, ∂w
        {4096, 256, 256},
        {4096, 256, 768},
        {4096, 256, 1024},
        {4096, 1024, 256},
        {2048, 256, 4096},
        {2048, 4096, 256},
        {256, 4096, 256, true},
        {256, 4096, 768, true},
        {1024, 4096, 256, true},
        {4096, 2048, 256, true},
    };
    for (const Problem& p : problems) {
        for (const int threads : settings.threads) measure(table, p, threads);
    }
}

const Section section{
    "matmul", 20, "y = x · w as a share of the limit, and how many times the speed of others", run};

}  // namespace

}  // namespace tbt::bench
