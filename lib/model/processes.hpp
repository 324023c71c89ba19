// Several processes, on one machine or on many, that run one model together (tensor parallelism
// [Shoeybi et al. 2019], but by columns only).
//
// Each process keeps some of the columns of every matrix, that is some of its outputs: its heads,
// its part of the MLP, its part of the vocabulary; and the keys and values of its heads. After a
// product, every process gets the columns of all others. So each number is one sum in one order, as
// in a process alone, and the bits do not depend on the number of processes. (Splitting by rows
// would send less and add partial sums, which changes the bits.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/machine/threads.hpp"
#include "lib/model/model_config.hpp"

namespace tbt {

// What one process computes of a model: ranges of heads, heads of keys and values, columns of the
// MLP's inner width, channels, ids of the vocabulary, and experts.
struct ModelPart {
    Range heads, kv_heads, inner, channels, outputs, experts;
};

// The part of each of `size` processes. If there are at least as many heads of keys and values as
// processes, each process has some of them, with all their heads of queries; otherwise each has
// one, with some of its heads of queries. Throws Error if there are more processes than heads.
std::vector<ModelPart> model_parts(const TransformerConfig& config, std::int64_t outputs, int size);

class Processes {
public:
    virtual ~Processes() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;

    // Of a matrix (rows, columns) whose rows are `stride` floats apart, process i has computed the
    // columns firsts[i] … firsts[i + 1] − 1; afterwards every process has all columns.
    virtual void gather(float* matrix, std::int64_t rows, std::int64_t stride,
                        std::span<const std::int64_t> firsts) = 0;
    // Of the block that process `owner` has, process i gets the numbers firsts[i] … firsts[i + 1]
    // − 1, in their places.
    virtual void scatter(float* block, std::span<const std::int64_t> firsts, int owner) = 0;
    // Every process gets the first one's answer: what it decides by its clock, for example.
    virtual bool first_says(bool answer) = 0;
    // True: the first process leads. It sends each pass to the others, which run it by
    // Transformer::follow(). False: all processes do the same, and so make the same passes.
    virtual bool has_leader() const = 0;
    virtual void send(std::span<const int> pass) = 0;
    // Throws Error unless all processes call this with the same number.
    virtual void agree(std::uint64_t number, const char* about) = 0;
};

// Those that share the models which programs open (lib/files); null, as at the start: no others.
Processes* default_processes();
void set_default_processes(Processes* processes);

}  // namespace tbt
