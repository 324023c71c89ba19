// Hostile arguments to lib/kernels and lib/machine.
#include "tests/catch.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "lib/core/check.hpp"
#include "lib/core/math.hpp"
#include "lib/core/rng.hpp"
#include "lib/core/tensor.hpp"
#include "lib/core/unicode.hpp"
#include "lib/json/json.hpp"
#include "lib/kernels/bit_mask.hpp"
#include "lib/kernels/matmul.hpp"
#include "lib/machine/cgroup.hpp"
#include "lib/machine/cores.hpp"
#include "lib/machine/files.hpp"
#include "lib/machine/threads.hpp"
#include "lib/quantized/integer_matrix.hpp"
#include "lib/select/integer_weights.hpp"
#include "lib/select/select.hpp"
#include "tests/api/hostile.hpp"

using namespace tbt;
using namespace tbt::api;

TEST_CASE("api: ids and sizes", "[api]") {
    for (const int id : hostile_ids) REFUSES(checked_id("test", id, 5));
    REFUSES(checked_id("test", 0, 0), check_ids("test", std::vector<int>{0, 5}, 5),
            check_size("test", 4, 5), check_at_least("test", LLONG_MIN, 0));
    REQUIRE(outcome([] { checked_id("test", 5, 5); }) ==
            "test: token 5 is not in the vocabulary, expected an id from 0 to 4");
}

TEST_CASE("api: rows of numbers", "[api]") {
    std::vector<float> row{3, 1, 2}, two(2), none, maxima;
    const std::vector<std::uint64_t> weights{1, 2, 3}, short_weights{1};
    REFUSES(mask_logits(row, weights), negative_distances(row, 0, two));
    Between between;
    REFUSES(split(row, short_weights, 0, 1, between),
            weighted_sum_of_gaps(row, short_weights, 3, 1));
    HOLDS(group_maxima(none, 0, maxima));
    HOLDS(group_maxima(row, 0, maxima));
    REQUIRE(group_maxima(row, SIZE_MAX, maxima) == 3);
    REQUIRE(std::isnan(group_maxima(std::vector<float>{1, not_a_number}, 1, maxima)));
    for (const double T : hostile_numbers) {
        std::vector<std::uint64_t> w(3);
        HOLDS(integer_exp(row, 3, T, w.data()));
        HOLDS(integer_exp(row, not_a_number, T, w.data()));
        HOLDS(weighted_sum_of_gaps(row, weights, infinity, T));
        HOLDS(portable_exp(T));
        HOLDS(portable_log(T));
    }
    HOLDS(from_f16(to_f16(not_a_number)), from_bf16(to_bf16(-infinity)));
}

TEST_CASE("api: places and prefixes of a row", "[api]") {
    const std::vector<float> row{3, 1, 2}, none, broken(300, not_a_number);
    for (const std::size_t k : {std::size_t{0}, std::size_t{4}, SIZE_MAX}) {
        REFUSES(kth_largest(row, k));
        HOLDS(reached_by_at_least(row, k));
    }
    REFUSES(reached_by_at_least(row, 0), reached_by_at_least(row, SIZE_MAX),
            reached_by_at_least(none, 1), kth_largest(none, 1),
            kth_largest(std::vector<float>{1, not_a_number, 2}, 2));
    HOLDS(kth_largest(broken, 150));
    const std::vector<std::uint64_t> w{1, 2, 3}, one{1};
    REFUSES(smallest_prefix_reaching(none, {}, 0, 1), smallest_prefix_reaching(row, one, 1, 1));
    HOLDS(smallest_prefix_reaching(row, w, UINT64_MAX, UINT64_MAX));
    // A sum that is not that of the weights.
    std::vector<float> many(1000);
    for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<float>(i % 37);
    const std::vector<std::uint64_t> ones(1000, 1), zeros(1000, 0);
    HOLDS(smallest_prefix_reaching(many, ones, 1000000, 999999));
    HOLDS(smallest_prefix_reaching(many, zeros, 1000, 500));
    HOLDS(smallest_prefix_reaching(many, ones, 3, 2));
    HOLDS(smallest_prefix_reaching(std::vector<float>(1000, not_a_number), ones, 1000, 500));
}

TEST_CASE("api: random numbers", "[api]") {
    Rng rng(0);
    REFUSES(rng.below(0), Rng(Rng::State{}));
    HOLDS(rng.below(UINT64_MAX));
}

