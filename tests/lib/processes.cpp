// Several processes that run one model have the bits of one. Here threads stand for processes:
// their gather() copies. (tests/mpi.sh starts real ones.)
#include "tests/catch.hpp"

#include <algorithm>
#include <barrier>
#include <filesystem>
#include <thread>

#include "lib/core/error.hpp"
#include "lib/files/model.hpp"
#include "lib/model/processes.hpp"
#include "lib/model/transformer.hpp"
#include "lib/train/trainer.hpp"
#include "tests/support/skip.hpp"
#include "tests/support/temporary.hpp"

using namespace tbt;
using test::error_of;

namespace {

// What the threads share: where the matrix of each is.
struct Table {
    explicit Table(int size) : matrices(index(size)), numbers(index(size)), barrier(size) {}
    std::vector<float*> matrices;
    std::vector<std::uint64_t> numbers;
    std::barrier<> barrier;
    bool has_leader = false;
    std::vector<int> pass;
};

class ThreadProcesses final : public Processes {
public:
    ThreadProcesses(Table& table, int rank) : table_(table), rank_(rank) {}
    int rank() const override { return rank_; }
    int size() const override { return to_int(table_.matrices.size()); }
    void gather(float* matrix, std::int64_t rows, std::int64_t stride,
                std::span<const std::int64_t> firsts) override {
        table_.matrices[index(rank_)] = matrix;
        table_.barrier.arrive_and_wait();
        for (std::size_t i = 0; i < table_.matrices.size(); ++i)
            for (std::int64_t r = 0; r < rows && i != index(rank_); ++r)
                for (std::int64_t c = firsts[i]; c < firsts[i + 1]; ++c)
                    matrix[r * stride + c] = table_.matrices[i][r * stride + c];
        table_.barrier.arrive_and_wait();
    }
    void scatter(float* block, std::span<const std::int64_t> firsts, int owner) override {
        table_.matrices[index(rank_)] = block;
        table_.barrier.arrive_and_wait();
        const float* theirs = table_.matrices[index(owner)];
        for (std::int64_t i = firsts[index(rank_)]; i < firsts[index(rank_ + 1)]; ++i)
            block[i] = theirs[i];
        table_.barrier.arrive_and_wait();
    }
    bool first_says(bool answer) override {
        table_.numbers[index(rank_)] = answer;
        table_.barrier.arrive_and_wait();
        const bool says = table_.numbers[0] != 0;
        table_.barrier.arrive_and_wait();
        return says;
    }
    bool has_leader() const override { return table_.has_leader; }
    void send(std::span<const int> pass) override {
        table_.pass.assign(pass.begin(), pass.end());
        table_.barrier.arrive_and_wait();
        table_.barrier.arrive_and_wait();
    }
    std::vector<int> receive() {
        table_.barrier.arrive_and_wait();
        std::vector<int> pass = table_.pass;
        table_.barrier.arrive_and_wait();
        return pass;
    }
    void agree(std::uint64_t number, const char* about) override {
        table_.numbers[index(rank_)] = number;
        table_.barrier.arrive_and_wait();
        const bool same = table_.numbers[0] == number;
        table_.barrier.arrive_and_wait();
        if (!same) throw Error(std::string("they differ in ") + about);
    }

private:
    Table& table_;
    int rank_;
};

// Does the work as each of `size` processes.
template <class Work>
void as_processes(int size, bool has_leader, Work work) {
    Table table(size);
    table.has_leader = has_leader;
    std::vector<std::thread> threads;
    for (int i = 0; i < size; ++i)
        threads.emplace_back([&, i] {
            ThreadProcesses processes(table, i);
            work(processes, i);
        });
    for (std::thread& thread : threads) thread.join();
}

// The logits of a prompt, of a further token, and of two texts in one pass.
std::vector<float> logits_of(const std::string& model, TransformerOptions options,
                             Processes* processes, std::int64_t* bytes = nullptr) {
    options.threads = 1;
    options.processes = processes;
    Transformer transformer = load_transformer(model, options);
    const int vocabulary = transformer.config().vocab_size;
    std::vector<int> ids;
    for (int i = 0; i < 21; ++i) ids.push_back(i * i * 7 % vocabulary);
    KvCache cache(transformer.config()), other(transformer.config());
    std::vector<float> all;
    const auto add = [&](std::span<const float> logits) {
        all.insert(all.end(), logits.begin(), logits.end());
    };
    add(transformer.forward_all(cache, ids).values);
    add(transformer.forward(cache, std::vector<int>{3 % vocabulary}));
    const std::vector<int> more = {5, 1, 2};
    const Step steps[] = {{&cache, std::span(more).first(1)}, {&other, more, true}};
    add(transformer.forward(steps).values);
    if (bytes) *bytes = transformer.weight_bytes();
    return all;
}

// The same from `size` threads. `largest` becomes the most bytes of weights that one has.
std::vector<std::vector<float>> logits_of_all(const std::string& model,
                                              const TransformerOptions& options, int size,
                                              std::int64_t* largest = nullptr) {
    std::vector<std::vector<float>> logits(index(size));
    std::vector<std::int64_t> bytes(index(size));
    as_processes(size, false, [&](ThreadProcesses& processes, int i) {
        logits[index(i)] = logits_of(model, options, &processes, &bytes[index(i)]);
    });
    if (largest) *largest = *std::max_element(bytes.begin(), bytes.end());
    return logits;
}

std::string golden(const std::string& name) { return "../shared/golden/" + name; }

void check_all_sizes(const std::string& model, const TransformerOptions& options, int most = 4) {
    const std::vector<float> alone = logits_of(model, options, nullptr);
    for (int size = 1; size <= most; ++size) {
        INFO(model << ", " << size << " processes");
        for (const std::vector<float>& logits : logits_of_all(model, options, size))
            CHECK(logits == alone);
    }
}

}  // namespace

