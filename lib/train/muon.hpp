// Muon [Jordan et al. 2024]: a step for the matrices of a model's layers. AdamW divides each number
// of the gradient by its own size; Muon makes the step of a matrix orthogonal, so that it changes
// what the matrix does in all directions alike, not most in the few that dominate the gradient.
#pragma once

#include <cstdint>
#include <span>

#include "lib/core/tensor.hpp"
#include "lib/kernels/packed_matrix.hpp"

namespace tbt::train {

// Memory for orthogonalise(), one for each thread.
struct MuonScratch {
    AlignedFloats square, polynomial, product;
    PackedMatrix packed;
};

// Replaces x (rows, columns), with x = U S Vᵀ, by about U Vᵀ: five steps of
//     x ← a x + b (x xᵀ) x + c (x xᵀ)² x,   a = 3.4445, b = −4.775, c = 2.0315,
// from x / ‖x‖, which bring the singular values (of at least .01 of ‖x‖) to between .68 and 1.14.
// Both sizes must be multiples of 16.
void orthogonalise(std::span<float> x, std::int64_t rows, std::int64_t columns,
                   MuonScratch& scratch);

}  // namespace tbt::train
