// make try EX=15_1: what a bit is worth, on 10,000 random weights and on a matrix of the shipped model.
#include <cstdio>
#include <string>

#include "15_1_quantize.hpp"
#include "model.hpp"
#include "safetensors.hpp"

namespace {

using namespace tbt;

void table(const char* what, std::span<const float> weights) {
    const double keep = ex15_1::threshold_of(weights, .01);
    std::printf("%s\n bits         MSE   max error  SNR dB   1 %% kept: SNR dB  bits on average\n", what);
    for (const int bits : {2, 3, 4, 5, 6, 8}) {
        const ex15_1::Loss plain = ex15_1::loss(weights, ex15_1::quantized(weights, bits));
        const ex15_1::Loss kept = ex15_1::loss(weights, ex15_1::quantized(weights, bits, keep));
        std::printf("%5d  %.4e  %.3e  %6.2f  %17.2f  %15.2f\n", bits, plain.mse, plain.max_error, plain.snr,
                    kept.snr, ex15_1::average_bits(bits, .01));
    }
}

}  // namespace

int main() {
    try {
        table("10,000 normal weights", ex15_1::normal_weights(10000, 42));
        const Safetensors file = Safetensors::open_directory(shipped_model("storyteller").string());
        for (const char* name : {"wte.weight", "h.0.mlp.c_fc.weight"}) {
            const TensorView* view = file.find(name);
            if (!view) continue;
            const Tensor weights = file.read(name, view->shape);
            std::printf("\n");
            table((std::string("the storyteller's ") + name).c_str(), weights.values());
        }
    } catch (const std::exception& e) {
        std::fprintf(stderr, "15_1: %s\n", e.what());
        return 1;
    }
}