TEST_CASE("one to four processes give the storyteller's logits to the bit, in each type") {
    const std::string storyteller = shipped_model("storyteller").string();
    for (const WeightType type :
         {WeightType::f32, WeightType::f16, WeightType::bf16, WeightType::int8, WeightType::int4})
        check_all_sizes(storyteller, {.weights = type});
    check_all_sizes(storyteller, {.weights = WeightType::f16, .cache = WeightType::f16}, 3);
}

TEST_CASE("one to four processes give today's models' logits to the bit") {
    if (!std::filesystem::exists(golden("tiny-llama")))
        return test::skip("../shared/golden is not there");
    for (const char* name :
         {"tiny-gpt2", "tiny-llama", "tiny-llama-bf16-sharded", "tiny-qwen3-moe", "tiny-mixtral",
          "tiny-gpt-oss", "tiny-gpt-neo", "tiny-gpt-neox", "tiny-gemma2", "tiny-gemma3",
          "tiny-granite", "tiny-olmo2", "tiny-olmo3", "tiny-phi3", "tiny-qwen2", "tiny-qwen3"})
        check_all_sizes(golden(name), {});
    for (const WeightType type : {WeightType::int8, WeightType::int4})
        check_all_sizes(golden("tiny-qwen3-moe"), {.weights = type});
    check_all_sizes(golden("gguf/Q4_K_M.gguf"), {});
}

TEST_CASE("processes that follow a leader give it the logits of one process") {
    const std::string storyteller = shipped_model("storyteller").string();
    // Two forks of a text, which share its blocks and write to copies of the last one; a text that
    // is cut and goes on; a text in blocks that another one has left.
    const auto logits_of_a_service = [&](Transformer& transformer) {
        const auto pool = std::make_shared<KvPool>(transformer.config(), 8);
        const auto cache = [&] { return KvCache(pool, transformer.config(), 200); };
        std::vector<int> ids;
        for (int i = 0; i < 100; ++i) ids.push_back(i * 31 % 4000);
        std::vector<float> all;
        const auto pass = [&](std::vector<Step> steps) {
            const std::span<const float> logits = transformer.forward(steps).values;
            all.insert(all.end(), logits.begin(), logits.end());
        };
        const std::span<const int> text(ids);
        KvCache first = cache();
        pass({{&first, text.first(70)}});
        {
            KvCache fork = first;
            pass({{&first, text.subspan(70, 3), true}, {&fork, text.subspan(80, 2)}});
            first.truncate(66);
            pass({{&fork, text.subspan(90, 1)}, {&first, text.subspan(60, 1)}});
        }
        KvCache second = cache();
        pass({{&second, text.subspan(20, 65)}, {&first, text.subspan(1, 1)}});
        KvCache own(transformer.config());  // with a pool of its own
        pass({{&own, text.first(9)}});
        pass({{&second, text.first(1)}});
        return all;
    };
    TransformerOptions options;
    options.threads = 1;
    Transformer alone = load_transformer(storyteller, options);
    const std::vector<float> expected = logits_of_a_service(alone);
    as_processes(3, true, [&](ThreadProcesses& processes, int i) {
        TransformerOptions own = options;
        own.processes = &processes;
        Transformer transformer = load_transformer(storyteller, own);
        if (i > 0) {
            for (std::vector<int> pass; !(pass = processes.receive()).empty();)
                transformer.follow(pass);
            return;
        }
        const std::vector<float> logits = logits_of_a_service(transformer);
        CHECK(logits == expected);
        // Those that follow have dropped the pool of the first of these caches.
        KvCache dropped(transformer.config()), latest(transformer.config());
        const std::vector<int> two = {5, 6}, one = {7};
        transformer.forward(dropped, two);
        transformer.forward(latest, two);
        CHECK(test::contains(error_of([&] { transformer.forward(dropped, one); }),
                             "let the caches share a pool"));
        CHECK_NOTHROW(transformer.forward(latest, one));
        processes.send({});
    });
}