TEST_CASE("api: tensors", "[api]") {
    REFUSES(element_count({-1}), element_count({INT64_MAX, INT64_MAX}), allocate_floats(-1),
            allocate_zeros(INT64_MIN), allocate_floats(INT64_MAX),
            allocate_zeros(INT64_MAX / 4 + 1));
    REFUSES(Tensor(Shape{2, 3}, std::vector<float>(5)), Tensor(Shape{-2}));
    Tensor t(Shape{2, 3});
    REFUSES(t.dim(2), t.dim(SIZE_MAX), t.row(2), t.row(-1), Tensor().row(0));
    const Tensor taken = std::move(t);
    REQUIRE(t.size() == 0);
    REQUIRE(t.values().empty());
    HOLDS(t.fill(1));
    REFUSES(t.row(0));
    HOLDS(t = taken);
    HOLDS(Tensor(Shape(100, 1)).row(0));
    REQUIRE(to_string(Shape(100, 7)).size() < 60);
    REFUSES(check_shape("test", "x", Shape(100, 1), Shape(99, 1)));
}

TEST_CASE("api: matrix products", "[api]") {
    const std::vector<float> numbers(12, 1.0f);
    const MatrixView w = MatrixView::of(numbers.data(), 3, 4);
    PackedMatrix packed(w);
    REFUSES(packed.reserve(-1, 4), packed.reserve(INT64_MAX, INT64_MAX),
            PackedMatrix(MatrixView::of(nullptr, 3, -4)));
    packed = PackedMatrix(w);
    REFUSES(packed.pack(w.transposed(), Worker{}));
    const Tensor x(Shape{2, 3});
    Tensor y(Shape{2, 4}), small(Shape{2, 3});
    REFUSES(matmul(x, packed, small), matmul(y, packed, y), matmul(Tensor(Shape{3}), packed, y),
            matmul(Tensor(), packed, y));
    for (const int threads : {0, -1, INT_MIN}) HOLDS(matmul(x, packed, y, {}, threads));
    REFUSES(matmul_plain(w, w, y.data(), 4));
    const PackedMatrix taken = std::move(packed);
    REQUIRE(packed.k() == 0);
    PackedMatrix bytes = pack_weights(w, WeightType::int8);
    const PackedMatrix moved = std::move(bytes);
    HOLDS(matmul(x, moved, y));
    REFUSES(matmul(x, bytes, y), matmul(x, packed, y));
    HOLDS(matmul(Tensor(Shape{2, 0}), packed, small = Tensor(Shape{2, 0})));
}

TEST_CASE("api: teams of threads", "[api]") {
    REFUSES(Barrier(0), Barrier(INT_MIN), (Worker{0, 0}.share(10)), (Worker{3, 2}.share(10)),
            (Worker{-1, 2}.share(10)), Worker{}.share(-1));
    REFUSES(Worker{}.share(10, 0), Worker{}.share(INT64_MAX, INT64_MAX));
    int calls = 0;
    run_team(-5, [&](const Worker&) { ++calls; });
    REQUIRE(calls == 1);
    for (const int threads : {-1, INT_MIN, 0}) HOLDS(set_default_threads(threads));
    REQUIRE(default_threads() >= 1);
    HOLDS(usable_cores({}), usable_cores({-1, INT_MAX}), usable_cores({0}, "/nowhere"));
    HOLDS(cgroup_cores("/nowhere"), cgroup_memory_left(""));
}

TEST_CASE("api: files", "[api]") {
    const test::TemporaryFolder folder;
    const std::string inside = folder.file("file");
    for (const std::string& text : hostile_texts) {
        HOLDS(file_exists(text));
        HOLDS(join_path(text, text));
        REFUSES(read_file(text), MappedFile{text});
        HOLDS(parse_json(text, text));
        HOLDS(shown(text), kind_of(Json(3)));
    }
    REFUSES(write_file("", "x"), write_file(std::string("a\0b", 3), "x"),
            read_file(inside + std::string("\0.txt", 5)), write_file("/nowhere/at/all", "x"),
            write_file(folder.path(), "x"), read_file(folder.path()));
    REFUSES(make_directory(""), read_json(inside), parse_json(std::string(100000, '['), "deep"));
    AtomicFile file(inside);
    HOLDS(file.write(nullptr, 0));
    file.commit();
    REFUSES(file.write("x", 1), file.commit());
    MappedFile mapped(inside), other = std::move(mapped);
    REQUIRE(mapped.bytes().empty());
    HOLDS(mapped.forget({}), other.forget(std::as_bytes(std::span("elsewhere"))));
}