TEST_CASE("each of n processes keeps at most 1/n of the weights and a tenth more") {
    const std::string storyteller = shipped_model("storyteller").string();
    std::int64_t alone = 0, largest = 0;
    logits_of(storyteller, {}, nullptr, &alone);
    for (const int size : {2, 3, 4}) {
        logits_of_all(storyteller, {}, size, &largest);
        INFO(size << " processes: " << largest << " bytes of " << alone);
        CHECK(static_cast<double>(largest) < 1.1 * static_cast<double>(alone) / size);
    }
}

TEST_CASE("processes that share the parts of a batch have the gradients and the loss of one") {
    for (const bool fills_masks : {false, true}) {
        TransformerConfig shape = gpt_config(2, 2, 32, 16, 50);
        std::vector<std::int32_t> ids, targets;
        for (int i = 0; i < 7 * 16; ++i)
            ids.push_back(i * 7 % 49), targets.push_back(i % 5 ? i * 3 % 49 : -1);
        const auto steps_of = [&](Processes* processes) {
            train::Trainer trainer(shape, 1, 4, fills_masks);
            trainer.share_with(processes);
            train::initialise(trainer.parameters(), trainer.layout(), shape, 3);
            trainer.parameters_changed();
            std::vector<float> all = {static_cast<float>(trainer.gradient(ids, targets, 7, 16))};
            all.insert(all.end(), trainer.gradients().begin(), trainer.gradients().end());
            return all;
        };
        const std::vector<float> alone = steps_of(nullptr);
        for (const int size : {1, 2, 3, 4, 6}) {
            std::vector<std::vector<float>> each(index(size));
            as_processes(size, false, [&](ThreadProcesses& processes, int i) {
                each[index(i)] = steps_of(&processes);
            });
            INFO(size << " processes, masks: " << fills_masks);
            for (const std::vector<float>& one : each) CHECK(one == alone);
        }
    }
}

TEST_CASE("parts of a model cover it, and heads of keys go with their heads of queries") {
    const TransformerConfig llama = llama_config(1, 12, 3, 48, 100, 64, 97);
    for (int size = 1; size <= 12; ++size) {
        INFO(size << " processes");
        const std::vector<ModelPart> parts = model_parts(llama, 97, size);
        std::int64_t head = 0, output = 0;
        for (const ModelPart& p : parts) {
            CHECK(p.heads.begin == head);
            CHECK(p.heads.end > p.heads.begin);
            CHECK(p.outputs.begin == output);
            CHECK(p.heads.begin / 4 >= p.kv_heads.begin);
            CHECK((p.heads.end - 1) / 4 < p.kv_heads.end);
            CHECK((p.heads.end - p.heads.begin) % (p.kv_heads.end - p.kv_heads.begin) == 0);
            head = p.heads.end, output = p.outputs.end;
        }
        CHECK(head == 12);
        CHECK(output == 97);
    }
    CHECK(error_of([&] { model_parts(llama, 97, 13); }) ==
          "transformer: 13 processes for 12 heads, expected 1 to 12");
}
